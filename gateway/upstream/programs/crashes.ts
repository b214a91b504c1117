// The crashes of one entry, whichever of its processes they were: when the next start may be, and whether there is one.
import { StartRefused } from '../../sandbox/program.ts'

export type Timers = { readonly monotonic: () => number; readonly after: (ms: number, act: () => void) => () => void }

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** So many crashes within the time end the tries. */
const MOST_CRASHES = 5
const BUDGET_MS = 600_000

export type Crashes = ReturnType<typeof createCrashes>

export function createCrashes({ monotonic }: Timers, random: () => number) {
  let crashes: readonly number[] = []
  let lastReason = ''

  /** A clock that was set back makes no crash count for longer. */
  function recent(): readonly number[] {
    const at = monotonic()
    return crashes.filter((each) => each <= at && at - each < BUDGET_MS)
  }

  return {
    add(reason: string): void {
      lastReason = reason
      crashes = [...recent(), monotonic()]
    },
    /** Throws where there were too many. */
    requireBudget(): void {
      if (recent().length >= MOST_CRASHES)
        throw new StartRefused(
          `it ended ${MOST_CRASHES} times within 10 min and is not started again for now: ${lastReason}`,
        )
    },
    /** None after the first crash: the next call may well work. */
    pauseMs(): number {
      const found = recent()
      const last = found.at(-1)
      if (last === undefined || found.length < 2) return 0
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (found.length - 2)) * (0.75 + random() / 4)
      return Math.max(0, last + pause - monotonic())
    },
    /** A person's: what failed before no longer counts. */
    forgive(): void {
      crashes = []
    },
  }
}
