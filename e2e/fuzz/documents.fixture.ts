// Specifications of each kind a backend can be registered from, and a configuration document: valid first, then spoiled.
import fc from 'fast-check'
import { buildSchema, introspectionFromSchema } from 'graphql'
import { type ByteChange, byteChange, bytesOf, type Change, change, written } from './hostile.ts'
import { CANARY } from './watched.ts'

/** Text that a model or a person reads; each place holds one. */
const DESCRIPTION = `Reads one item ${CANARY}`

const OPENAPI = {
  openapi: '3.1.0',
  info: { title: DESCRIPTION, version: '1', description: DESCRIPTION },
  servers: [{ url: '/v1' }],
  tags: [{ name: 'read' }],
  paths: {
    '/items/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', description: DESCRIPTION } }],
      get: {
        operationId: 'getItem',
        summary: DESCRIPTION,
        description: DESCRIPTION,
        tags: ['read'],
        parameters: [
          { name: 'filter[name]', in: 'query', style: 'deepObject', schema: { $ref: '#/components/schemas/Item' } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string', enum: ['a', DESCRIPTION], default: 'a' } },
        ],
      },
      post: {
        operationId: 'setItem',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Item' } } },
        },
      },
    },
  },
  components: {
    schemas: {
      Item: {
        type: 'object',
        description: DESCRIPTION,
        required: ['name'],
        properties: {
          name: { type: 'string', pattern: '^[a-z]+$', title: DESCRIPTION, examples: [DESCRIPTION] },
          inner: { $ref: '#/components/schemas/Item' },
          either: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'number', maximum: 5 } }] },
        },
      },
    },
  },
}
const SWAGGER = {
  swagger: '2.0',
  host: '127.0.0.1:50909',
  basePath: '/v1',
  info: { title: DESCRIPTION, version: '1' },
  paths: {
    '/items': {
      post: {
        summary: DESCRIPTION,
        consumes: ['multipart/form-data'],
        parameters: [
          { name: 'file', in: 'formData', type: 'string', description: DESCRIPTION },
          { name: 'ids', in: 'query', type: 'array', collectionFormat: 'csv', items: { type: 'integer' } },
        ],
      },
    },
  },
}
const COLLECTION = {
  info: { name: DESCRIPTION, schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  variable: [{ key: 'base', value: 'http://127.0.0.1:50909' }],
  item: [
    {
      name: DESCRIPTION,
      request: {
        method: 'POST',
        description: { content: DESCRIPTION },
        header: [{ key: 'X-A', value: '{{base}}' }],
        url: {
          raw: '{{base}}/items/:id?q=1',
          host: ['{{base}}'],
          path: ['items', ':id'],
          query: [{ key: 'q', value: '1', description: DESCRIPTION }],
          variable: [{ key: 'id', value: '1' }],
        },
        body: { mode: 'raw', raw: '{"a":{"b":[1]}}', options: { raw: { language: 'json' } } },
      },
    },
  ],
}
const MANUAL = [
  {
    name: 'get_item',
    method: 'GET',
    endpoint: '/items/:id',
    description: DESCRIPTION,
    title: DESCRIPTION,
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'integer', description: DESCRIPTION },
        tags: { type: 'array', items: { enum: ['a', 1, null] } },
      },
      required: ['id'],
    },
  },
]
const MCP_TOOLS = [
  {
    name: 'lookup',
    title: DESCRIPTION,
    description: DESCRIPTION,
    annotations: { title: DESCRIPTION, readOnlyHint: true },
    inputSchema: { type: 'object', properties: { q: { type: 'string', description: DESCRIPTION, pattern: '^a+$' } } },
    outputSchema: { type: 'object', properties: { a: { type: 'string', description: DESCRIPTION } } },
    icons: [{ src: 'https://x.test/i.png', mimeType: 'image/png' }],
    _meta: { 'x/y': DESCRIPTION },
  },
]
const GRAPHQL = {
  data: introspectionFromSchema(
    buildSchema(
      'type Query { "Says it" pet(id: Int = 1, by: By): Pet } input By { name: [String!] inner: By } type Pet { id: ID! friends: [Pet] } type Mutation { add(name: String): Pet }',
    ),
  ),
}
const CURL = { text: `curl -X POST 'http://127.0.0.1:50909/items/5?q=1' -H 'X-A: ${CANARY}' -d '{"a":1}'` }

export const KINDS = {
  openapi: OPENAPI,
  swagger: SWAGGER,
  collection: COLLECTION,
  manual: MANUAL,
  mcp: MCP_TOOLS,
  graphql: GRAPHQL,
  curl: CURL,
} as const
export type Kind = keyof typeof KINDS

export type Case = {
  readonly kind: Kind
  readonly changes: readonly Change[]
  readonly bytes: ByteChange
}
export const specifications: fc.Arbitrary<Case> = fc.record({
  kind: fc.constantFrom(...(Object.keys(KINDS) as Kind[])), // the keys of this table
  changes: fc.array(change, { minLength: 1, maxLength: 3 }),
  bytes: byteChange,
})
export const specificationOf = ({ kind, changes, bytes }: Case): Buffer => bytesOf(written(KINDS[kind], changes), bytes)

const backend = (name: string) => ({
  name,
  base_url: 'http://127.0.0.1:50909/',
  tools: ['get_pet', 'set_pet'].map((tool) => ({
    name: tool,
    method: 'GET',
    endpoint: `/${tool}`,
    description: DESCRIPTION,
  })),
})
/** Something in each section. */
export const CONFIGURATION = {
  kind: 'gantry.config',
  version: 1,
  teams: [{ name: 'Blue' }],
  clients: [
    {
      name: 'pets',
      enabled: true,
      team: 'Blue',
      tags: ['a'],
      guards: { circuitBreaker: { failureThreshold: 3 } },
      registration: backend('pets'),
      upstreamAuth: { type: 'bearer', token: { $env: 'GANTRY_SECRET_FUZZ' } },
      tools: [
        {
          name: 'get_pet',
          enabled: true,
          tags: ['b'],
          guards: { rateLimitPerMin: 5, timeoutMs: 1000, allowedKeyHashes: ['a'.repeat(64)] },
          overrides: { title: 'T', description: DESCRIPTION },
          sensitive: true,
          redactPaths: ['a.b'],
          guardrails: { denyPatterns: ['x+'], blockSecrets: true },
          approval: { required: true, levels: 2 },
          cache: { ttlSeconds: 5 },
          mock: { mode: 'fallback', response: { a: [1] } },
          transform: { response: [{ op: 'set', path: 'a.b', value: 1 }] },
        },
      ],
    },
  ],
  bundles: [
    { name: 'pair', description: DESCRIPTION, tools: [{ client: 'pets', tool: 'get_pet' }], composites: ['both'] },
  ],
  composites: [
    { name: 'both', steps: [{ targetClient: 'pets', targetTool: 'get_pet', argsTemplate: { a: '${input.x}' } }] },
  ],
  alertRules: [{ name: 'A rule', eventType: 'error_rate', webhookUrl: 'http://127.0.0.1:50909/hook', threshold: 0.5 }],
  consumers: [{ name: 'A consumer', monthlyQuota: 5 }],
  schedules: [{ targetType: 'client', clientName: 'pets', action: 'disable', cron: '0 3 * * *', timezone: 'UTC' }],
  budgets: [{ name: 'A budget', per: 'key', maxCalls: 5 }],
  guardPolicies: [{ name: 'A policy', rateLimitPerMin: 5 }],
  catalogEntries: [{ slug: 'mine', name: 'Mine', kind: 'rest', openapiUrl: 'http://127.0.0.1:50909/spec.json' }],
  wsProxyTargets: [{ name: 'chat', backendWsUrl: 'ws://127.0.0.1:50909/' }],
}

export type ConfigurationCase = {
  readonly changes: readonly Change[]
  readonly bytes: ByteChange
  readonly raw: boolean
  readonly mode: 'merge' | 'replace'
  readonly dryRun: boolean
}
export const configurations: fc.Arbitrary<ConfigurationCase> = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 3 }),
  bytes: byteChange,
  raw: fc.boolean(),
  mode: fc.constantFrom('merge', 'replace'),
  dryRun: fc.boolean(),
})
export const configurationOf = ({ changes, bytes }: ConfigurationCase): Buffer =>
  bytesOf(written(CONFIGURATION, changes), bytes)
