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
  it('grows page by page into arrays that have room for all rows', () => {
    const part = withPage(emptySheet(first), first)
    expect([part.loaded, part.total]).toEqual([2, 3])
    const whole = withPage(part, second)
    expect(whole.loaded).toBe(3)
    expect([...(numbersOf(whole, '$Position.Z') ?? [])]).toEqual([3, 6, 9])
    expect(whole.columns.get('Kind')?.values).toEqual(['oak', 'pine', 'oak'])
    expect(numbersOf(whole, 'Kind')).toBeUndefined()
  })

  it('is filtered by a column or by a word, and says when there is no such column', () => {
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

it('a column is compared with what it held in the run before', () => {
  expect(changeOf(summary('X', 2), [summary('X', 1.5)])).toBe('mean +0.5')
  expect(changeOf(summary('X', 1), [summary('X', 1.25)])).toBe('mean −0.25')
  expect(changeOf(summary('X', 1), [summary('X', 1)])).toBeNull()
  expect(changeOf(summary('Y', 1), [summary('X', 1)])).toBe('new')
  expect(changeOf(summary('Y', 1), null)).toBeNull()
})
