// The report of re-discovery: named changes, and which break callers.
import { describe, expect, it } from 'vitest'
import type { DiscoveredTool, JsonSchema } from '../discovery/tool.ts'
import { canonical, diffTools, schemaHash } from './tool-diff.ts'

const tool = (name: string, more: Partial<DiscoveredTool> = {}): DiscoveredTool => ({
  name,
  sourceName: name,
  description: 'd',
  method: 'GET',
  endpoint: '/x',
  inputSchema: { type: 'object', properties: {} },
  places: {},
  ...more,
})
const taking = (properties: object, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
})
const change = (before: JsonSchema, after: JsonSchema) =>
  diffTools(new Map([['t', tool('t', { inputSchema: before })]]), [tool('t', { inputSchema: after })]).changed[0]

describe('a change that breaks callers', () => {
  it.each([
    ['an argument that went away', taking({ a: { type: 'string' } }), taking({})],
    ['an argument that is now required', taking({ a: {} }), taking({ a: {} }, ['a'])],
    ['a new argument that is required', taking({}), taking({ b: { type: 'string' } }, ['b'])],
    ['another type', taking({ a: { type: 'string' } }), taking({ a: { type: 'integer' } })],
    ['a value of an enum that went away', taking({ a: { enum: ['x', 'y'] } }), taking({ a: { enum: ['x'] } })],
    [
      'an enum where anything was allowed',
      taking({ a: { type: 'string' } }),
      taking({ a: { type: 'string', enum: [] } }),
    ],
    [
      'a field inside an object that is now required',
      taking({ a: { type: 'object', properties: { b: {} } } }),
      taking({ a: { type: 'object', properties: { b: {} }, required: ['b'] } }),
    ],
    [
      'another type inside a list',
      taking({ a: { type: 'array', items: { type: 'string' } } }),
      taking({ a: { type: 'array', items: { type: 'number' } } }),
    ],
    ['undeclared arguments that are refused now', { type: 'object' }, { type: 'object', additionalProperties: false }],
  ])('is %s [ct.4.6.diff-breaking]', (_case, before, after) => {
    expect(change(before, after)).toMatchObject({ name: 't', fields: ['inputSchema'], breaking: true })
  })
})

describe('a compatible change', () => {
  it.each([
    ['a new optional argument', taking({}), taking({ a: { type: 'string' } })],
    ['an argument that is no longer required', taking({ a: {} }, ['a']), taking({ a: {} })],
    ['a value more in an enum', taking({ a: { enum: ['x'] } }), taking({ a: { enum: ['x', 'y'] } })],
    ['a type more', taking({ a: { type: 'string' } }), taking({ a: { type: ['string', 'null'] } })],
    ['another description', taking({ a: { description: 'x' } }), taking({ a: { description: 'y' } })],
  ])('is %s', (_case, before, after) => {
    expect(change(before, after)).toMatchObject({ fields: ['inputSchema'], breaking: false })
  })
})

it('names what is added, removed, unchanged and changed, in order [ct.4.6.diff]', () => {
  const before = new Map(['a', 'b', 'c', 'z'].map((name) => [name, tool(name)]))
  const after = [
    tool('y'),
    tool('x'),
    tool('a'),
    tool('c', { description: 'new', method: 'POST', endpoint: '/y', annotations: { readOnlyHint: true } }),
  ]
  expect(diffTools(before, after)).toEqual({
    added: ['x', 'y'],
    removed: ['b', 'z'],
    unchanged: 1,
    changed: [{ name: 'c', fields: ['description', 'method', 'endpoint', 'annotations'], breaking: false }],
  })
})

it('handles names such as `constructor`', () => {
  const odd = ['__proto__', 'constructor', 'toString'].map((name) => tool(name))
  expect(diffTools(new Map(), odd).added).toEqual(['__proto__', 'constructor', 'toString'])
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as JsonSchema
  expect(change(schema, taking({}))).toMatchObject({ breaking: true })
})

it('a hash ignores the order of keys', () => {
  expect(schemaHash({ a: 1, b: { c: [1, 2], d: undefined } })).toBe(schemaHash({ b: { c: [1, 2] }, a: 1 }))
  expect(schemaHash({ a: [1, 2] })).not.toBe(schemaHash({ a: [2, 1] }))
  expect(canonical({ b: [null, 'x'], a: true })).toBe('{"a":true,"b":[null,"x"]}')
})
