// Room for large answers: what all of them together may hold, and how many are worked on at a time. Small ones are always welcome.
export type MemoryBudget = {
  /** One for each call; what it holds is held until it is freed. */
  account(): Account
}

export type Account = {
  /** Holds so much more. False, and nothing held, when there is no room for it. */
  take(bytes: number): boolean
  /** The same for what is there already, whatever the room. */
  hold(bytes: number): void
  /** Its turn to be read and rewritten, which takes many times its size; undefined when it need not wait. */
  turn(): Promise<void> | undefined
  free(): void
}

type Options = {
  /** Of all answers together, as they came and as they go out. */
  readonly mostBytes: number
  /** Of those that are worked on at one time; a single one may be larger. */
  readonly mostWorkBytes: number
}

type Waiting = { readonly bytes: number; readonly begin: () => void }

/** A few of these are nothing to a heap of any size. */
export const LARGE_BYTES = 262_144

/** What a heap of this size has room for: bodies lie beside it, what is made of them lies in it. */
export const memoryBudgetOf = (heapBytes: number): MemoryBudget =>
  createMemoryBudget({ mostBytes: Math.floor(heapBytes / 2), mostWorkBytes: Math.floor(heapBytes / 16) })

export function createMemoryBudget({ mostBytes, mostWorkBytes }: Options): MemoryBudget {
  let held = 0
  let working = 0
  const waiting: Waiting[] = []

  const fits = (bytes: number): boolean => working === 0 || working + bytes <= mostWorkBytes

  /** In a turn of the event loop of its own: whoever has just finished hands its answer on first. */
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
      // Whoever leaves while it waits has not been counted among those that work.
      const at = this.place === undefined ? -1 : waiting.indexOf(this.place)
      if (at === -1) working -= this.worked
      else for (const { begin } of waiting.splice(at, 1)) begin()
      this.worked = 0
      callNext()
    }
  }

  return { account: () => new Held() }
}
