// The changed fields of an entry, including added and removed ones.
import { expect, it } from 'vitest'
import { fieldsOf } from './changed-fields.ts'

it('lists changed, added and removed fields', () => {
  expect(fieldsOf({ a: 1, b: 'x', same: [1], gone: null }, { a: 2, b: 'x', same: [1], made: { deep: true } })).toEqual([
    { name: 'a', was: '1', is: '2' },
    { name: 'gone', was: 'null', is: undefined },
    { name: 'made', was: undefined, is: '{\n  "deep": true\n}' },
  ])
  expect(fieldsOf({}, {})).toEqual([])
})
