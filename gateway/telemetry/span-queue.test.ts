// The span queue: batching, limits, and that callers never wait for the collector.
import { expect, it, vi } from 'vitest'
import { createSpanQueue } from './span-queue.ts'

function aQueue(deliver: (batch: readonly number[]) => Promise<void>, everyMs = 60_000) {
  const failed: (readonly number[])[] = []
  let dropped = 0
  const queue = createSpanQueue<number>({
    mostOfBatch: 2,
    everyMs,
    deliver,
    onFailed: (batch) => void failed.push(batch),
    onDropped: () => {
      dropped += 1
    },
  })
  const add = (...spans: number[]) => spans.forEach((span) => queue.add(span))
  return { queue, add, failed, dropped: () => dropped }
}

it('exports in a later tick, in sequential batches', async () => {
  const taken: (readonly number[])[] = []
  const { add, queue } = aQueue(async (batch) => void taken.push(batch))
  add(1, 2, 3, 4, 5)
  expect(taken).toEqual([])
  await vi.waitFor(() =>
    expect(taken).toEqual([
      [1, 2],
      [3, 4],
    ]),
  )
  await queue.close()
  expect(taken.at(-1)).toEqual([5])
})

it('exports a partial batch after a delay', async () => {
  const taken: (readonly number[])[] = []
  const { add } = aQueue(async (batch) => void taken.push(batch), 5)
  add(1)
  await vi.waitFor(() => expect(taken).toEqual([[1]]))
  add(2)
  await vi.waitFor(() => expect(taken).toEqual([[1], [2]]))
})

it('holds ten batches including running ones; drops more', async () => {
  const gate = Promise.withResolvers<void>()
  const taken: number[] = []
  const { add, queue, dropped } = aQueue(async (batch) => {
    taken.push(...batch)
    await gate.promise
  })
  add(1, 2)
  await vi.waitFor(() => expect(taken).toEqual([1, 2]))
  for (let span = 3; span <= 30; span++) add(span)
  expect(dropped()).toBe(10)
  gate.resolve()
  await queue.close()
  expect(taken).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
})

it('reports a rejected batch, without a retry', async () => {
  let asked = 0
  const { add, failed, queue } = aQueue(async () => {
    asked += 1
    if (asked === 1) throw new Error('away')
  })
  add(1, 2, 3, 4)
  await vi.waitFor(() => expect(asked).toBe(2))
  expect(failed).toEqual([[1, 2]])
  await queue.close()
  expect(asked).toBe(2)
})

it('waits at most once for an unresponsive collector on shutdown', async () => {
  let asked = 0
  const { add, failed, queue } = aQueue(async () => {
    asked += 1
    throw new Error('away')
  })
  add(1, 2, 3, 4, 5)
  await queue.close()
  expect(asked).toBe(1)
  expect(failed.flat()).toEqual([1, 2, 3, 4, 5])
})
