// Spans on their way out: gathered, handed over in batches one after another, and bounded, whatever becomes of them.

export type SpanQueue<T> = {
  /** Costs its caller nothing but a place in a list. */
  add(span: T): void
  /** Hands over what waits, as long as that works. */
  close(): Promise<void>
}

type Options<T> = {
  readonly mostOfBatch: number
  /** After which also fewer are handed over. */
  readonly everyMs: number
  readonly deliver: (batch: readonly T[]) => Promise<void>
  /** It is not tried again. */
  readonly onFailed: (batch: readonly T[], error: unknown) => void
  /** There was no room for one. */
  readonly onDropped: () => void
}

const MOST_BATCHES = 10

export function createSpanQueue<T>({ mostOfBatch, everyMs, deliver, onFailed, onDropped }: Options<T>): SpanQueue<T> {
  let waiting: T[] = []
  let underWay = 0
  let timer: NodeJS.Timeout | undefined
  let delivering: Promise<void> | undefined
  let closing = false

  async function handOver(least: number): Promise<void> {
    // Whoever added the last one is answered first.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (waiting.length >= least) {
      const batch = waiting.slice(0, mostOfBatch)
      waiting = waiting.slice(mostOfBatch)
      underWay = batch.length
      try {
        await deliver(batch)
      } catch (error) {
        onFailed(batch, error)
        // Nobody waits at the end for one that does not answer.
        if (closing) giveUp(error)
      }
      underWay = 0
    }
  }

  function giveUp(error: unknown): void {
    const rest = waiting
    waiting = []
    if (rest.length > 0) onFailed(rest, error)
  }

  function begin(least: number): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    return (delivering ??= handOver(least).finally(() => {
      delivering = undefined
      if (waiting.length > 0) later()
    }))
  }
  function later(): void {
    timer ??= setTimeout(() => void begin(1), everyMs).unref()
  }

  return {
    add(span) {
      if (waiting.length + underWay >= mostOfBatch * MOST_BATCHES) {
        onDropped()
        return
      }
      waiting.push(span)
      if (waiting.length >= mostOfBatch) void begin(mostOfBatch)
      else later()
    },
    async close() {
      closing = true
      while (waiting.length > 0 || delivering) await begin(1)
      clearTimeout(timer)
    },
  }
}
