import { describe, expect, it } from 'vitest'
import { changeOf, type DataPage, emptySheet, filteredRows, filterProblem, numbersOf, withPage } from './sheet.ts'

const summary = (name: string, mean: number | null = null) => ({
  name,
  type: 'Double',
  min: 0,
  max: 1,
  mean,
  histogram: [],
})
const page = (rows: DataPage['rows'], total: number): DataPage => ({
  actor_name: 'A',
  node_name: 'N',
  pin: 'Out',
  data_count: 1,
  data_index: 0,
  data_class: 'PCGPointData',
  tags: [],
  row_count: total,
  columns: [summary('$Density'), summary('$Position.X'), { ...summary('Kind'), type: 'String' }],
  rows,
})
const first = page(
  [
    { $Density: 0.2, $Position: [1, 2, 3], Kind: 'oak' },
    { $Density: 0.8, $Position: [4, 5, 6], Kind: 'pine' },
  ],
  3,
)
const second = page([{ $Density: 0.5, $Position: [7, 8, 9], Kind: 'oak' }], 3)

describe('a sheet', () => {
  it('grows page by page into preallocated arrays', () => {
    const part = withPage(emptySheet(first), first)
    expect([part.loaded, part.total]).toEqual([2, 3])
    const whole = withPage(part, second)
    expect(whole.loaded).toBe(3)
    expect([...(numbersOf(whole, '$Position.Z') ?? [])]).toEqual([3, 6, 9])
    expect(whole.columns.get('Kind')?.values).toEqual(['oak', 'pine', 'oak'])
    expect(numbersOf(whole, 'Kind')).toBeUndefined()
  })

  it('reads packed pages like rows, expands shared values, and rejects incomplete pages', () => {
    const bytes = (numbers: Float64Array | Float32Array | Int32Array): string =>
      Buffer.from(numbers.buffer).toString('base64')
    const column = { width: 1, shared: false, form: 'float64' as const, numbers: '', texts: [] as string[] }
    const columns = [
      { ...column, name: '$Density', form: 'float32' as const, numbers: bytes(Float32Array.of(0.25, 0.75)) },
      { ...column, name: '$Position', width: 3, numbers: bytes(Float64Array.of(1, 2, 3, 4, 5, 6)) },
      { ...column, name: '$Scale', width: 3, shared: true, numbers: bytes(Float64Array.of(1, 1, 2)) },
      { ...column, name: '$Seed', form: 'int32' as const, numbers: bytes(Int32Array.of(-7, 7)) },
      { ...column, name: 'Kind', width: 0, form: 'text' as const, texts: ['oak', 'pine'] },
      { ...column, name: 'Level', width: 0, shared: true, form: 'text' as const, texts: ['Main'] },
    ]
    const packed = { ...page([], 3), packed: { row_count: 2, columns } }
    const last = {
      ...page([{ $Density: 1, $Position: [7, 8, 9], $Scale: [3, 3, 3], $Seed: 1, Kind: 'ash', Level: 'Top' }], 3),
    }
    const sheet = withPage(withPage(emptySheet(packed), packed), last)
    expect(sheet.loaded).toBe(3)
    const held = Object.fromEntries([...sheet.columns].map(([name, { values }]) => [name, [...values]]))
    expect(held).toEqual({
      $Density: [0.25, 0.75, 1],
      '$Position.X': [1, 4, 7],
      '$Position.Y': [2, 5, 8],
      '$Position.Z': [3, 6, 9],
      '$Scale.X': [1, 1, 3],
      '$Scale.Y': [1, 1, 3],
      '$Scale.Z': [2, 2, 3],
      $Seed: [-7, 7, 1],
      Kind: ['oak', 'pine', 'ash'],
      Level: ['Main', 'Main', 'Top'],
    })
    const short = { ...packed, packed: { row_count: 3, columns } }
    expect(() => withPage(emptySheet(short), short)).toThrow('The rows of $Density arrived damaged')
  })

  it('filters by a column or a word, and reports an unknown column', () => {
    const sheet = withPage(withPage(emptySheet(first), first), second)
    expect(filteredRows(sheet, '$Density > 0.4')).toEqual([1, 2])
    expect(filteredRows(sheet, 'Kind = oak')).toEqual([0, 2])
    expect(filteredRows(sheet, 'Kind != oak')).toEqual([1])
    expect(filteredRows(sheet, 'PIN')).toEqual([1])
    expect(filteredRows(sheet, '')).toEqual([0, 1, 2])
    expect(filterProblem(sheet, 'Height > 1')).toBe('There is no column Height')
    expect(filteredRows(sheet, 'Height > 1')).toEqual([])
    expect(filterProblem(sheet, 'oak')).toBeNull()
  })
})

it('compares a column with the previous run', () => {
  expect(changeOf(summary('X', 2), [summary('X', 1.5)])).toBe('mean +0.5')
  expect(changeOf(summary('X', 1), [summary('X', 1.25)])).toBe('mean −0.25')
  expect(changeOf(summary('X', 1), [summary('X', 1)])).toBeNull()
  expect(changeOf(summary('Y', 1), [summary('X', 1)])).toBe('new')
  expect(changeOf(summary('Y', 1), null)).toBeNull()
})
