// The memory budget of large answers: total bytes held, and bytes processed at a time. Answers under 256 KiB bypass it.
export type MemoryBudget = {
  /** The share of one call; its bytes stay reserved until freed. */
  account(): Account
}

export type Account = {
  /** Reserves more bytes. Returns false, without reserving, if the budget is exhausted. */
  take(bytes: number): boolean
  /** Reserves bytes that exist already, even over budget. */
  hold(bytes: number): void
  /** Waits for a turn to process the answer, which takes many times its size; undefined if it need not wait. */
  turn(): Promise<void> | undefined
  free(): void
}

type Options = {
  /** The limit of all answers together, received and outgoing. */
  readonly mostBytes: number
  /** The limit of answers processed at a time; a single one may exceed it. */
  readonly mostWorkBytes: number
}

type Waiting = { readonly bytes: number; readonly begin: () => void }

/** Answers below this size are not counted. */
export const LARGE_BYTES = 262_144

/** Budgets for a heap size: bodies are outside the heap, parsed values inside. */
export const memoryBudgetOf = (heapBytes: number): MemoryBudget =>
  createMemoryBudget({ mostBytes: Math.floor(heapBytes / 2), mostWorkBytes: Math.floor(heapBytes / 16) })

export function createMemoryBudget({ mostBytes, mostWorkBytes }: Options): MemoryBudget {
  let held = 0
  let working = 0
  const waiting: Waiting[] = []

  const fits = (bytes: number): boolean => working === 0 || working + bytes <= mostWorkBytes

  /** Runs in a later tick, so that the answer just finished is passed on first. */
  function callNext(): void {
    const [next] = waiting
    if (next === undefined || !fits(next.bytes)) return
    waiting.shift()
    working += next.bytes
    setImmediate(next.begin)
    callNext()
  }

  class Held implements Account {
    private bytes = 0
    private worked = 0
    private place: Waiting | undefined

    take(bytes: number): boolean {
      const after = this.bytes + bytes
      if (after > LARGE_BYTES && held + bytes > mostBytes) return false
      this.hold(bytes)
      return true
    }

    hold(bytes: number): void {
      this.bytes += bytes
      held += bytes
    }

    turn(): Promise<void> | undefined {
      if (this.bytes < LARGE_BYTES || this.worked > 0) return undefined
      this.worked = this.bytes
      if (waiting.length === 0 && fits(this.worked)) {
        working += this.worked
        return undefined
      }
      return new Promise((begin) => {
        this.place = { bytes: this.worked, begin }
        waiting.push(this.place)
      })
    }

    free(): void {
      held -= this.bytes
      this.bytes = 0
      if (this.worked === 0) return
      // A waiter that leaves was not counted as running.
      const at = this.place === undefined ? -1 : waiting.indexOf(this.place)
      if (at === -1) working -= this.worked
      else for (const { begin } of waiting.splice(at, 1)) begin()
      this.worked = 0
      callNext()
    }
  }

  return { account: () => new Held() }
}
