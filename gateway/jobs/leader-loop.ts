// A loop on the leader: runs at once when leadership starts, never overlaps, never without leadership.
import type { Log } from '../telemetry/log.ts'

export type LeaderLoop = {
  readonly start: () => void
  /** Waits for the running pass. */
  readonly stop: () => Promise<void>
}

type LeaderLoopDeps = {
  /** The name in the log. */
  readonly name: string
  readonly everyMs: number
  readonly leads: () => boolean
  readonly log: Pick<Log, 'warn'>
  readonly work: () => Promise<void>
}

export function createLeaderLoop({ name, everyMs, leads, log, work }: LeaderLoopDeps): LeaderLoop {
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> = Promise.resolve()
  let stopped = false

  async function once(): Promise<void> {
    try {
      if (leads()) await work()
    } catch (error) {
      log.warn(`${name} failed, and is tried again`, { error, again_ms: everyMs })
    }
    if (stopped) return
    timer = setTimeout(begin, everyMs)
    timer.unref()
  }
  function begin(): void {
    round = once()
  }

  return {
    start: begin,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await round
    },
  }
}
