// Sessions are few, keys are many: who shares with whom.
import { expect, it } from 'vitest'
import { createSlots } from './slots.ts'

it('keeps a key to its slot, opens new ones while there is room, and then shares evenly', () => {
  const slots = createSlots<string>(3)
  const keys = Array.from({ length: 30 }, (_, n) => `k${n}`)
  const given = keys.map((key) => slots.of(key))
  expect(slots.all()).toHaveLength(3)
  expect(slots.all().map(({ keys }) => keys)).toEqual([10, 10, 10])
  expect(keys.map((key) => slots.of(key))).toEqual(given)
})

it('gives whoever has no key the first, without counting it', () => {
  const slots = createSlots<string>(3)
  expect(slots.of(undefined)).toBe(slots.all()[0])
  expect(slots.all().map(({ keys }) => keys)).toEqual([0])
})

it('forgets the oldest keys instead of growing without end', () => {
  const slots = createSlots<string>(2)
  for (let n = 0; n < 25_000; n += 1) slots.of(`k${n}`)
  expect(slots.all().reduce((sum, { keys }) => sum + keys, 0)).toBe(10_000)
})
