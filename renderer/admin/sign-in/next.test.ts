// Where a sign-in leads: never out of this app.
import { describe, expect, it } from 'vitest'
import { safeNext, ssoProblem } from './next.ts'

describe('after the sign-in', () => {
  it.each([
    undefined,
    '',
    'users',
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/',
    '/login?next=/',
    'javascript:1',
  ])('refuses %s and leads home', (wanted) => expect(safeNext(wanted)).toEqual({ href: '/', path: '/', search: {} }))

  it('comes back with the filters', () => {
    expect(safeNext('/audit-log?actor=ada&action=user.')).toEqual({
      href: '/audit-log?actor=ada&action=user.',
      path: '/audit-log',
      search: { actor: 'ada', action: 'user.' },
    })
  })

  it('says something of every failure of single sign-on', () => {
    expect(ssoProblem(undefined)).toBeUndefined()
    expect(ssoProblem('denied')).toContain('refused')
    expect(ssoProblem('something new')).toContain('failed')
  })
})
