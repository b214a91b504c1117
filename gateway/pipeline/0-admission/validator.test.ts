// Arguments against schemas: what is refused and in which words, what is coerced, defaulted, dropped or left alone.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aTool } from '../pipeline.fixture.ts'
import { createValidator } from './validator.ts'

const check = (schema: Record<string, unknown>, args: Record<string, unknown>, kind = 'rest') =>
  createValidator(aTool('tool', {}, { inputSchema: schema }), kind)(args)
const problems = (schema: Record<string, unknown>, args: Record<string, unknown>, kind = 'rest') => {
  const checked = check(schema, args, kind)
  return checked.ok ? [] : checked.problems
}
const accepted = (schema: Record<string, unknown>, args: Record<string, unknown>, kind = 'rest') => {
  const checked = check(schema, args, kind)
  return checked.ok ? checked.args : checked.problems
}

describe('what is refused', () => {
  it.each([
    ['a missing argument', { required: ['id'] }, {}, 'id is required'],
    ['one missing inside', { properties: { a: { required: ['b'] } } }, { a: {} }, 'a.b is required'],
    ['a wrong type', { properties: { id: { type: 'integer' } } }, { id: 'five' }, 'id must be integer'],
    [
      'a value off the list',
      { properties: { s: { enum: ['up', 'down'] } } },
      { s: 'left' },
      's must be one of "up", "down"',
    ],
    ['another constant', { properties: { v: { const: 1 } } }, { v: 2 }, 'v must be 1'],
    ['too small a number', { properties: { n: { minimum: 1 } } }, { n: 0 }, 'n must be >= 1'],
    ['an element', { properties: { l: { items: { type: 'string' } } } }, { l: ['a', {}] }, 'l.1 must be string'],
    ['a name with a slash', { properties: { 'a/b': { type: 'array' } } }, { 'a/b': 1 }, 'a/b must be array'],
  ])('%s, in words that a model can act on it [ct.5.9.invalid_arguments]', (_what, schema, args, text) => {
    expect(problems({ type: 'object', ...schema }, args)).toEqual([text])
  })

  it('elements that are the same, in time however many there are', () => {
    const unique = { properties: { l: { type: 'array', uniqueItems: true } } }
    expect(
      problems(unique, {
        l: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      }),
    ).toEqual(['l must NOT have duplicate items'])
    expect(problems(unique, { l: [1, '1', true, [1], { 1: 1 }, null] })).toEqual([])
    // Compared with one another, these are two thousand million comparisons.
    expect(problems(unique, { l: Array.from({ length: 60_000 }, (_, at) => ({ at })) })).toEqual([])
  })

  it('names five problems at most', () => {
    const required = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    expect(problems({ type: 'object', required }, {})).toHaveLength(5)
  })

  it('an argument the upstream forbids, only where it reaches one [ct.5.13.undeclared]', () => {
    const closed = { type: 'object', properties: { a: {} }, additionalProperties: false }
    expect(problems(closed, { b: 1 }, 'mcp')).toEqual(['b is not an argument of this tool'])
    expect(accepted(closed, { a: 1, b: 1 }, 'rest')).toEqual({ a: 1 })
  })

  it('text for a number on the way to an MCP upstream, which has not asked for that', () => {
    expect(problems({ type: 'object', properties: { n: { type: 'integer' } } }, { n: '5' }, 'mcp')).toHaveLength(1)
  })

  it.each(['', ' ', '0x10', '1,5', 'Infinity', 'NaN', '1e999', '9007199254740993', '5.5'])('%j for an integer', (n) => {
    expect(problems({ type: 'object', properties: { n: { type: 'integer' } } }, { n })).toEqual(['n must be integer'])
  })

  it.each(['yes', '1', 'TRUE', ''])('%j for a boolean', (b) => {
    expect(problems({ type: 'object', properties: { b: { type: 'boolean' } } }, { b })).toEqual(['b must be boolean'])
  })
})

describe('what is accepted', () => {
  it('scalar text where a number or boolean is wanted, at any depth [ct.5.13.coerced]', () => {
    const schema = {
      type: 'object',
      properties: {
        n: { type: 'integer' },
        x: { type: ['number', 'null'] },
        b: { type: 'boolean' },
        list: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } },
      },
    }
    const given = { n: '-5', x: '2.5e1', b: 'false', list: [{ n: 1 }, { n: '2' }] }
    expect(accepted(schema, given)).toEqual({ n: -5, x: 25, b: false, list: [{ n: 1 }, { n: 2 }] })
    expect(accepted(schema, given, 'graphql')).toEqual({ n: -5, x: 25, b: false, list: [{ n: 1 }, { n: 2 }] })
  })

  it('text stays text where text is allowed', () => {
    expect(accepted({ type: 'object', properties: { v: { type: ['integer', 'string'] } } }, { v: '5' })).toEqual({
      v: '5',
    })
  })

  it('defaults are filled in, also inside [ct.5.13.schema]', () => {
    const schema = {
      type: 'object',
      properties: {
        limit: { type: 'integer', default: 10 },
        o: { type: 'object', properties: { d: { default: 'x' } } },
      },
    }
    expect(accepted(schema, { o: {} }, 'mcp')).toEqual({ limit: 10, o: { d: 'x' } })
  })

  it('a default that breaks its own schema is not held against the caller', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', default: 'ten' } } }
    expect(accepted(schema, {}, 'mcp')).toEqual({})
  })

  it('each pattern is itself, however many there are', () => {
    const schema = { type: 'object', properties: { a: { pattern: '^a' }, b: { pattern: '^b' } } }
    expect(accepted(schema, { a: 'a', b: 'b' })).toEqual({ a: 'a', b: 'b' })
    expect(problems(schema, { a: 'a', b: 'a' })).toHaveLength(1)
  })

  it('a schema may refer to itself, and to its own parts', () => {
    const schema = {
      type: 'object',
      properties: { next: { $ref: '#' }, n: { $ref: '#/$defs/n' } },
      $defs: { n: { type: 'number' } },
    }
    expect(accepted(schema, { next: { next: { n: 1 } } }, 'mcp')).toEqual({ next: { next: { n: 1 } } })
    expect(problems(schema, { next: { n: 'x' } }, 'mcp')).toEqual(['next.n must be number'])
  })

  it('undeclared arguments are dropped for REST and GraphQL and forwarded to MCP upstreams [ct.5.13.undeclared]', () => {
    const schema = { type: 'object', properties: { a: {} } }
    expect(accepted(schema, { a: 1, b: 2 }, 'rest')).toEqual({ a: 1 })
    expect(accepted(schema, { a: 1, b: 2 }, 'graphql')).toEqual({ a: 1 })
    expect(accepted(schema, { a: 1, b: 2 }, 'mcp')).toEqual({ a: 1, b: 2 })
    expect(accepted({ ...schema, additionalProperties: true }, { a: 1, b: 2 }, 'rest')).toEqual({ a: 1, b: 2 })
  })

  it('no schema can ask for a reserved argument', () => {
    const schema = { type: 'object', properties: { __confirm: { type: 'boolean' } }, required: ['__confirm', 'id'] }
    expect(problems(schema, { id: 1 }, 'mcp')).toEqual([])
  })

  it.each([
    ['a remote reference', { $ref: 'http://127.0.0.1:9/schema.json' }],
    ['a reference to nowhere', { properties: { a: { $ref: '#/$defs/none' } } }],
    ['a reference to itself', { properties: { a: { $ref: '#/properties/a' } } }],
    ['nonsense', { type: 'thing', properties: 7 }],
  ])('%s constrains nothing and is never fetched', (_what, schema) => {
    expect(accepted({ type: 'object', ...schema }, { a: 1 }, 'mcp')).toEqual({ a: 1 })
  })

  it('draft 7 keywords mean what they meant', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { items: [{ type: 'string' }, { type: 'integer' }] } },
      dependencies: { a: ['b'] },
    }
    expect(problems(schema, { pair: ['x', 'y'] }, 'mcp')).toHaveLength(1)
    expect(problems(schema, { a: 1 }, 'mcp')).toHaveLength(1)
    expect(problems(schema, { a: 1, b: 2, pair: ['x', 2] }, 'mcp')).toEqual([])
  })
})

describe('what was sent', () => {
  it('is never written to, with every coercion, default and dropped value', () => {
    const schema = {
      type: 'object',
      properties: {
        n: { type: 'integer' },
        d: { default: 1 },
        o: { type: 'object', properties: { d: { default: 1 } } },
      },
    }
    const validate = createValidator(aTool('tool', {}, { inputSchema: schema }), 'rest')
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('n', 'd', 'o', 'more'), fc.jsonValue()), (args) => {
        const before = JSON.stringify(args)
        validate(args)
        expect(JSON.stringify(args)).toBe(before)
      }),
    )
  })

  it('is handed on as it is when there is nothing to change', () => {
    const args = { n: 5 }
    const checked = check({ type: 'object', properties: { n: { type: 'integer' } } }, args)
    expect(checked.ok && checked.args).toBe(args)
  })

  it('cannot reach a prototype by being defaulted', () => {
    const args: Record<string, unknown> = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}')
    check({ type: 'object', properties: { d: { default: 1 } } }, args, 'mcp')
    expect({}).not.toHaveProperty('polluted')
  })
})

it('a selection is checked with the arguments, also where the schema is closed', () => {
  const select = { at: 12, roots: { fields: ['query'], types: ['Query'] } }
  const graphql = { operation: 'query', operationName: 'pet', document: 'query pet { pet { id } }', select } as const
  const inputSchema = { properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false }
  const checked = (args: Record<string, unknown>, config = {}) =>
    createValidator(aTool('pet', { config }, { inputSchema, graphql }), 'graphql')(args)
  expect(checked({ id: '1', __select: '{ id }' })).toEqual({ ok: true, args: { id: '1', __select: '{ id }' } })
  expect(checked({ id: '1' })).toEqual({ ok: true, args: { id: '1' } })
  expect(checked({ __select: '{ id }' })).toMatchObject({ ok: false })
  expect(checked({ __select: '{ query { id } }' })).toMatchObject({ ok: false })
  expect(checked({ __select: ['id'] })).toEqual({
    ok: false,
    problems: ['__select must be text, such as "{ id name }"'],
  })
  expect(checked({ __select: '{ id }' }, { redactPaths: ['data.pet'] })).toMatchObject({ ok: false })
})
