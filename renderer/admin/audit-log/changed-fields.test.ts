// What an entry changed: only what differs, the new and the gone included.
import { expect, it } from 'vitest'
import { fieldsOf } from './changed-fields.ts'

it('tells what differs, what is new and what is gone', () => {
  expect(fieldsOf({ a: 1, b: 'x', same: [1], gone: null }, { a: 2, b: 'x', same: [1], made: { deep: true } })).toEqual([
    { name: 'a', was: '1', is: '2' },
    { name: 'gone', was: 'null', is: undefined },
    { name: 'made', was: undefined, is: '{\n  "deep": true\n}' },
  ])
  expect(fieldsOf({}, {})).toEqual([])
})
