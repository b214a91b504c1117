// Turns in the order they were asked for: as many at a time as there are places.
import { milliseconds } from '../text/amounts.ts'

type Waiting = { readonly begin: () => void }

export function createMutex(places = 1) {
  let free = places
  const waiting = new Set<Waiting>()

  function leaveOnce(): () => void {
    let left = false
    return () => {
      if (left) return
      left = true
      const [next] = waiting
      if (next === undefined) free += 1
      else next.begin()
    }
  }

  return {
    /** Resolves with how to give the turn up; rejects with `late()` where it does not come within `withinMs`. */
    take(
      withinMs?: number,
      late: () => Error = () => new Error(`No turn within ${milliseconds(withinMs ?? 0)}`),
    ): Promise<() => void> {
      if (free > 0) {
        free -= 1
        return Promise.resolve(leaveOnce())
      }
      return new Promise((resolve, reject) => {
        const one: Waiting = {
          begin() {
            clearTimeout(timer)
            waiting.delete(one)
            resolve(leaveOnce())
          },
        }
        waiting.add(one)
        const timer =
          withinMs === undefined
            ? undefined
            : setTimeout(() => {
                waiting.delete(one)
                reject(late())
              }, withinMs)
      })
    },
  }
}
