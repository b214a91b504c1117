// Spans on their way out: which go together, how many may wait, and that nobody waits for those who take them.
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

it('nothing is handed over before whoever adds goes on, and then in batches one after another', async () => {
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

it('a batch that is not full goes as well, a little later', async () => {
  const taken: (readonly number[])[] = []
  const { add } = aQueue(async (batch) => void taken.push(batch), 5)
  add(1)
  await vi.waitFor(() => expect(taken).toEqual([[1]]))
  add(2)
  await vi.waitFor(() => expect(taken).toEqual([[1], [2]]))
})

it('ten batches may wait, those under way among them; what comes then is dropped', async () => {
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

it('one that was not taken is told, and not tried again', async () => {
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

it('at the end nobody waits twice for one that does not answer', async () => {
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
