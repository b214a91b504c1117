// Who may approve a script.
import { describe, expect, it } from 'vitest'
import type { Actor } from '#contract'
import { requireReviewer } from './script-review.ts'

const actor = (kind: Actor['kind'], name = 'ann'): Actor => ({ name, kind, role: 'admin', teamId: null })
const codeOf = (work: () => void): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

describe('a script', () => {
  it.each(['key', 'system'] as const)(
    'is not approved by an actor of the kind %s, also with the role of an administrator',
    (kind) => {
      for (const twoPersons of [false, true])
        expect(codeOf(() => requireReviewer(actor(kind), 'bob', twoPersons))).toMatchObject({ code: 'NOT_AN_APPROVER' })
    },
  )

  it('is approved by its author unless two persons are required', () => {
    for (const kind of ['session', 'bearer', 'desktop'] as const) {
      expect(codeOf(() => requireReviewer(actor(kind), 'ann', false))).toBeUndefined()
      expect(codeOf(() => requireReviewer(actor(kind), 'ann', true))).toMatchObject({ code: 'SELF_APPROVAL' })
      expect(codeOf(() => requireReviewer(actor(kind), 'bob', true))).toBeUndefined()
    }
    // Without sign-in there are no two persons to tell apart.
    expect(codeOf(() => requireReviewer(actor('disabled'), 'ann', true))).toBeUndefined()
  })
})
