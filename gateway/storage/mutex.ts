// First come, first served: whoever holds the turn has the connection to itself.
export type Mutex = { take(): Promise<() => void> }

export function createMutex(): Mutex {
  let last: Promise<void> = Promise.resolve()
  return {
    take() {
      const turn = Promise.withResolvers<void>()
      const before = last
      last = turn.promise
      return before.then(() => turn.resolve)
    },
  }
}
