// The page after a sign-in, never outside this app.
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

  it('returns with the filters', () => {
    expect(safeNext('/audit-log?actor=ada&action=user.')).toEqual({
      href: '/audit-log?actor=ada&action=user.',
      path: '/audit-log',
      search: { actor: 'ada', action: 'user.' },
    })
  })

  it('explains every failure of single sign-on', () => {
    expect(ssoProblem(undefined)).toBeUndefined()
    expect(ssoProblem('denied')).toContain('refused')
    expect(ssoProblem('something new')).toContain('failed')
  })
})
