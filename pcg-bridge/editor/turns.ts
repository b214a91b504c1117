// Edits that name no batch form turns: what one agent did without a long pause, so that it can be taken back as one.
import type { CallContext } from '../contract/index.ts'

/** An agent thinks between two calls; a person who asks it for something else takes longer. */
const PAUSE_MS = 120_000
const MOST_CALLERS = 1000

export type Turns = {
  /** The turn a caller is in, under the id it began with: the given one, where it begins just now. */
  enter(caller: string, id: string): string
  /** The batch of an edit with this id: its own, that of the caller's turn, or none for a person's single gesture. */
  batchOf(context: CallContext, changeId: number): string | null
}

export function createTurns(monotonic: () => number): Turns {
  const open = new Map<string, { readonly id: string; at: number }>()
  function enter(caller: string, id: string): string {
    const known = open.get(caller)
    open.delete(caller)
    const turn = known && monotonic() - known.at <= PAUSE_MS ? known : { id, at: 0 }
    turn.at = monotonic()
    // Deleted and set again: the first of the map is always the one that has been silent longest.
    open.set(caller, turn)
    const [oldest] = open.keys()
    if (open.size > MOST_CALLERS && oldest !== undefined) open.delete(oldest)
    return turn.id
  }
  return {
    enter,
    batchOf({ batchId, source, actor, program, session }, changeId) {
      if (batchId != null) return batchId
      return source === 'mcp' ? enter(`${actor}\n${program ?? ''}\n${session ?? ''}`, `turn-${changeId}`) : null
    },
  }
}
