// The raw record of a traced call; `8-audit/stages.ts` makes stages of it when its span is made.
import { Timing } from '../net/timing.ts'

/** Monotonic. */
export type Interval = { readonly from: number; readonly to: number }
type NotedStage = Interval & { readonly stage: string }
type Attempt = { readonly from: number; to: number; failed: boolean; readonly timings: Timing[] }

export class StageRecord {
  readonly noted: NotedStage[] = []
  readonly attempts: Attempt[] = []

  /** For the next request of the current attempt. */
  readonly timing = (): Timing => {
    const timing = new Timing()
    this.attempts.at(-1)?.timings.push(timing)
    return timing
  }

  async attempt<T>(work: () => T | Promise<T>, failed: (done: T) => boolean, monotonic: () => number): Promise<T> {
    const attempt: Attempt = { from: monotonic(), to: 0, failed: true, timings: [] }
    this.attempts.push(attempt)
    try {
      const done = await work()
      attempt.failed = failed(done)
      return done
    } finally {
      attempt.to = monotonic()
    }
  }
}
