// What a person types for a sweep.
import { expect, it } from 'vitest'
import { seedsFrom, valuesOf } from './sweep-input.ts'

it('counts seeds from the present one, within the limit of a sweep', () => {
  expect(seedsFrom(42, 3)).toEqual([42, 43, 44])
  expect(seedsFrom(1, 0)).toEqual([])
  expect(seedsFrom(1, 1000)).toHaveLength(64)
})

it.each([
  ['0.1, 0.5 ,2', 'double', [0.1, 0.5, 2]],
  ['1, 2', 'int', [1, 2]],
  ['1.5', 'int', null],
  ['a', 'float', null],
  ['true, false', 'bool', [true, false]],
  ['yes', 'bool', null],
  ['Oak, Fir', 'string', ['Oak', 'Fir']],
  [' , ', 'double', []],
])('reads %j of a %s as %j', (text, type, values) => {
  expect(valuesOf(text, type)).toEqual(values)
})
