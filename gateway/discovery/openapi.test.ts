// One small spec per behaviour: what becomes a tool, with which arguments, and what is refused or left out.
import { describe, expect, it } from 'vitest'
import { discoverOpenapi, type OpenapiOptions } from './openapi.ts'
import type { DiscoveredTool } from './tool.ts'

const spec = (paths: unknown, more: object = {}) => ({
  openapi: '3.0.3',
  info: { title: 'x', version: '1' },
  paths,
  ...more,
})
const discover = (document: unknown, options: Partial<OpenapiOptions> = {}) =>
  discoverOpenapi(document, { maxTools: 100, ...options })
const only = (document: unknown): DiscoveredTool => {
  const tool = discover(document).tools[0]
  if (tool === undefined) throw new Error('no tool')
  return tool
}
const jsonBody = (schema: unknown, required = true) => ({ required, content: { 'application/json': { schema } } })
const ok = { responses: {} }

describe('what is not a spec', () => {
  it.each([
    ['a list', [], /not an object/],
    ['no version', { paths: {} }, /names no OpenAPI version/],
    ['a future version', { openapi: '4.0.0', paths: {} }, /OpenAPI 4.0.0 is not supported/],
    ['a collection', { info: {}, item: [] }, /register it as client_collection/],
    ['an introspection result', { data: { __schema: {} } }, /register the endpoint as graphql_url/],
    ['no operation', spec({}), /No tool was found/],
  ])('refuses %s', (_, document, message) => {
    expect(() => discover(document)).toThrow(message)
  })

  it('reports which documents are missing, and keeps the tools that need them', () => {
    const path = discover(spec({ '/a': { $ref: './a.yaml' } }), { documentUrl: 'https://a.example/v1/spec.json' })
    expect([path.tools, path.foreign]).toEqual([[], ['https://a.example/v1/a.yaml']])
    const argument = discover(spec({ '/a': { get: { parameters: [{ $ref: 'p.yaml#/p' }] } } }))
    expect([argument.tools.length, argument.foreign]).toEqual([1, ['p.yaml']])
  })

  it('names the stage of the failure', () => {
    expect(() => discover(spec({}))).toThrow(
      expect.objectContaining({ code: 'DISCOVERY_ERROR', extras: { details: { stage: 'select' } } }),
    )
  })

  it('refuses more operations than may become tools', () => {
    const paths = { '/a': { get: ok, post: ok }, '/b': { get: ok } }
    expect(() => discover(spec(paths), { maxTools: 2 })).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }))
    expect(discover(spec(paths), { maxTools: 2, excludeOperations: ['get /b'] }).tools).toHaveLength(2)
  })
})

describe('selection and names', () => {
  const paths = {
    '/pets/{id}': { get: { ...ok, operationId: 'get pet', tags: ['pets'] }, delete: { ...ok, operationId: 'get pet' } },
    '/internal': { get: { ...ok, 'x-internal': true } },
    '/': { post: ok },
  }

  it('keeps the case of operation ids, numbers collisions and names the rest after their path', () => {
    const { tools, skipped } = discover(spec(paths))
    expect(tools.map((tool) => [tool.name, tool.sourceName])).toEqual([
      ['get_pet', 'get pet'],
      ['get_pet_2', 'get pet'],
      ['post', 'post'],
    ])
    expect(skipped).toEqual([{ operation: 'GET /internal', reason: 'marked x-internal' }])
  })

  it('takes only the wanted tags and leaves out operations by id or by method and path', () => {
    expect(discover(spec(paths), { includeTags: ['pets'] }).tools.map((tool) => tool.method)).toEqual(['GET'])
    expect(discover(spec(paths), { excludeOperations: ['get pet'] }).tools.map((tool) => tool.name)).toEqual(['post'])
  })
})

describe('parameters', () => {
  it('merges path level and operation level and keeps every location', () => {
    const tool = only(
      spec({
        '/a/{id}': {
          parameters: [
            { name: 'id', in: 'path', schema: { type: 'string' } },
            { name: 'limit', in: 'query', schema: { type: 'string' } },
          ],
          get: {
            parameters: [
              {
                name: 'limit',
                in: 'query',
                required: true,
                schema: { type: 'integer' },
                description: 'How\u200b many',
              },
              { name: 'id', in: 'query', schema: { type: 'string' } },
              { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
              { name: 'sid', in: 'cookie', schema: { type: 'string' } },
            ],
          },
        },
      }),
    )
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        limit: { type: 'integer', description: 'How many' },
        query_id: { type: 'string' },
        'X-Trace': { type: 'string' },
        sid: { type: 'string' },
      },
      required: ['id', 'limit'],
    })
    expect(tool.places.query_id).toEqual({ in: 'query', name: 'id', style: 'form', explode: true })
  })

  it('leaves out headers a tool may not set, and reports it', () => {
    const parameters = ['Authorization', 'Host', 'X_Forwarded_For', 'content-length', 'X-HTTP-Method-Override'].map(
      (name) => ({ name, in: 'header', required: true, schema: { type: 'string' } }),
    )
    const { tools, warnings } = discover(spec({ '/a': { get: { parameters } } }))
    expect(tools[0]?.places).toEqual({})
    expect(warnings).toHaveLength(5)
  })

  it('takes an undeclared placeholder as text and drops a parameter the path does not have', () => {
    const parameters = [{ name: 'gone', in: 'path', required: true, schema: { type: 'string' } }]
    const tool = only(spec({ '/a/{b}.json': { get: { parameters } } }))
    expect(tool.inputSchema.properties).toEqual({ b: { type: 'string' } })
    expect(tool.path).toEqual(['/a/', { argument: 'b' }, '.json'])
  })

  it('sends the query of a path on every call and forgets its fragment', () => {
    const tool = only(spec({ '/rest?method=a.b&x={x}#two': { get: ok } }))
    expect(tool.path).toEqual(['/rest'])
    expect(tool.fixedQuery).toEqual([
      { name: 'method', value: ['a.b'] },
      { name: 'x', value: [{ argument: 'x' }] },
    ])
  })

  it('states the default of an optional parameter, and sends that of a required one', () => {
    const parameters = [
      { name: 'a', in: 'query', schema: { type: 'integer', default: 20 } },
      { name: 'v', in: 'header', required: true, schema: { type: 'string', default: '2026' } },
    ]
    expect(only(spec({ '/a': { get: { parameters } } })).inputSchema.properties).toEqual({
      a: { type: 'integer', description: 'Default: 20' },
      v: { type: 'string', default: '2026' },
    })
  })

  it('reads the formats of Swagger 2.0', () => {
    const tool = only({
      swagger: '2.0',
      host: 'api.example.com',
      basePath: '/v1',
      paths: {
        '/a': {
          post: {
            consumes: ['multipart/form-data'],
            parameters: [
              { name: 'tags', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'pipes' },
              { name: 'file', in: 'formData', type: 'file', required: true },
            ],
          },
        },
      },
    })
    expect(tool.places).toEqual({
      tags: { in: 'query', name: 'tags', style: 'pipeDelimited', explode: false },
      file: { in: 'body', name: 'file', binary: true },
    })
    expect(tool.body).toEqual({ encoding: 'multipart', mediaType: 'multipart/form-data', merged: true })
    expect(tool.inputSchema.required).toEqual(['file'])
  })
})

describe('bodies', () => {
  it('merges an object and renames what clashes with a parameter', () => {
    const tool = only(
      spec({
        '/a/{id}': {
          put: {
            requestBody: jsonBody({ type: 'object', properties: { id: { type: 'integer' }, n: {} }, required: ['id'] }),
          },
        },
      }),
    )
    expect(Object.keys(tool.places)).toEqual(['id', 'body_id', 'n'])
    expect(tool.places.body_id).toEqual({ in: 'body', name: 'id' })
    expect(tool.inputSchema.required).toEqual(['id', 'body_id'])
  })

  it.each([
    ['a list', { type: 'array', items: { type: 'string' } }],
    ['alternatives', { oneOf: [{ type: 'object', properties: { a: {} } }, { type: 'string' }] }],
    ['a free object', { type: 'object', additionalProperties: true }],
  ])('makes one argument of %s', (_, schema) => {
    const tool = only(spec({ '/a': { post: { requestBody: jsonBody(schema) } } }))
    expect(Object.keys(tool.places)).toEqual(['body'])
    expect(tool.inputSchema.required).toEqual(['body'])
  })

  it('states how to write a file, and takes text as text', () => {
    const body = (type: string, schema: unknown) => ({ content: { [type]: { schema } } })
    const file = { type: 'object', properties: { f: { type: 'string', format: 'binary' } } }
    const hint = 'Text, or a base64 data: URI for bytes.'
    const argument = (requestBody: unknown) => only(spec({ '/a': { post: { requestBody } } }))
    expect(argument(body('multipart/form-data', file)).inputSchema.properties).toEqual({
      f: { type: 'string', format: 'binary', description: hint },
    })
    expect(argument(body('image/png', {})).inputSchema.properties).toEqual({
      body: { type: 'string', description: hint },
    })
    expect(argument(body('text/plain', {})).inputSchema.properties).toEqual({ body: { type: 'string' } })
    expect(argument(body('text/plain', {})).places.body).toEqual({ in: 'body', name: 'body', whole: true })
  })

  it('of any type is chosen before a form that declares no field', () => {
    const pet = { type: 'object', properties: { name: { type: 'string' } } }
    const chosen = (anything: unknown, form: unknown) =>
      only(
        spec({
          '/a': {
            post: {
              requestBody: { content: { '*/*': { schema: anything }, 'multipart/form-data': { schema: form } } },
            },
          },
        }),
      )
    expect(chosen(pet, { type: 'object' })).toMatchObject({
      body: { encoding: 'json' },
      inputSchema: { properties: pet.properties },
    })
    expect(chosen(pet, pet).body?.encoding).toBe('multipart')
    const bytes = chosen({ type: 'string', format: 'binary' }, {})
    expect(bytes).toMatchObject({ body: { mediaType: 'application/octet-stream' }, places: { body: { binary: true } } })
  })

  it('requires nothing of a body that may be absent, and sends none of its defaults', () => {
    const schema = { type: 'object', properties: { a: { type: 'boolean', default: false } }, required: ['a'] }
    const tool = only(spec({ '/a': { patch: { requestBody: jsonBody(schema, false) } } }))
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: { a: { type: 'boolean', description: 'Default: false' } },
    })
  })

  it('drops what only the server writes and keeps what only a caller writes', () => {
    const schema = {
      type: 'object',
      required: ['id', 'password'],
      properties: { id: { type: 'string', readOnly: true }, password: { type: 'string', writeOnly: true } },
    }
    expect(only(spec({ '/a': { post: { requestBody: jsonBody(schema) } } })).inputSchema).toEqual({
      type: 'object',
      properties: { password: { type: 'string' } },
      required: ['password'],
    })
  })
})

describe('schemas', () => {
  const argument = (schema: unknown, schemas: object = {}) =>
    (
      only(
        spec(
          { '/a': { post: { requestBody: jsonBody({ type: 'array', items: schema }) } } },
          { components: { schemas } },
        ),
      ).inputSchema.properties as { body: { items: unknown } }
    ).body.items

  it('inlines references and cuts a cycle (security case BL-07)', () => {
    const schemas = { Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } } }
    expect(argument({ $ref: '#/components/schemas/Node' }, schemas)).toEqual({
      type: 'object',
      properties: { next: { type: 'object', properties: { next: { type: 'object' } } } },
    })
  })

  it('inlines eight references deep and states the type of the ninth', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [
        `T${n}`,
        { type: 'object', properties: { n: { $ref: `#/components/schemas/T${n + 1}` } } },
      ]),
    )
    let schema = argument({ $ref: '#/components/schemas/T0' }, schemas)
    let depth = 0
    while (typeof schema === 'object' && schema !== null && 'properties' in schema) {
      schema = (schema.properties as { n: unknown }).n
      depth += 1
    }
    expect([depth, schema]).toEqual([8, { type: 'object' }])
  })

  it('ignores a foreign reference nothing needs', () => {
    const responses = { 200: { content: { 'application/json': { schema: { $ref: 'http://a.example/x.json' } } } } }
    expect(only(spec({ '/a': { get: { responses } } })).name).toBe('get_a')
  })

  it('leaves open what a broken or endless reference names', () => {
    expect(argument({ $ref: '#/components/schemas/Gone' })).toEqual({
      description: 'Any value: the reference #/components/schemas/Gone leads nowhere.',
    })
    expect(argument({ $ref: '#/components/schemas/A' }, { A: { $ref: '#/components/schemas/A' } })).toHaveProperty(
      'description',
    )
  })

  it('merges allOf, tags the branches of a discriminator and supports null', () => {
    const schemas = {
      Cat: {
        allOf: [
          { $ref: '#/components/schemas/Pet' },
          { type: 'object', required: ['claws'], properties: { claws: { type: 'integer' } } },
        ],
      },
      Dog: { type: 'object', properties: { kind: { type: 'string' } } },
      Pet: { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } },
    }
    const cat = {
      type: 'object',
      required: ['kind', 'claws'],
      properties: { kind: { type: 'string', const: 'Cat' }, claws: { type: 'integer' } },
    }
    const oneOf = [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
    const discriminator = { propertyName: 'kind', mapping: { dog: '#/components/schemas/Dog' } }
    expect(argument({ oneOf, discriminator }, schemas)).toEqual({
      oneOf: [cat, { type: 'object', properties: { kind: { type: 'string', const: 'dog' } } }],
    })
    expect(argument({ type: 'string', nullable: true, enum: ['a'] })).toEqual({
      type: ['string', 'null'],
      enum: ['a', null],
    })
    expect(argument({ type: 'integer', minimum: 1, exclusiveMinimum: true })).toEqual({
      type: 'integer',
      exclusiveMinimum: 1,
    })
  })

  it('offers no value that hides something', () => {
    expect(argument({ type: 'string', enum: ['a', 'b\u202e'], const: 'c\u202e' })).toEqual({
      type: 'string',
      enum: ['a'],
    })
  })

  it('drops patterns that do not compile or take exponential time (security case BL-08)', () => {
    expect(argument({ type: 'string', pattern: '^(a+)+$' })).toEqual({ type: 'string' })
    expect(argument({ type: 'string', pattern: '(?P<x>a)' })).toEqual({ type: 'string' })
    expect(argument({ type: 'string', pattern: '^[a-z]{2,4}$' })).toEqual({ type: 'string', pattern: '^[a-z]{2,4}$' })
  })

  it('stays small when references multiply', () => {
    const names = Array.from({ length: 30 }, (_, index) => `T${index}`)
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/schemas/${name}` }]))
    const schemas = Object.fromEntries(
      names.map((name) => [name, { type: 'object', description: 'x'.repeat(50), properties }]),
    )
    expect(JSON.stringify(argument({ $ref: '#/components/schemas/T0' }, schemas)).length).toBeLessThan(128 * 1024)
  })

  it('never touches a prototype', () => {
    const document: unknown = JSON.parse(
      '{"openapi":"3.0.0","paths":{"__proto__":{"get":{}},"/a":{"post":{"operationId":"__proto__","parameters":[{"name":"__proto__","in":"query"}],"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"__proto__":{"x":1},"constructor":{"type":"string"}}}}}}}}}}',
    )
    const tool = only(document)
    expect(Object.keys(tool.places)).toEqual(['constructor'])
    expect(Object.getPrototypeOf(tool.inputSchema.properties)).toBe(Object.prototype)
    expect('x' in {}).toBe(false)
  })
})

describe('servers', () => {
  const paths = { '/a': { get: ok } }
  const base = (more: object, documentUrl?: string) => {
    const { baseUrl, basePath } = discover(spec(paths, more), documentUrl === undefined ? {} : { documentUrl })
    return [baseUrl, basePath]
  }

  it('fills variables and resolves relative addresses', () => {
    const variables = { host: { default: 'eu' }, v: { enum: ['v2'] } }
    expect(base({ servers: [{ url: 'https://{host}.example.com/{v}/', variables }] })).toEqual([
      'https://eu.example.com/v2',
      '/v2',
    ])
    expect(base({ servers: [{ url: '/v1' }] }, 'https://a.example/spec/openapi.json')).toEqual([
      'https://a.example/v1',
      '/v1',
    ])
    expect(base({ servers: [{ url: '/v1' }] })).toEqual([undefined, '/v1'])
    expect(base({}, 'https://a.example/spec/openapi.json')).toEqual(['https://a.example', ''])
    expect(base({ servers: [{ url: 'ftp://x' }, { url: 'https://{unknown}.x' }] })).toEqual([undefined, ''])
  })

  it('without a list is where the document is, unless every operation lives elsewhere', () => {
    const documentUrl = 'https://a.example/openapi.json'
    const away = { get: ok, servers: [{ url: 'https://files.example/v1' }] }
    const some = discover(spec({ '/a': { get: ok }, '/b': away }), { documentUrl })
    expect([some.baseUrl, ...some.tools.map((tool) => tool.baseUrl)]).toEqual([
      'https://a.example',
      undefined,
      'https://files.example/v1',
    ])
    const all = discover(spec({ '/b': away }), { documentUrl })
    expect([all.baseUrl, all.tools[0]?.baseUrl]).toEqual(['https://files.example/v1', undefined])
  })

  it('marks an operation that lives elsewhere', () => {
    const servers = [{ url: 'https://a.example' }]
    const document = spec(
      { '/a': { get: ok }, '/b': { get: ok, servers: [{ url: 'https://files.example' }] } },
      { servers },
    )
    expect(discover(document).tools.map((tool) => tool.baseUrl)).toEqual([undefined, 'https://files.example'])
  })
})
