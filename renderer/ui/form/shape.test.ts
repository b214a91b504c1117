// What the form makes of the schemas that other forms stumble over.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { branchOf, shapeOf } from './shape.ts'

describe('the shape of a schema', () => {
  it('is JSON where it cannot be known, and never an error', () => {
    for (const schema of [
      undefined,
      null,
      true,
      7,
      'x',
      [],
      {},
      { $ref: 'https://elsewhere.example/x' },
      { $ref: '#/nowhere' },
    ])
      expect(shapeOf(schema).kind).toBe('json')
    fc.assert(fc.property(fc.jsonValue(), (schema) => typeof shapeOf(schema).kind === 'string'))
  })

  it('ends a cycle in JSON', () => {
    const root = {
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    }
    let shape = shapeOf(root)
    for (let depth = 0; shape.kind === 'record' && depth < 50; depth += 1) shape = shape.fields[0]?.shape ?? shape
    expect(shape.kind).toBe('json')
    expect(shapeOf({ $ref: '#/a', a: { $ref: '#/b' }, b: { $ref: '#/a' } }).kind).toBe('json')
  })

  it('follows references, escaped ones too', () => {
    expect(shapeOf({ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'boolean' } }, description: 'mine' })).toMatchObject(
      {
        kind: 'flag',
        description: 'mine',
      },
    )
  })

  it('shows the fields of a union at the root', () => {
    const shape = shapeOf({
      type: 'object',
      properties: { id: { type: 'string' } },
      oneOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { $ref: '#/$defs/b' }],
      $defs: { b: { type: 'object', properties: { b: { type: 'integer' } } } },
    })
    if (shape.kind !== 'union') throw new Error(shape.kind)
    expect(
      shape.branches.map((branch) => (branch.kind === 'record' ? branch.fields.map(({ name }) => name) : [])),
    ).toEqual([['a'], ['id', 'b']])
  })

  it('distinguishes a nullable value from a union', () => {
    expect(shapeOf({ type: ['string', 'null'] })).toMatchObject({ kind: 'text', nullable: true })
    expect(shapeOf({ anyOf: [{ type: 'integer' }, { type: 'null' }] })).toMatchObject({
      kind: 'number',
      nullable: true,
    })
    expect(shapeOf({ enum: ['a', null] })).toMatchObject({ kind: 'choice', options: ['a'], nullable: true })
    expect(shapeOf({ type: ['string', 'integer'] })).toMatchObject({ kind: 'union' })
  })

  it('makes one choice of constants', () => {
    expect(shapeOf({ oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] })).toMatchObject({
      kind: 'choice',
      options: ['a', 'b'],
    })
  })

  it('puts allOf together, and what is required first', () => {
    const shape = shapeOf({
      allOf: [
        { type: 'object', properties: { z: { type: 'string' } } },
        { properties: { a: { type: 'number', minimum: 1 } }, required: ['a'] },
      ],
    })
    if (shape.kind !== 'record') throw new Error(shape.kind)
    expect(shape.fields.map(({ name, required }) => [name, required])).toEqual([
      ['a', true],
      ['z', false],
    ])
  })

  it('finds the branch a value is of', () => {
    const { branches } = shapeOf({
      oneOf: [{ type: 'string' }, { type: 'object', properties: { a: {} }, required: ['a'] }],
    }) as {
      branches: Parameters<typeof branchOf>[0]
    }
    expect(branchOf(branches, { a: 1 })).toBe(1)
    expect(branchOf(branches, 'x')).toBe(0)
    expect(branchOf(branches, undefined)).toBe(0)
  })
})
