// Redaction by path: what each kind of segment matches, and that cost is linear in the value.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redaction } from './redact.ts'

const R = '[REDACTED]'
const apply = (paths: readonly string[], value: unknown): unknown => redaction(paths)?.(value)

describe('redaction', () => {
  it.each([
    ['a', { a: 1, b: 2 }, { a: R, b: 2 }],
    ['a.b', { a: { b: { c: 1 }, d: 2 } }, { a: { b: R, d: 2 } }],
    ['a.b', { a: [{ b: 1 }, { b: 2, c: 3 }] }, { a: [{ b: R }, { b: R, c: 3 }] }],
    ['a', [{ a: 1 }, { b: 2 }], [{ a: R }, { b: 2 }]],
    ['a.1', { a: ['x', 'y'] }, { a: ['x', R] }],
    ['a.1', { a: { 1: 'x' } }, { a: { 1: R } }],
    ['*.p', { x: { p: 1 }, y: { p: 2 } }, { x: { p: R }, y: { p: R } }],
    ['a.*', { a: [1, 2], b: 3 }, { a: [R, R], b: 3 }],
    ['**.p', { p: 1, x: [{ y: { p: 2 } }] }, { p: R, x: [{ y: { p: R } }] }],
    ['a.**.p', { p: 1, a: { p: 2, b: { p: 3 } } }, { p: 1, a: { p: R, b: { p: R } } }],
    ['a.**', { a: { b: 1 }, c: 2 }, { a: R, c: 2 }],
    ['**', { a: 1 }, R],
  ])('%s [ct.8.4.redact]', (path, value, expected) => {
    expect(apply([path], value)).toEqual(expected)
  })

  it('several paths are applied together', () => {
    expect(apply(['a', 'b.c', '**.d'], { a: 1, b: { c: 2, d: 3 } })).toEqual({ a: R, b: { c: R, d: R } })
  })

  it('is off without paths', () => {
    expect([redaction(undefined), redaction([])]).toEqual([undefined, undefined])
  })

  it.each([['toString'], ['__proto__'], ['constructor.prototype'], ['none.at.all']])(
    'a path that leads nowhere, %s, leaves the value itself',
    (path) => {
      const value = { a: [{ b: 1 }] }
      expect(apply([path], value)).toBe(value)
    },
  )

  it('many ** in deep values finish quickly', () => {
    const deep = JSON.parse('{"a":'.repeat(31) + '1' + '}'.repeat(31)) as unknown
    const path = Array.from({ length: 16 }, () => '**.a').join('.')
    expect(JSON.stringify(apply([path, `${path}.b`], deep))).toContain(R)
  })

  it('a named key is removed from any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const found = JSON.stringify(apply(['**.secret'], { secret: value, inner: [{ secret: value }] }))
        expect(found).toBe(`{"secret":"${R}","inner":[{"secret":"${R}"}]}`)
      }),
    )
  })
})
