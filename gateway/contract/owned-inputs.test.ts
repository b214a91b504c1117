// The inputs of an owned record: what a creation may leave out, and what a change may not contain.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { ownedInputs } from './owned-inputs.ts'

const { input, change } = ownedInputs(
  { name: z.string(), limit: z.number().nullable(), enabled: z.boolean() },
  { limit: null, enabled: true },
  'name',
)

it('creates with the defaults of what is absent, and refuses what is not a field', () => {
  expect(input.parse({ name: 'a' })).toEqual({ name: 'a', limit: null, enabled: true })
  expect(input.safeParse({ limit: 1 }).success).toBe(false)
  expect(input.safeParse({ name: 'a', more: 1 }).success).toBe(false)
})

it('changes only what is given, never a field that stays', () => {
  expect(change.parse({})).toEqual({})
  expect(change.parse({ limit: null, revision: 3 })).toEqual({ limit: null, revision: 3 })
  expect(change.safeParse({ name: 'b' }).success).toBe(false)
})
