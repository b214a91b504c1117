// Keeps listening for changed lists: reconnects with growing pauses, and reports what may have been missed.

import { type Connection, LISTS, type ListKind } from '../mcp/connection.ts'
import type { Base } from '../records/base.ts'

type Parts = Pick<Base, 'monotonic' | 'random'> & {
  readonly connection: Connection
  readonly onListChanged: (kind: ListKind) => void
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 60_000
/** A stream that lived this long was a good one. */
const GOOD_LIFE_MS = 30_000
/** A stream that is still there after this was really opened. */
const PROOF_MS = 2_000

/** Answers the way to stop. */
export function watchLists({ connection, onListChanged, monotonic, random }: Parts): () => void {
  let stopped = false
  let pauseMs = FIRST_PAUSE_MS
  let pause: NodeJS.Timeout | undefined
  let end: () => void = () => undefined
  let missed = false

  const tell = (kind: ListKind): void => {
    if (!stopped) onListChanged(kind)
  }

  async function life(): Promise<void> {
    const since = monotonic()
    let proof: NodeJS.Timeout | undefined
    try {
      const listening = await connection.listen(tell, (cut) => {
        end = cut
        if (stopped) cut()
        if (!missed || proof !== undefined) return
        // What changed during a pause is not sent again.
        proof = setTimeout(() => {
          missed = false
          for (const kind of LISTS) tell(kind)
        }, PROOF_MS).unref()
      })
      if (listening === 'unsupported') return
    } catch {
      // The cause of its end does not matter: the next try shows whether the upstream is back. Health is judged elsewhere.
      missed = true
    } finally {
      clearTimeout(proof)
    }
    if (stopped) return
    if (monotonic() - since >= GOOD_LIFE_MS) pauseMs = FIRST_PAUSE_MS
    pause = setTimeout(() => void life(), pauseMs * (0.5 + random() / 2)).unref()
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
  }

  void life()
  return () => {
    stopped = true
    clearTimeout(pause)
    end()
  }
}
