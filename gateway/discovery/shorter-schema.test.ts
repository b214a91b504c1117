// What lists leave out of a schema: only what it says twice, and never a property, a limit or a choice.
import { describe, expect, it } from 'vitest'
import { corpus, corpusFiles } from './corpora.fixture.ts'
import { discoverOpenapi } from './openapi.ts'
import { parseText } from './parse.ts'
import { listedTool } from './preview.ts'
import { entriesOf } from './record.ts'
import { schemasIn } from './schema-cost.ts'
import { listedSchema, shorterSchema } from './shorter-schema.ts'
import type { JsonSchema } from './tool.ts'

const object = (properties: Record<string, unknown>, more: object = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
})
const text = { type: 'string', description: 'A text that says something.' }

describe('a list leaves out', () => {
  it('a description that repeats the one above it', () => {
    const list = { type: 'array', description: 'Tags', items: { type: 'string', description: 'Tags' } }
    expect(shorterSchema(object({ t: list }))).toEqual(
      object({ t: { type: 'array', items: { type: 'string' }, description: 'Tags' } }),
    )
    const inner = object({ a: { ...text, description: 'Both' } }, { description: 'Both' })
    expect(shorterSchema(object({ inner }))).toEqual(
      object({ inner: object({ a: { type: 'string' } }, { description: 'Both' }) }),
    )
  })

  it('a description that is the name, and keeps one that says more', () => {
    const schema = object({
      page_size: { type: 'integer', description: 'Page size.' },
      имя: { type: 'string', description: 'Имя' },
      limit: { type: 'integer', description: 'Limit: 5' },
    })
    expect(shorterSchema(schema)).toEqual(
      object({
        page_size: { type: 'integer' },
        имя: { type: 'string' },
        limit: { type: 'integer', description: 'Limit: 5' },
      }),
    )
  })

  it('additionalProperties: true, unless a keyword counts which properties are allowed', () => {
    expect(shorterSchema(object({ a: object({}, { additionalProperties: true }) }))).toEqual(object({ a: object({}) }))
    expect(shorterSchema(object({}, { additionalProperties: false }))).toEqual(
      object({}, { additionalProperties: false }),
    )
    const counted = { allOf: [object({}, { additionalProperties: true })], unevaluatedProperties: false }
    expect(shorterSchema(counted)).toEqual(counted)
  })

  it('the fields of a deep copy, which names the first one by the keys that are listed', () => {
    const copy = object(Object.fromEntries(['image', 'command', 'port', 'tty', 'volume'].map((name) => [name, text])))
    const given = object({ 'spec[plan]': object({ a: object({ 'first[]': copy, second: copy }) }) })
    const { inputSchema } = listedTool({
      name: 't',
      sourceName: 't',
      description: 'd',
      method: 'POST',
      inputSchema: given,
      places: {},
    })
    expect(inputSchema).toMatchObject({
      properties: {
        spec_plan: {
          properties: { a: { properties: { second: { description: 'Same fields as spec_plan.a.first.' } } } },
        },
      },
    })
  })

  it('the fields of a deep copy of an object, which names the first one', () => {
    const container = (description: string): JsonSchema =>
      object(
        Object.fromEntries(['image', 'command', 'port', 'tty', 'volume'].map((name) => [name, { ...text, name }])),
        { description, required: ['image'] },
      )
    const spec = object({
      containers: { type: 'array', items: container('Runs.') },
      first: { type: 'array', items: container('Runs before.') },
      small: object({ a: text }),
      smaller: object({ a: text }),
    })
    expect(shorterSchema(object({ body: object({ template: spec }) }))).toEqual(
      object({
        body: object({
          template: object({
            containers: { type: 'array', items: container('Runs.') },
            first: {
              type: 'array',
              items: { type: 'object', description: 'Runs before. Same fields as body.template.containers[].' },
            },
            small: object({ a: text }),
            smaller: object({ a: text }),
          }),
        }),
      }),
    )
  })

  it('nothing of a copy that stands high, or differs in a field', () => {
    const fields = (more: object) =>
      object(Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, { ...text, ...more }])))
    const high = object({ billing: fields({}), shipping: fields({}) })
    expect(shorterSchema(high)).toEqual(high)
    const deep = object({ a: object({ b: object({ x: fields({}), y: fields({ maxLength: 9 }) }) }) })
    expect(shorterSchema(deep)).toEqual(deep)
  })

  it('nothing of the schema of an MCP server', () => {
    const inputSchema = object({ a: { description: 'A' } }, { additionalProperties: true })
    expect(listedSchema({ inputSchema })).toBe(inputSchema)
    expect(listedSchema({ inputSchema, method: 'GET' })).toEqual(object({ a: {} }))
  })
})

describe('of real specifications', () => {
  it('every property, choice and limit is listed, once at least', () => {
    const facts = (schema: JsonSchema): ReadonlySet<string> => {
      const found = new Set<string>()
      for (const each of schemasIn(schema)) {
        const { description: _text, properties, additionalProperties, items: _items, ...own } = each
        for (const [name] of entriesOf(properties)) found.add(`property ${name}`)
        if (additionalProperties === false) found.add('closed')
        for (const [key, value] of Object.entries(own))
          if (typeof value !== 'object' || key === 'enum' || key === 'required')
            found.add(`${key} ${JSON.stringify(value)}`)
      }
      return found
    }
    let [before, after] = [0, 0]
    for (const file of corpusFiles('openapi').filter((each) => !each.startsWith('webhooks-only'))) {
      const options = { documentUrl: 'https://spec-host.example/openapi.json', maxTools: 10_000 }
      for (const { name, inputSchema } of discoverOpenapi(parseText(corpus(`openapi/${file}`)).value, options).tools) {
        const listed = shorterSchema(inputSchema)
        const kept = facts(listed)
        const lost = [...facts(inputSchema)].filter((fact) => !kept.has(fact))
        expect([file, name, lost]).toEqual([file, name, []])
        before += JSON.stringify(inputSchema).length
        after += JSON.stringify(listed).length
      }
    }
    expect(after).toBeLessThan(before)
  })
})
