// The thread that reads sources, one after another. It has no environment and receives nothing but the source.
import { parentPort } from 'node:worker_threads'
import { GatewayError } from '../contract/error.ts'
import { type DiscoveryLimits, discover, type Source } from './discover.ts'

export type WorkerInput = { readonly source: Source; readonly limits: DiscoveryLimits }

const PIECE_CHARACTERS = 128 * 1024

/** First all but the tools, then the tools in pieces that are short to read. */
async function answer(input: WorkerInput): Promise<readonly string[]> {
  try {
    const { tools, ...rest } = await discover(input.source, input.limits)
    return [JSON.stringify({ ok: true, discovery: rest }), ...pieces(tools.map((tool) => JSON.stringify(tool)))]
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause
    return [JSON.stringify({ ok: false, code: cause.code, message: cause.message, extras: cause.extras })]
  }
}

function pieces(texts: readonly string[]): readonly string[] {
  const out: string[] = []
  let piece: string[] = []
  let size = 0
  for (const text of texts) {
    piece.push(text)
    size += text.length
    if (size < PIECE_CHARACTERS) continue
    out.push(`[${piece.join(',')}]`)
    piece = []
    size = 0
  }
  return piece.length === 0 ? out : [...out, `[${piece.join(',')}]`]
}

// A string crosses threads as one copy, where a tree of records would be rebuilt node by node on the main thread.
// What `answer` does not expect ends the thread, and the other side reports that.
parentPort?.on(
  'message',
  (input: WorkerInput) => void answer(input).then((texts) => parentPort?.postMessage(texts, [])),
)
