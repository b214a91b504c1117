// A session is one client's: who has which, and which one goes when there are many.
import { expect, it } from 'vitest'
import { createSlots, type Slot } from './slots.ts'

const who = (key: string) => ({ key, capabilities: {} })

it('gives each client its own, the same one every time, and ourselves another', () => {
  const slots = createSlots<string>(100, () => undefined)
  const given = ['a', 'b', 'c'].map((key) => slots.of(who(key)))
  expect(new Set([...given, slots.of(undefined)]).size).toBe(4)
  expect(['a', 'b', 'c'].map((key) => slots.of(who(key)))).toEqual(given)
  expect(slots.drop('a')).toBe(given[0])
  expect(slots.get('a')).toBeUndefined()
  expect(slots.of(who('a'))).not.toBe(given[0])
})

it('lets go of the one that was idle for longest, never of one in use', () => {
  const left: string[] = []
  const slots = createSlots<string>(3, ({ conversation }: Slot<string>) => left.push(conversation.key))
  slots.of(who('busy')).busy += 1
  slots.of(who('old'))
  slots.of(who('used'))
  slots.of(who('old'))
  slots.of(who('new'))
  expect(left).toEqual(['used'])
  expect(slots.all()).toHaveLength(3)
  for (let n = 0; n < 1_000; n += 1) slots.of(who(`k${n}`))
  expect(slots.all()).toHaveLength(3)
  expect(slots.get('busy')).toBeDefined()
})
