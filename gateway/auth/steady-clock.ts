// A wall clock that never goes back and never stands still: what lifetimes are measured with.

export type WallClock = { now(): number }

/** Setting the system's clock back must not lengthen anything, so between two looks at least the real time has passed. */
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
