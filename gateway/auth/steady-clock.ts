// A clock that never goes back or stops, for measuring lifetimes.
import type { Clock } from '../telemetry/clock.ts'

/** Advances by at least the monotonic time, so that setting the clock back extends nothing. */
export function createSteadyClock(wall: Clock, monotonic: () => number): Clock {
  let at = wall.now()
  let mark = monotonic()
  return {
    now() {
      const tick = monotonic()
      at = Math.max(wall.now(), at + Math.floor(tick - mark))
      mark = tick
      return at
    },
  }
}
