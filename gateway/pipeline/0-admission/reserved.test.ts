// The reserved arguments: what counts as given, and that nothing of them is passed on.
import { describe, expect, it } from 'vitest'
import { argumentsWithoutReserved, reservedOf, schemaWithoutReserved } from './reserved.ts'

describe('reserved arguments', () => {
  it.each(['true', 1, 'yes', {}, null])('%j confirms nothing [ct.5.7.confirm]', (confirm) => {
    expect(reservedOf({ __confirm: confirm }, null).confirm).toBe(false)
  })

  it.each(['0', '-1', '1.5', '01', 'x', 0, -1, 1.5, 2 ** 53, '9007199254740993', true, null])(
    '%j is no ticket',
    (ticket) => {
      expect(reservedOf({ __approval_id: ticket }, null).approvalId).toBeNull()
    },
  )

  it('a ticket is an integer or its decimal text [ct.5.7.approval]', () => {
    expect([12, '12'].map((ticket) => reservedOf({ __approval_id: ticket }, null).approvalId)).toEqual([12, 12])
  })

  it.each(['', 'x'.repeat(257), 5, null])('%j is no end user', (user) => {
    expect(reservedOf({ __end_user: user }, null).endUser).toBeNull()
  })

  it('the header stands over the argument', () => {
    expect(reservedOf({ __end_user: 'argument' }, 'header').endUser).toBe('header')
    expect(reservedOf({}, 'header').endUser).toBe('header')
    expect(reservedOf({ __end_user: 'argument' }, null).endUser).toBe('argument')
  })

  it('they are taken out, and what remains is untouched [ct.5.7.removed]', () => {
    expect(argumentsWithoutReserved({ a: 1, __confirm: true, __approval_id: 1, __end_user: 'x' })).toEqual({ a: 1 })
    const args = { a: 1 }
    expect(argumentsWithoutReserved(args)).toBe(args)
  })

  it('a schema that declares or requires them no longer does', () => {
    const schema = { properties: { __confirm: {}, a: {} }, required: ['__approval_id', 'a'] }
    expect(schemaWithoutReserved(schema)).toEqual({ properties: { a: {} }, required: ['a'] })
    const plain = { properties: { a: {} } }
    expect(schemaWithoutReserved(plain)).toBe(plain)
  })
})
