import { expect, it } from 'vitest'
import { mapList, mapValues } from './map-values.ts'

const shout = (value: unknown): unknown => (value === 'a' ? 'A' : value)

it('makes nothing new where nothing changes', () => {
  const [record, list] = [{ x: 'b', y: 1 }, ['b', null]]
  expect(mapValues(record, shout)).toBe(record)
  expect(mapList(list, shout)).toBe(list)
})

it('maps every value and leaves what it was given as it is', () => {
  const given = { x: 'b', y: 'a', z: 'a' }
  expect(mapValues(given, shout)).toEqual({ x: 'b', y: 'A', z: 'A' })
  expect(mapList(['b', 'a', 'b', 'a'], shout)).toEqual(['b', 'A', 'b', 'A'])
  expect(given).toEqual({ x: 'b', y: 'a', z: 'a' })
  expect(mapValues({ k: 1 }, (_value, key) => key)).toEqual({ k: 'k' })
})

it('keeps a key of the name of the prototype as a key', () => {
  const mapped = mapValues(JSON.parse('{"__proto__": "a", "x": "b"}') as Record<string, unknown>, shout)
  expect(JSON.stringify(mapped)).toBe('{"__proto__":"A","x":"b"}')
  expect(Object.getPrototypeOf(mapped)).toBe(Object.prototype)
})
