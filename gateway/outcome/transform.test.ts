// Ops over JSON: what each does, what it leaves alone, and that no set of them makes more than may be handed on.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Op, Transform } from '../contract/admin/shaping-features.ts'
import { Overgrown, transformation } from './transform.ts'

const apply = (ops: readonly Op[], value: unknown, most = 10_000): unknown =>
  transformation(Transform.parse({ response: ops }).response, most)?.(value)

describe('a transform', () => {
  it.each<[Op, unknown, unknown]>([
    [{ op: 'set', path: 'a', value: 1 }, {}, { a: 1 }],
    [{ op: 'set', path: 'a.b.0', value: 1 }, { c: 2 }, { c: 2, a: { b: [1] } }],
    [{ op: 'set', path: 'a.1', value: 'x' }, { a: ['y', 'z'] }, { a: ['y', 'x'] }],
    [{ op: 'set', path: 'a.2', value: 'x' }, { a: ['y', 'z'] }, { a: ['y', 'z', 'x'] }],
    [{ op: 'set', path: 'a.3', value: 'x' }, { a: ['y', 'z'] }, { a: ['y', 'z'] }],
    [{ op: 'set', path: 'a.b', value: 1 }, { a: 'text' }, { a: 'text' }],
    [{ op: 'set', path: 'a.b', value: 1 }, { a: null }, { a: { b: 1 } }],
    [{ op: 'remove', path: 'a.b' }, { a: { b: 1, c: 2 } }, { a: { c: 2 } }],
    [{ op: 'remove', path: '0' }, ['x', 'y'], ['y']],
    [{ op: 'rename', from: 'a', to: 'b.c' }, { a: 1 }, { b: { c: 1 } }],
    [{ op: 'rename', from: 'a', to: 'a.b' }, { a: 1 }, { a: { b: 1 } }],
    [
      { op: 'rename', from: 'a', to: 'b.c' },
      { a: 1, b: 'text' },
      { a: 1, b: 'text' },
    ],
    [{ op: 'copy', from: 'a', to: 'b' }, { a: { x: 1 } }, { a: { x: 1 }, b: { x: 1 } }],
  ])('%j of %j [ct.8.9.operations]', (op, value, expected) => {
    expect(apply([op], value)).toEqual(expected)
  })

  it('does its ops one after another', () => {
    const ops: Op[] = [
      { op: 'set', path: 'a', value: 1 },
      { op: 'rename', from: 'a', to: 'b' },
    ]
    expect(apply(ops, {})).toEqual({ b: 1 })
  })

  it.each<Op>([
    { op: 'remove', path: 'no.such' },
    { op: 'rename', from: 'list.7', to: 'b' },
    { op: 'copy', from: 'list.first', to: 'b' },
    { op: 'rename', from: 'text.0', to: 'b' },
  ])('%j changes nothing where its source is missing [ct.8.9.missing]', (op) => {
    const value = { list: [1], text: 'x' }
    expect(apply([op], value)).toBe(value)
  })

  it.each(['__proto__', 'a.constructor', 'prototype.b', '', 'a..b', '.a', 'x'.repeat(257)])(
    'does not take the path %j [ct.8.9.prototype]',
    (path) => {
      for (const op of [
        { op: 'set', path, value: 1 },
        { op: 'copy', from: 'a', to: path },
        { op: 'rename', from: path, to: 'a' },
      ])
        expect(Transform.safeParse({ request: [op] }).success).toBe(false)
    },
  )

  it('takes up to fifty ops each way, and no other keys', () => {
    const op: Op = { op: 'remove', path: 'a' }
    const ops = (length: number): Op[] => Array.from({ length }, () => op)
    expect(Transform.safeParse({ request: ops(50), response: ops(50) }).success).toBe(true)
    expect(Transform.safeParse({ response: ops(51) }).success).toBe(false)
    expect(Transform.safeParse({ request: [{ ...op, value: 1 }] }).success).toBe(false)
    expect(Transform.safeParse({ request: [{ op: 'move', path: 'a' }] }).success).toBe(false)
  })

  it('does not let copies of copies grow beyond all bounds', () => {
    const doubling = Array.from({ length: 50 }, (_, at): Op => ({ op: 'copy', from: 'a', to: `a.c${at}` }))
    expect(() => apply(doubling, { a: { x: 1 } })).toThrow(Overgrown)
    const deepening = Array.from({ length: 50 }, (): Op => ({ op: 'rename', from: 'a', to: 'a.b.c.d.e.f.g' }))
    expect(() => apply(deepening, { a: 1 })).toThrow(Overgrown)
  })

  it('never writes into what it is given, nor reaches a prototype', () => {
    const segment = fc.constantFrom('a', 'b', '0', '1', '2', 'toString', 'length')
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((all) => all.join('.'))
    const op = fc.oneof(
      fc.record({ op: fc.constant('set' as const), path, value: fc.constantFrom(0, 'x', null, [1], { a: 1 }) }),
      fc.record({ op: fc.constant('remove' as const), path }),
      fc.record({ op: fc.constantFrom('rename' as const, 'copy' as const), from: path, to: path }),
    )
    const value = fc.jsonValue({ maxDepth: 3 })
    fc.assert(
      fc.property(fc.array(op, { maxLength: 8 }), value, (ops, given) => {
        const before = JSON.stringify(given)
        const after = apply(ops, given)
        expect(JSON.stringify(given)).toBe(before)
        // What comes out is JSON again, with no holes in its lists.
        if (after !== undefined) expect(JSON.parse(JSON.stringify(after))).toEqual(after)
        expect(Object.keys(Object.prototype)).toEqual([])
      }),
    )
  })
})
