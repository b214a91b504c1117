// The re-read that a gesture waits for, with concurrent reads of other components.
import { notifyManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import type { PcgChange } from '#contract'
import { reread, staleBy } from './queries.ts'

it('ends when the touched state was read, even if an event restarted the query', async () => {
  const queries = new QueryClient()
  const answers: (() => void)[] = []
  let asked = 0
  const queryKey = ['pcg', 'editor', 'graph', 'of the gesture']
  const canvas = new QueryObserver(queries, {
    queryKey,
    queryFn: () => new Promise<number>((resolve) => void answers.push(() => resolve(++asked))),
  })
  let shown: number | undefined
  // In a separate task, as React notifies.
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
  const reading = reread(queries, 'editor', 'of the gesture', { edits: true, layout: true }).then(() => {
    over = true
  })
  // Its own event arrives during the request, whose answer is then discarded.
  void queries.invalidateQueries({ queryKey })
  await answer()
  expect([over, canvas.getCurrentResult().data]).toEqual([false, 1])
  answers.shift()?.()
  await reading
  expect([canvas.getCurrentResult().data, shown]).toEqual([3, 3])
  leave()
})

it('re-reads only what was touched, and not what the save already returned', async () => {
  const queries = new QueryClient()
  const asked: string[] = []
  const leave = ['graph', 'layout', 'history'].map((kind) =>
    new QueryObserver(queries, {
      queryKey: ['pcg', 'editor', kind, 'touched'],
      queryFn: () => asked.push(kind),
      retry: false,
    }).subscribe(() => undefined),
  )
  await vi.waitFor(() => expect([asked.length, queries.isFetching()]).toEqual([3, 0]))
  const readAfter = async (edits: boolean, layout: boolean): Promise<readonly string[]> => {
    asked.length = 0
    await reread(queries, 'editor', 'touched', { edits, layout })
    return asked.toSorted()
  }
  expect(await readAfter(false, false)).toEqual([])
  expect(await readAfter(false, true)).toEqual(['layout'])
  expect(await readAfter(true, false)).toEqual(['graph', 'history'])
  expect(await readAfter(true, true)).toEqual(['graph', 'history', 'layout'])
  for (const each of leave) each()
})

describe('an event of the open graph', () => {
  const at = { at: '', editor: 'pcg', type: 'graph.changed', graph: '/Game/G' } as const
  const change: PcgChange = {
    id: 1,
    at: '',
    actor: 'colleague',
    source: 'ui',
    batchId: 'a batch',
    label: null,
    tool: 'add_pcg_node',
    args: {},
    graph: at.graph,
    undoable: true,
    undone: false,
    requestId: null,
  }
  const own = { owns: () => true, layoutRevision: () => 5 }
  const read = (...given: Parameters<typeof staleBy>) => staleBy(...given).map(([, kind]) => kind)

  it('re-reads the graph, unless the gesture that made the change does', () => {
    expect(read({ ...at, change })).toEqual(expect.arrayContaining(['graph', 'layout', 'history', 'versions']))
    expect(read({ ...at, change }, own)).toEqual(['versions', 'graphs'])
    expect(read({ ...at, change: null }, own)).toContain('graph')
  })

  it('re-reads only the layout when another user saved only the layout', () => {
    const saved = (layoutRevision: number) => ({ ...at, change: null, layoutRevision })
    expect(read(saved(6))).toEqual(['layout'])
    expect(read(saved(6), own)).toEqual(['layout'])
    expect(read(saved(5), own)).toEqual([])
  })
})
