// What a gesture waits for before the next one begins: how things stand now, whoever else asks meanwhile.
import { notifyManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, it, vi } from 'vitest'
import { reread } from './queries.ts'

it('is over when what it touched was read, also where an event put the question anew', async () => {
  const queries = new QueryClient()
  const answers: (() => void)[] = []
  let asked = 0
  const queryKey = ['pcg', 'editor', 'graph', 'of the gesture']
  const canvas = new QueryObserver(queries, {
    queryKey,
    queryFn: () => new Promise<number>((resolve) => void answers.push(() => resolve(++asked))),
  })
  let shown: number | undefined
  // As React is told: in a turn of its own.
  const leave = canvas.subscribe(
    notifyManager.batchCalls(({ data }) => {
      shown = data
    }),
  )
  const answer = async (): Promise<void> => {
    answers.shift()?.()
    await new Promise(setImmediate)
  }
  await answer()
  expect(canvas.getCurrentResult().data).toBe(1)

  let over = false
  const reading = reread(queries, 'editor', 'of the gesture').then(() => {
    over = true
  })
  // Its own event comes back while the answer is under way, which nobody waits for any more.
  void queries.invalidateQueries({ queryKey })
  await answer()
  expect([over, canvas.getCurrentResult().data]).toEqual([false, 1])
  answers.shift()?.()
  await reading
  expect([canvas.getCurrentResult().data, shown]).toEqual([3, 3])
  leave()
})

it('after a gesture that only moved things, how they lie is read again and nothing else', async () => {
  const queries = new QueryClient()
  const asked: string[] = []
  const leave = ['graph', 'layout', 'history'].map((kind) =>
    new QueryObserver(queries, {
      queryKey: ['pcg', 'editor', kind, 'moved'],
      queryFn: () => asked.push(kind),
      retry: false,
    }).subscribe(() => undefined),
  )
  await vi.waitFor(() => expect([asked.length, queries.isFetching()]).toEqual([3, 0]))
  asked.length = 0
  await reread(queries, 'editor', 'moved', 'layout')
  expect(asked).toEqual(['layout'])
  await reread(queries, 'editor', 'moved')
  expect(asked.toSorted()).toEqual(['graph', 'history', 'layout', 'layout'])
  for (const each of leave) each()
})
