// The thread that counts tokens with the vocabulary o200k of current OpenAI models; other models differ by a tenth or two.
import { parentPort } from 'node:worker_threads'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

/** Text that spells a control token is text. */
const PLAIN = { disallowedSpecial: new Set<string>() }

parentPort?.on('message', ({ id, texts }: { readonly id: number; readonly texts: readonly string[] }) => {
  const counts = texts.map((text) => countTokens(text, PLAIN))
  parentPort?.postMessage({ id, counts }, [])
})
