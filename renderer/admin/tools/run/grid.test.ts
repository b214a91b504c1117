// Which answers can be read as a table.
import { describe, expect, it } from 'vitest'
import { gridOf } from './grid.ts'

describe('an answer as a table', () => {
  it('is none for what is no list of records', () => {
    for (const value of [null, 1, 'a', {}, [], [1, 2], [{ a: 1 }, 2], { a: [1], b: [{ c: 1 }] }])
      expect(gridOf(value)).toBeUndefined()
  })

  it('has a column for every field of any record', () => {
    expect(gridOf([{ a: 1 }, { b: 2, a: 3 }])).toEqual({ columns: ['a', 'b'], rows: [{ a: 1 }, { b: 2, a: 3 }] })
  })

  it('finds the one list in a record, as pages of APIs have it', () => {
    expect(gridOf({ total: 1, items: [{ id: 7 }] })?.rows).toEqual([{ id: 7 }])
  })
})
