// Which responses can be shown as a table.
import { describe, expect, it } from 'vitest'
import { gridOf } from './grid.ts'

describe('an answer as a table', () => {
  it('is not available for other values than lists of records', () => {
    for (const value of [null, 1, 'a', {}, [], [1, 2], [{ a: 1 }, 2], { a: [1], b: [{ c: 1 }] }])
      expect(gridOf(value)).toBeUndefined()
  })

  it('has a column for every field of all records', () => {
    expect(gridOf([{ a: 1 }, { b: 2, a: 3 }])).toEqual({ columns: ['a', 'b'], rows: [{ a: 1 }, { b: 2, a: 3 }] })
  })

  it('finds the only list in a record, as in API pages', () => {
    expect(gridOf({ total: 1, items: [{ id: 7 }] })?.rows).toEqual([{ id: 7 }])
  })
})
