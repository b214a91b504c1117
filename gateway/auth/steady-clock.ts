// A wall clock that never goes back or stops, for measuring lifetimes.

export type WallClock = { now(): number }

/** Advances by at least the monotonic time, so that setting the clock back extends nothing. */
export function createSteadyClock(wall: WallClock, monotonic: () => number): WallClock {
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
