// The result schemas of tools: never stricter than the specification, and as deep as the size limit permits.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { corpus, corpusFiles } from './corpora.fixture.ts'
import { discoverOpenapi } from './openapi.ts'
import { parseText } from './parse.ts'
import { references } from './references.ts'
import { resultSchemaText } from './result-schema.ts'

const resultOf = (schema: unknown, schemas: object = {}): unknown => {
  const text = resultSchemaText(references({ components: { schemas } }), schema)
  return text === undefined ? undefined : JSON.parse(text)
}
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const fields = (count: number, schema: object) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`field${n}`, schema]))

it('types and fields without their texts', () => {
  const properties = {
    id: { type: 'integer', description: 'Which one', minimum: 1, example: 3 },
    kind: { type: 'string', enum: ['a', 'b'], nullable: true },
    secret: { type: 'string', writeOnly: true },
    tags: { type: 'array', items: { type: 'string' } },
    owner: ref('Owner'),
    more: { type: 'object', additionalProperties: ref('Owner') },
  }
  const owner = { type: ['string', 'null'] }
  expect(resultOf({ type: 'object', properties, required: ['id', 'secret'] }, { Owner: owner })).toEqual({
    type: 'object',
    properties: {
      id: { type: 'integer' },
      kind: { type: ['string', 'null'], enum: ['a', 'b', null] },
      tags: { type: 'array', items: { type: 'string' } },
      owner,
      more: { type: 'object', additionalProperties: owner },
    },
    required: ['id'],
  })
})

it('nothing for what is no object', () => {
  for (const schema of [true, { type: 'array', items: {} }, { type: 'string' }, { type: 'object', nullable: true }])
    expect(resultOf(schema)).toBeUndefined()
})

it('the parts of allOf as one object, alternatives as what at least one of them is', () => {
  const schemas = {
    Base: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'], additionalProperties: false },
  }
  const choice = { oneOf: [{ type: 'string' }, { type: 'string', format: 'date' }, { type: 'integer' }] }
  expect(resultOf({ allOf: [ref('Base'), { properties: { choice } }] }, schemas)).toEqual({
    type: 'object',
    properties: { id: { type: 'integer' }, choice: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    required: ['id'],
  })
})

describe('is written as deep as there is room for', () => {
  it('a small one whole, one of objects within itself some levels', () => {
    const Node = { type: 'object', properties: { next: ref('Node') } }
    expect(JSON.stringify(resultOf(ref('Node'), { Node })).match(/next/g)).toHaveLength(6)
    const Loop = { type: 'array', items: ref('Loop') }
    expect(resultOf({ type: 'object', properties: { loop: ref('Loop') } }, { Loop })).toMatchObject({
      properties: { loop: { type: 'array' } },
    })
  })

  it('a wide one by its own fields, and one too wide as any object', () => {
    const inner = { type: 'object', properties: fields(30, { type: 'string' }) }
    const wide = { type: 'object', properties: fields(40, inner) }
    expect(resultOf(wide)).toEqual({ type: 'object', properties: fields(40, { type: 'object' }) })
    expect(resultOf({ type: 'object', properties: fields(10_000, inner) })).toEqual({ type: 'object' })
  })

  it('however much it multiplies', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [
        `S${n}`,
        { type: 'object', properties: fields(20, { anyOf: [ref(`S${(n + 1) % 200}`), ref(`S${(n + 7) % 200}`)] }) },
      ]),
    )
    expect(JSON.stringify(resultOf(ref('S0'), schemas)).length).toBeLessThan(32 * 1024)
  })
})

it('no name or value that hides text', () => {
  const properties = { 'a\u200bb': { type: 'string' }, c: { type: 'string', enum: ['x', 'y\u202e'] } }
  expect(resultOf({ type: 'object', properties, required: ['a\u200bb', 'c'] })).toEqual({
    type: 'object',
    properties: { c: { type: 'string' } },
    required: ['c'],
  })
})

describe('of every specification of the corpus', () => {
  const files = corpusFiles('openapi').filter((file) => !file.startsWith('webhooks-only'))
  it.each(files)('is a schema that compiles: %s', (file) => {
    const { value } = parseText(corpus(`openapi/${file}`))
    const { tools } = discoverOpenapi(value, { documentUrl: 'https://spec-host.example/x', maxTools: 10_000 })
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    for (const { resultSchema } of tools.slice(0, 100)) {
      if (resultSchema === undefined) continue
      const schema = JSON.parse(resultSchema) as Record<string, unknown> // written by discovery
      expect(schema.type).toBe('object')
      expect(ajv.validateSchema(schema)).toBe(true)
    }
  })
})
