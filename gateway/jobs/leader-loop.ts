// A loop on the leader: runs at once when leadership starts, never overlaps, never without leadership.
import type { Log } from '../telemetry/log.ts'
import { createRounds, type Rounds } from './rounds.ts'

type LeaderLoopDeps = {
  /** The name in the log. */
  readonly name: string
  readonly everyMs: number
  readonly leads: () => boolean
  readonly log: Pick<Log, 'warn'>
  readonly work: () => Promise<void>
}

export function createLeaderLoop({ name, everyMs, leads, log, work }: LeaderLoopDeps): Rounds {
  return createRounds(everyMs, async () => {
    try {
      if (leads()) await work()
    } catch (error) {
      log.warn(`${name} failed, and is tried again`, { error, again_ms: everyMs })
    }
  })
}
