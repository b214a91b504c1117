// Any value in any place of a source: the answer is tools or a GatewayError, never a crash, and never a changed prototype.
import fc from 'fast-check'
import { buildSchema, introspectionFromSchema } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GatewayError } from '../contract/error.ts'
import { discoverCollection } from './collection.ts'
import { discoverCurl } from './curl.ts'
import { discoverGraphql } from './graphql.ts'
import { discoverManual } from './manual.ts'
import { discoverMcp } from './mcp.ts'
import { discoverOpenapi } from './openapi.ts'
import { parseText } from './parse.ts'
import { previewTool } from './preview.ts'
import { buildRequest } from './request.ts'
import type { Discovery } from './tool.ts'

const spec = {
  openapi: '3.1.0',
  info: { title: 't', version: '1' },
  servers: [{ url: '/{v}', variables: { v: { default: 'v1', enum: ['v1'] } } }],
  tags: [{ name: 'a' }],
  paths: {
    '/a/{id}?x=1': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/A' } }],
      servers: [{ url: 'https://a.example' }],
      post: {
        operationId: 'op',
        tags: ['a'],
        summary: 's',
        description: 'd',
        parameters: [
          {
            name: 'q',
            in: 'query',
            style: 'deepObject',
            explode: true,
            content: { 'application/json': { schema: {} } },
          },
        ],
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: { allOf: [{ $ref: '#/components/schemas/A' }] },
              encoding: { x: { style: 'form', contentType: 'a/b' } },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      A: {
        type: 'object',
        required: ['x'],
        nullable: true,
        properties: {
          x: { type: 'string', enum: ['a'], pattern: 'a', default: 'a', format: 'binary' },
          y: { type: 'array', items: { $ref: '#/components/schemas/A' } },
        },
        oneOf: [{ $ref: '#/components/schemas/A' }],
        discriminator: { propertyName: 'x', mapping: { a: '#/components/schemas/A' } },
        additionalProperties: { type: 'integer', minimum: 1, exclusiveMinimum: true },
      },
    },
    securitySchemes: { k: { type: 'apiKey', in: 'header', name: 'K' } },
  },
}
const legacy = {
  swagger: '2.0',
  host: 'a.example',
  basePath: '/v1',
  schemes: ['https'],
  consumes: ['multipart/form-data'],
  paths: {
    '/a': {
      post: {
        consumes: ['application/json'],
        parameters: [
          { name: 'f', in: 'formData', type: 'file', collectionFormat: 'csv' },
          { in: 'body', name: 'b', schema: { type: 'object' } },
        ],
      },
    },
  },
}
const collection = {
  info: { name: 'c' },
  auth: { type: 'basic', basic: [{ key: 'username', value: 'u' }] },
  variable: [{ key: 'v', value: 'x' }],
  event: [{ script: { exec: ['x'] } }],
  item: [
    {
      name: 'f',
      auth: { type: 'apikey', apikey: { key: 'k', value: 'v', in: 'header' } },
      item: [
        {
          name: 'r',
          request: {
            method: 'POST',
            description: { content: 'd' },
            header: [{ key: 'A', value: '{{v}}' }],
            url: {
              raw: 'https://a.example/:id?q=1',
              host: ['a', 'example'],
              path: [':id'],
              query: [{ key: 'q', value: '1' }],
              variable: [{ key: 'id', value: '1' }],
            },
            body: {
              mode: 'raw',
              raw: '{"a":1}',
              options: { raw: { language: 'json' } },
              urlencoded: [{ key: 'a', value: '1' }],
              formdata: [{ key: 'f', type: 'file', contentType: 'a/b' }],
              graphql: { query: '{a}', variables: '{}' },
            },
          },
        },
      ],
    },
  ],
}
const introspection = introspectionFromSchema(
  buildSchema(
    'interface N { id: ID } type A implements N { id: ID b: B } type B { a: [A!] } union U = A | B input I { i: I e: E = X } enum E { X } type Query { a(i: I!, e: [E]): U n: N } type Mutation { a: Int }',
  ),
)
const upstream = [
  {
    name: 't',
    title: 'T',
    description: 'd',
    inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
    annotations: { readOnlyHint: true },
  },
]
const manual = [
  {
    name: 'm',
    method: 'POST',
    endpoint: '/a/:id',
    description: 'd',
    inputSchema: { type: 'object', properties: { x: {} } },
    paramLocations: { x: 'header' },
    bodyEncoding: 'form',
  },
]

const graphqlOptions = { includeMutations: true, maxTypes: 2000, selectionMaxDepth: 2, inputMaxDepth: 3, maxTools: 100 }
const READERS: readonly (readonly [string, unknown, (value: unknown) => Discovery])[] = [
  ['OpenAPI 3', spec, (value) => discoverOpenapi(value, { maxTools: 100, includeTags: ['a'] })],
  ['Swagger 2', legacy, (value) => discoverOpenapi(value, { maxTools: 100, documentUrl: 'https://a.example/x' })],
  ['a collection', collection, (value) => discoverCollection(value, 100)],
  ['an introspection result', introspection, (value) => discoverGraphql({ data: value }, graphqlOptions)],
  ['an upstream', upstream, (value) => discoverMcp(Array.isArray(value) ? value : [value], 100)],
  ['a list of tools', manual, (value) => discoverManual(value, 100)],
]

function pathsOf(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...at, key]))]
}

/** The value with one place replaced, built without assigning to a name that could be a prototype's. */
function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? replaced(item, rest, by) : item))
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {})
  return Object.fromEntries(entries.map(([name, item]) => [name, name === key ? replaced(item, rest, by) : item]))
}

const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    Number.MAX_VALUE,
    '',
    ' ',
    '#',
    '#/paths',
    '#/components/schemas/A',
    '../x',
    '{',
    '{{',
    '%',
    '\ud800',
    '__proto__',
    'a\r\nb',
    [],
    {},
    [null],
    [[[]]],
    { $ref: 7 },
    { $ref: '#' },
    { $ref: '#/components/schemas/A' },
    'x'.repeat(5000),
  ),
  // As text would give it: there is no negative zero on the way back.
  fc.jsonValue({ maxDepth: 3 }).map((value): unknown => JSON.parse(JSON.stringify(value))),
  fc.constant<unknown>(JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')),
)

function read(reader: () => Discovery): void {
  let discovery: Discovery
  try {
    discovery = reader()
  } catch (cause) {
    expect(cause).toBeInstanceOf(GatewayError)
    return
  }
  for (const tool of discovery.tools) {
    expect(tool.name).toMatch(/^[A-Za-z0-9_.-]{1,128}$/)
    expect(tool.inputSchema.type).toBe('object')
    expect(tool.description.length).toBeLessThanOrEqual(4096)
    expect(JSON.parse(JSON.stringify(tool))).toEqual(tool)
    previewTool(tool)
    buildRequest(tool, Object.fromEntries(Object.keys(tool.places).map((name) => [name, 'x'])))
  }
}

describe('hostile sources', () => {
  // A prototype that cannot change turns pollution into an exception, which the tests would see.
  const frozen = [Object.prototype, Array.prototype]
  beforeAll(() => {
    expect(frozen.every((prototype) => !Object.hasOwn(prototype, 'polluted'))).toBe(true)
  })
  afterAll(() => {
    expect('polluted' in {}).toBe(false)
  })

  it.each(READERS)('%s with one value replaced', (_, document, reader) => {
    const places = pathsOf(document)
    fc.assert(
      fc.property(fc.constantFrom(...places), nasty, (place, by) => {
        read(() => reader(replaced(document, place, by)))
      }),
      { numRuns: Number(process.env.GANTRY_FUZZ_RUNS ?? 400) },
    )
  })

  it.each(READERS)('%s that is any value', (_, __, reader) => {
    fc.assert(
      fc.property(nasty, (value) => {
        read(() => reader(value))
      }),
      { numRuns: 300 },
    )
  })

  it('a command of any words', () => {
    const word = fc.constantFrom(
      'curl',
      '-X',
      '-d',
      '-H',
      '-F',
      '-G',
      '-u',
      '-b',
      '--json',
      '--data-urlencode',
      '--url',
      'https://a.example/{x}?a=%zz&b',
      'a:b',
      '"',
      "'",
      "$'\\x",
      '\\',
      '\\\n',
      '^\n',
      '^"',
      '$A',
      '${',
      '$(',
      '`',
      ';',
      '&',
      '|',
      '<',
      '#',
      '\n',
      '{"a":1}',
      '[1-2]',
      '\ud800',
      '@f',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 12 }), fc.constantFrom('', ' '), (words, glue) => {
        read(() => discoverCurl(`curl https://a.example ${words.join(glue)}`))
      }),
      { numRuns: Number(process.env.GANTRY_FUZZ_RUNS ?? 800) },
    )
  })

  it('a text of any characters', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc
            .array(
              fc.constantFrom(
                'a',
                ':',
                ' ',
                '\n',
                '- ',
                '&a',
                '*a',
                '<<',
                '{',
                '}',
                '[',
                ']',
                '"',
                '!t',
                '|',
                '>',
                '?',
                ',',
              ),
            )
            .map((list) => list.join('')),
        ),
        (text) => {
          read(() => discoverOpenapi(parseText(text).value, { maxTools: 10 }))
        },
      ),
      { numRuns: Number(process.env.GANTRY_FUZZ_RUNS ?? 500) },
    )
  })
})
