import { describe, expect, it } from 'vitest'
import { createWorkerRun } from '../worker-run.ts'
import { createKeeper, type Held } from './capture.ts'
import { graphOf, planOf } from './graph.fixture.ts'
import { each, pointsOf } from './points.ts'

const wanted = { generation: 1, node: 'Grid', pin: undefined, dataIndex: 0, offset: 0, limit: 2, packed: false }
const heldOf = (count: number): Held => {
  const points = pointsOf(count, {
    position: each(
      Float64Array.from({ length: count * 3 }, (_none, at) => at),
      3,
    ),
  })
  return new Map([['Out', [{ data: { kind: 'Point', points }, pin: 'Out', tags: [] }]]])
}

describe('what is kept for the next page', () => {
  it('answers no other generation, no other node, and nothing once it is dropped', () => {
    const keeper = createKeeper(10_000)
    expect(keeper.page(wanted)).toBeNull()
    keeper.keep(wanted, heldOf(5))
    const first = keeper.page(wanted)
    expect(first?.rows.map((row) => row['$Position'])).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ])
    const next = keeper.page({ ...wanted, offset: 4 })
    expect(next?.rows).toHaveLength(1)
    // Over all rows, and so the same for every page.
    expect(next?.columns).toBe(first?.columns)
    expect(keeper.page({ ...wanted, pin: 'Gone' })).toMatchObject({ dataCount: 0, columns: [], rows: [] })
    expect(keeper.page({ ...wanted, generation: 2 })).toBeNull()
    expect(keeper.page({ ...wanted, node: 'Other' })).toBeNull()
    keeper.drop()
    expect(keeper.page(wanted)).toBeNull()
  })

  it('is a sample over all rows where every n-th is asked for', () => {
    const keeper = createKeeper(10_000)
    keeper.keep(wanted, heldOf(7))
    const sample = { ...wanted, offset: 1, every: 3, limit: 10 }
    const rows = keeper.page(sample)?.rows.map((row) => row['$Position'])
    expect(rows).toEqual([
      [3, 4, 5],
      [12, 13, 14],
    ])
    const packed = keeper.page({ ...sample, packed: true })?.packed
    const numbers = packed?.columns.find(({ name }) => name === '$Position')?.numbers ?? ''
    expect(packed?.rows).toBe(2)
    expect([...new Float64Array(new Uint8Array(Buffer.from(numbers, 'base64')).buffer)]).toEqual([3, 4, 5, 12, 13, 14])
  })

  it('is packed column by column where that is asked for: the bytes of its rows, and once what all rows share', () => {
    const keeper = createKeeper(10_000)
    keeper.keep(wanted, heldOf(5))
    const page = keeper.page({ ...wanted, offset: 3, packed: true })
    expect([page?.rows, page?.packed?.rows, page?.rowCount]).toEqual([[], 2, 5])
    const column = (name: string) => page?.packed?.columns.find((each) => each.name === name)
    const bytes = (numbers = ''): Buffer => Buffer.from(numbers, 'base64')
    const position = column('$Position')
    expect(position).toMatchObject({ width: 3, shared: false, form: 'float64' })
    expect([0, 1, 2, 3, 4, 5].map((at) => bytes(position?.numbers).readDoubleLE(at * 8))).toEqual([
      9, 10, 11, 12, 13, 14,
    ])
    const density = column('$Density')
    expect(density).toMatchObject({ width: 1, shared: true, form: 'float32' })
    expect([bytes(density?.numbers).length, bytes(density?.numbers).readFloatLE()]).toEqual([4, 1])
    expect(keeper.page({ ...wanted, offset: 9, packed: true })?.packed?.rows).toBe(0)
  })

  it('is no more than its bound: what is larger is not kept, and lets go of what was', () => {
    const keeper = createKeeper(2_000)
    keeper.keep(wanted, heldOf(5))
    expect(keeper.page(wanted)?.rowCount).toBe(5)
    keeper.keep(wanted, heldOf(100))
    expect(keeper.page(wanted)).toBeNull()
  })
})

it('pages of one generation are run for once; the next generation, another node and a drop run again', async () => {
  const graph = graphOf(
    {
      Grid: ['PCGCreatePointsGridSettings', { GridExtents: [100, 100, 50], CellSize: [50, 50, 50] }],
      After: ['PCGDensityFilterSettings'],
    },
    ['Grid.Out > After.In'],
  )
  const worker = createWorkerRun()
  const look = async (capture: Partial<typeof wanted> & { readonly generation: number }) => {
    // Of a short run one node at least is reported, not each.
    let ran = false
    const job = { plan: planOf(graph), limits: { maxPoints: 1_000 }, capture: { ...wanted, ...capture } }
    const { page } = await worker.run(job, () => {
      ran = true
    }).result
    return { ran, page }
  }
  const first = await look({ generation: 1 })
  expect(first.page?.rows).toHaveLength(2)
  const whole = await look({ generation: 1, limit: 10_000 })
  expect(whole.page?.rows.slice(0, 2)).toEqual(first.page?.rows)
  expect([first.ran, whole.ran]).toEqual([true, false])
  expect((await look({ generation: 2 })).ran).toBe(true)
  expect((await look({ generation: 2, node: 'After' })).ran).toBe(true)
  worker.drop()
  expect((await look({ generation: 2, node: 'After' })).ran).toBe(true)
  expect((await look({ generation: 2, node: 'Missing' })).page).toBeNull()
  await worker.close()
})
