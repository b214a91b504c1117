// The span queue: collects spans, exports them in sequential batches, limited in size.

export type SpanQueue<T> = {
  /** Appends to a list; cheap for the caller. */
  add(span: T): void
  /** Exports queued spans until a batch fails. */
  close(): Promise<void>
}

type Options<T> = {
  readonly mostOfBatch: number
  /** The delay after which a partial batch is exported. */
  readonly everyMs: number
  readonly deliver: (batch: readonly T[]) => Promise<void>
  /** A failed batch is not retried. */
  readonly onFailed: (batch: readonly T[], error: unknown) => void
  /** A span was dropped because the queue was full. */
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
    // Runs in a later tick, so that the caller is answered first.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (waiting.length >= least) {
      const batch = waiting.slice(0, mostOfBatch)
      waiting = waiting.slice(mostOfBatch)
      underWay = batch.length
      try {
        await deliver(batch)
      } catch (error) {
        onFailed(batch, error)
        // Shutdown does not wait for an unresponsive collector.
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
