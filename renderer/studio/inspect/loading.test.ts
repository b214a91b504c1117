import { expect, it, vi } from 'vitest'
import { createLoader, PAGE_ROWS } from './loading.ts'
import { bytesOf, type DataPage, MOST_BYTES, numbersOf, roomOf } from './sheet.ts'

const WHAT = { editor: 'pcg', actor: 'A', node: 'N', pin: 'Out', dataIndex: 0 }
const TOTAL = PAGE_ROWS * 4 + 5

function pageFrom(offset: number, total = TOTAL): DataPage {
  return {
    actor_name: 'A',
    node_name: 'N',
    pin: 'Out',
    data_count: 1,
    data_index: 0,
    data_class: 'PCGPointData',
    tags: [],
    row_count: total,
    columns: [{ name: '$Density', type: 'Float', min: 0, max: 1, mean: 0.5, histogram: [] }],
    rows: Array.from({ length: Math.min(PAGE_ROWS, total - offset) }, (_none, at) => ({ $Density: offset + at })),
  }
}

it('prefetches the next page, reads up to the limit, and redraws only after large growth', async () => {
  const asked: number[] = []
  const loader = createLoader(WHAT, 0, async (offset, every = 1) => {
    if (every === 1) asked.push(offset)
    return pageFrom(offset)
  })
  const sheets = new Set<unknown>()
  loader.state.subscribe(({ sheet }) => sheets.add(sheet))
  loader.start()
  await vi.waitUntil(() => !loader.state.getState().busy, 20_000)
  expect([loader.state.getState().sheet?.loaded, asked]).toEqual([PAGE_ROWS, [0]])
  loader.more(TOTAL)
  await vi.waitUntil(() => !loader.state.getState().busy, 20_000)
  const { sheet, read, error } = loader.state.getState()
  expect([sheet?.loaded, read, error]).toEqual([TOTAL, TOTAL, null])
  expect(asked).toEqual([0, 1, 2, 3, 4].map((page) => page * PAGE_ROWS))
  expect(sheet && numbersOf(sheet, '$Density')?.every((value, row) => value === row)).toBe(true)
  // Of 1, 2, 3, 4 and all pages, only 4 is four times the shown size; the last page is always shown.
  expect([...sheets].filter(Boolean)).toHaveLength(3)
})

it('stops with the loaded rows and resumes from there; late answers are ignored', async () => {
  const held = Promise.withResolvers<void>()
  const asked: number[] = []
  const loader = createLoader({ ...WHAT, node: 'Stopped' }, 0, async (offset) => {
    asked.push(offset)
    if (asked.length === 4) await held.promise
    return pageFrom(offset)
  })
  loader.more(TOTAL)
  await vi.waitUntil(() => asked.length === 4, 20_000)
  loader.stop()
  expect(loader.state.getState()).toMatchObject({ busy: false, read: PAGE_ROWS * 3, sheet: { loaded: PAGE_ROWS * 3 } })
  held.resolve()
  loader.more(TOTAL)
  await vi.waitUntil(() => !loader.state.getState().busy, 20_000)
  expect(loader.state.getState().sheet?.loaded).toBe(TOTAL)
  expect(asked.slice(3)).toEqual([3, 3, 4].map((page) => page * PAGE_ROWS))
})

it('reports a failed page and keeps the loaded rows', async () => {
  const loader = createLoader({ ...WHAT, node: 'Failing' }, 0, async (offset) => {
    if (offset > 0) throw new Error('gone')
    return pageFrom(offset)
  })
  loader.start()
  await vi.waitUntil(() => !loader.state.getState().busy, 20_000)
  loader.more(TOTAL)
  await vi.waitUntil(() => !loader.state.getState().busy, 20_000)
  expect(loader.state.getState()).toMatchObject({ error: new Error('gone'), sheet: { loaded: PAGE_ROWS } })
})

it('reads no more rows than the browser can hold', async () => {
  const many = 1_000_000_000
  const page = { ...pageFrom(0), row_count: many, rows: [{ Name: 'oak' }] }
  const loader = createLoader({ ...WHAT, node: 'Many' }, 0, async () => page)
  loader.start()
  await vi.waitUntil(() => loader.state.getState().sheet !== null, 20_000)
  loader.stop()
  const { sheet } = loader.state.getState()
  if (!sheet) throw new Error('nothing has come')
  expect(bytesOf(sheet)).toBeGreaterThan(MOST_BYTES)
  expect(roomOf(sheet) * (bytesOf(sheet) / many)).toBeLessThanOrEqual(MOST_BYTES)
})

it('draws a sample from all over the data while not all rows are loaded', async () => {
  const asked: unknown[] = []
  const loader = createLoader({ ...WHAT, node: 'Sampled' }, 0, async (offset, every = 1) => {
    asked.push([offset, every])
    return pageFrom(offset)
  })
  loader.start()
  await vi.waitUntil(() => !loader.state.getState().busy, 20_000)
  expect(asked).toEqual([
    [0, 1],
    [0, 5],
  ])
  expect(loader.state.getState().sample?.total).toBe(PAGE_ROWS)
  loader.more(TOTAL)
  await vi.waitUntil(() => !loader.state.getState().busy, 20_000)
  expect(loader.state.getState().sample).toBeNull()
})
