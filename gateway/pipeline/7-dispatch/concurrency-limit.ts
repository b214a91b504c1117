// The places of backends: so many calls of each under way at once. One that hangs must not take the place of all others.

/** Of one backend. */
export const MOST_UNDER_WAY = 1_024
/** Refused callers come again at once, and cost as much as the calls that are answered: a short queue is cheaper. */
export const LONGEST_IN_LINE_MS = 2_000
const MOST_IN_LINE = 4_096

/** A set keeps its order: the first to arrive is the next. */
type Line = { taken: number; readonly waiting: Set<() => void> }

export function createConcurrencyLimit() {
  const lines = new Map<string, Line>()

  function inLine({ waiting }: Line): boolean | Promise<boolean> {
    if (waiting.size >= MOST_IN_LINE) return false
    return new Promise((resolve) => {
      const called = (): void => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        waiting.delete(called)
        resolve(false)
      }, LONGEST_IN_LINE_MS)
      waiting.add(called)
    })
  }

  return {
    /** Whether there is a slot, at once or after waiting in the queue. The holder gives it back. */
    take(backend: string): boolean | Promise<boolean> {
      const line = lines.get(backend)
      if (line === undefined) lines.set(backend, { taken: 1, waiting: new Set() })
      else if (line.taken >= MOST_UNDER_WAY) return inLine(line)
      else line.taken += 1
      return true
    },
    leave(backend: string): void {
      const line = lines.get(backend)
      if (line === undefined) return
      const [next] = line.waiting
      // The place goes from hand to hand.
      if (next !== undefined) {
        line.waiting.delete(next)
        next()
      } else if (line.taken > 1) line.taken -= 1
      else lines.delete(backend)
    },
  }
}
