// Counts tokens with a tokenizer, beside the main thread: its vocabulary takes half a second to load and is never needed by a call.
import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { estimatedTokens } from '../contract/tokens.ts'

export type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>

const IDLE_MS = 60_000
const DEADLINE_MS = 20_000
const MOST_KNOWN = 20_000
const MEMORY_MB = 256

const keyOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)
const estimates = (texts: readonly string[]): readonly number[] =>
  texts.map((text) => estimatedTokens(Buffer.byteLength(text)))

type Answer = { readonly id: number; readonly counts: readonly number[] }

export function createTokenCounts(): { readonly count: CountTokens; close(): Promise<void> } {
  const known = new Map<string, number>()
  const waiting = new Map<number, (counts: readonly number[] | undefined) => void>()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last = 0

  function ended(gone: Worker): void {
    if (worker !== gone) return
    worker = undefined
    for (const resolve of waiting.values()) resolve(undefined)
    waiting.clear()
  }

  function started(): Worker {
    if (worker) return worker
    const made = new Worker(new URL('./token-worker.ts', import.meta.url), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
    made.on('message', ({ id, counts }: Answer) => waiting.get(id)?.(counts))
    made.on('error', () => ended(made)).on('exit', () => ended(made))
    made.unref()
    return (worker = made)
  }

  async function end(): Promise<void> {
    clearTimeout(idle)
    const gone = worker
    if (gone === undefined) return
    ended(gone)
    await gone.terminate()
  }

  async function counted(texts: readonly string[]): Promise<readonly number[] | undefined> {
    clearTimeout(idle)
    const id = ++last
    const asked = started()
    asked.ref()
    try {
      return await new Promise((resolve) => {
        const late = setTimeout(() => resolve(undefined), DEADLINE_MS)
        waiting.set(id, (counts) => {
          clearTimeout(late)
          resolve(counts)
        })
        asked.postMessage({ id, texts })
      })
    } finally {
      waiting.delete(id)
      if (waiting.size === 0) {
        worker?.unref()
        idle = setTimeout(() => void end(), IDLE_MS).unref()
      }
    }
  }

  return {
    /** The estimate where the thread fails. */
    async count(texts) {
      const keys = texts.map(keyOf)
      const missing = [...new Set(texts.filter((_text, at) => !known.has(keys[at] ?? '')))]
      const counts = missing.length === 0 ? [] : await counted(missing)
      if (counts === undefined) return estimates(texts)
      const found = new Map(missing.map((text, at) => [keyOf(text), counts[at] ?? 0]))
      const all = keys.map((key) => found.get(key) ?? known.get(key) ?? 0)
      if (known.size + found.size > MOST_KNOWN) known.clear()
      for (const [key, count] of found) known.set(key, count)
      return all
    },
    close: end,
  }
}
