// Schemas that are small to send and endless to use are distinguished from those that are only large, or only recursive.
import { describe, expect, it } from 'vitest'
import { createValidator } from '../pipeline/0-admission/validator.ts'
import { aTool } from '../pipeline/pipeline.fixture.ts'
import { discoverManual } from './manual.ts'
import { discoverMcp } from './mcp.ts'
import { multiplies, tooManySchemas } from './schema-cost.ts'

/** Each level refers twice to the next: thirty of them are a thousand million looks. */
const doubling = (keyword: string, levels = 30): Record<string, unknown> => {
  const defs = Array.from({ length: levels }, (_, at): [string, unknown] => [
    `d${at}`,
    { [keyword]: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
  ])
  return {
    type: 'object',
    $defs: Object.fromEntries([...defs, [`d${levels}`, { type: 'string' }]]),
    properties: { a: { $ref: '#/$defs/d0' } },
  }
}
const over = (node: unknown, more: object = {}): Record<string, unknown> => ({
  type: 'object',
  $defs: { n: node },
  properties: { root: { $ref: '#/$defs/n' } },
  ...more,
})
const times = (length: number, schema: object): unknown[] => Array.from({ length }, () => ({ ...schema }))
const self = { $ref: '#/$defs/n' }

describe('what multiplies', () => {
  it.each<[string, unknown]>([
    ['anyOf of two references, level after level', doubling('anyOf')],
    ['allOf of them', doubling('allOf')],
    ['oneOf of them', doubling('oneOf')],
    ['a schema that is twice itself', over({ anyOf: [self, self] })],
    ['the same by anchor', over({ $anchor: 'n', anyOf: [{ $ref: '#n' }, { $ref: '#n' }] })],
    [
      'the same by dynamic anchor',
      over({ $dynamicAnchor: 'n', anyOf: [{ $dynamicRef: '#n' }, { $dynamicRef: '#n' }] }),
    ],
    [
      'the same below an id of its own',
      over({ $id: 'urn:x', $defs: { y: { allOf: [{ $ref: '#' }, { $ref: '#' }] } }, $ref: '#/$defs/y' }),
    ],
    [
      'two alternatives that go on under one name',
      over({ anyOf: [{ properties: { left: self } }, { properties: { left: self } }] }),
    ],
    ['two patterns that fit one name', over({ patternProperties: { '^a': self, a$: self } })],
  ])('is %s, and its arguments are left to the upstream', (_what, schema) => {
    expect(multiplies(schema)).toBe(true)
    // Three hundred levels of an argument, which a checker would look at until the end of days.
    const deep = JSON.parse(`${'{"left":'.repeat(300)}1${'}'.repeat(300)}`) as object
    const validate = createValidator(aTool('t', {}, { inputSchema: schema as Record<string, unknown> }), 'mcp')
    expect(validate({ a: 1, root: deep })).toEqual({ ok: true, args: { a: 1, root: deep } })
  })
})

describe('what does not', () => {
  const tree = { type: 'object', properties: { label: { type: 'string' }, children: { type: 'array', items: self } } }
  it.each<[string, unknown]>([
    ['a schema without references', { type: 'object', properties: { a: { anyOf: times(500, { type: 'string' }) } } }],
    ['a tree', over(tree)],
    [
      'an expression with a name for each operand',
      over({ properties: { and: { items: self }, or: { items: self }, not: self } }),
    ],
    [
      'many references to one definition',
      {
        $defs: { n: { type: 'string' } },
        properties: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`p${at}`, self])),
      },
    ],
    ['a reference that leads nowhere', { properties: { a: { $ref: '#/nowhere' }, b: { $ref: '#gone' } } }],
    ['a reference to itself alone', over(self)],
    ['something that is no schema', 7],
  ])('is %s', (_what, schema) => {
    expect(multiplies(schema)).toBe(false)
  })

  it('is checked as before', () => {
    const validate = createValidator(aTool('t', {}, { inputSchema: over(tree) }), 'mcp')
    expect(validate({ root: { children: [{ label: 'x' }] } }).ok).toBe(true)
    expect(validate({ root: { children: [{ label: 7 }] } })).toEqual({
      ok: false,
      problems: ['root.children.0.label must be string'],
    })
  })
})

describe('a schema of more schemas than a model reads (security case BL-08)', () => {
  const properties = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`p${at}`, {}]))
  const wide = { type: 'object', properties }

  it('is counted wherever schemas stand, and nowhere else', () => {
    expect(tooManySchemas(wide)).toBe('holds more than 1000 schemas')
    expect(tooManySchemas({ anyOf: times(1000, { const: 1 }) })).toBeDefined()
    expect(tooManySchemas({ items: { not: { dependentSchemas: properties } } })).toBeDefined()
    expect(tooManySchemas({ enum: times(5000, {}), default: properties, examples: [properties] })).toBeUndefined()
  })

  it('leaves out the tool of an upstream and reports it, the others stay', () => {
    const { tools, skipped, warnings } = discoverMcp([{ name: 'wide', inputSchema: wide }, { name: 'fine' }], 10)
    expect(tools.map(({ name }) => name)).toEqual(['fine'])
    expect(skipped).toEqual([{ operation: 'wide', reason: 'its inputSchema holds more than 1000 schemas' }])
    expect(warnings).toEqual(['The tool wide is left out: its inputSchema holds more than 1000 schemas.'])
    const many = discoverMcp([...Array.from({ length: 25 }, () => 7), { name: 'fine' }], 10)
    expect([many.warnings.length, many.warnings.at(-1)]).toEqual([21, '5 more tools are left out.'])
  })

  it('is refused where it is written by hand', () => {
    const tool = { name: 'a', method: 'GET', endpoint: '/a', description: 'a', inputSchema: wide }
    expect(() => discoverManual([tool], 10)).toThrow(/tools\.0\.inputSchema: holds more than 1000 schemas/)
  })
})
