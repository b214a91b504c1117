// OpenAPI 3.1 from the tables that the routes are mounted from.
import { z } from 'zod'
import { ERROR_STATUS, type ErrorCode } from '../contract/error.ts'
import * as contract from '../contract/index.ts'
import type { Access } from '../contract/role.ts'
import { keysOf, type Route, type RouteTable, statusOf } from '../contract/route.ts'
import { front } from './front-routes.ts'

type Json = Readonly<Record<string, unknown>>
type Converter = {
  readonly input: (schema: z.ZodType) => Json
  readonly output: (schema: z.ZodType) => Json
  readonly schemas: Readonly<Record<string, unknown>>
}

const COMMON: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'HOST_NOT_ALLOWED',
  'NOT_FOUND',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'QUERY_CAPACITY',
  'DATABASE_UNAVAILABLE',
  'SHUTTING_DOWN',
]
const FRONT_COMMON: readonly ErrorCode[] = ['HOST_NOT_ALLOWED', 'INTERNAL_ERROR']
const WITH_ACTOR: readonly ErrorCode[] = ['UNAUTHORIZED', 'FORBIDDEN']
const WITH_BODY: readonly ErrorCode[] = [
  'INVALID_JSON',
  'JSON_TOO_DEEP',
  'CSRF_VALIDATION_FAILED',
  'ORIGIN_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]
const REF = '#/components/schemas/'

type NamedRecords = ReturnType<typeof z.registry<{ id: string }>>

/** Records that the contract exports by name keep it, so that a reader meets `UserRecord` once. */
function namedRecords(): NamedRecords {
  const registry = z.registry<{ id: string }>()
  for (const [id, value] of Object.entries(contract)) if (value instanceof z.ZodType) registry.add(value, { id })
  return registry
}

function mapRefs(value: unknown, to: (ref: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapRefs(item, to))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? to(inner) : mapRefs(inner, to),
    ]),
  )
}

/** Converts schemas one by one; what they name or recurse into is gathered in one place. */
function createConverter(): Converter {
  const records = namedRecords()
  const schemas: Record<string, unknown> = {}
  let inline = 0

  const convert = (schema: z.ZodType, io: 'input' | 'output', metadata: NamedRecords): Json => {
    const {
      $schema: _dialect,
      $defs = {},
      id: own,
      ...root
    } = z.toJSONSchema(schema, {
      io,
      metadata,
      unrepresentable: 'any',
      // Names are looked up in our registry, descriptions stand in zod's.
      override({ zodSchema, jsonSchema }) {
        const { description } = z.globalRegistry.get(zodSchema) ?? {}
        if (description !== undefined) jsonSchema.description = description
      },
    })
    // Anonymous definitions are numbered per schema, so they get a number of their own here.
    const places = new Map(Object.keys($defs).map((name) => [name, name.startsWith('__') ? `Inline${++inline}` : name]))
    // A schema that contains itself needs a name, whether it came with one or not.
    let name = own
    const placeOf = (ref: string): string =>
      ref === '#' ? (name ??= `Inline${++inline}`) : (places.get(ref.replace('#/$defs/', '')) ?? ref)
    const placed = (value: unknown): unknown => mapRefs(value, (ref) => REF + placeOf(ref))
    for (const [given, { id: _id, ...definition }] of Object.entries($defs))
      schemas[places.get(given) ?? given] = placed(definition)
    const converted = placed(root) as Json // an object goes in, an object comes out
    if (name === undefined) return converted
    schemas[name] = converted
    return { $ref: REF + name }
  }

  return {
    schemas,
    input: (schema) => convert(schema, 'input', z.registry()),
    output: (schema) => convert(schema, 'output', records),
  }
}

const templated = (path: string): string => path.replace(/:([A-Za-z]+)/g, '{$1}')

function parameters(route: Route, { input }: Converter): Json[] {
  const texts = z.object(Object.fromEntries(keysOf(route.path).map((key) => [key, z.string()])))
  const of = (object: z.ZodObject | undefined, where: 'path' | 'query'): Json[] =>
    Object.entries(object?.shape ?? {}).map(([name, field]) => {
      const { description, ...schema } = input(field as z.ZodType) // zod types the fields of a shape as their core
      const required = where === 'path' || !(field as z.ZodType).safeParse(undefined).success
      return { name, in: where, required, ...(description !== undefined && { description }), schema }
    })
  return [...of(route.params ?? texts, 'path'), ...of(route.query, 'query')]
}

function headers(route: Route): Json[] {
  const header = (name: string, description: string): Json => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  })
  if (route.errors?.includes('PRECONDITION_FAILED')) return [header('If-Match', 'The ETag last seen, or *')]
  if (route.method === 'POST' && route.status === 201)
    return [header('Idempotency-Key', 'The first answer is kept for 24 hours and given again')]
  return []
}

/** Answers without a body. */
const BARE: Readonly<Record<number, string>> = { 101: 'The connection is a WebSocket', 204: 'Done', 302: 'Found' }

function success(route: Route, { output }: Converter): Json {
  const { produces, reply } = route
  const status = statusOf(route)
  const bare = BARE[status]
  if (bare !== undefined) return { [status]: { description: bare } }
  const content = produces
    ? Object.fromEntries(produces.map((type) => [type, {}]))
    : { 'application/json': { schema: reply ? output(reply) : {} } }
  return { [status]: { description: status === 201 ? 'Created' : 'OK', content } }
}

function failures(route: Route, common: readonly ErrorCode[]): Json {
  const codes = [
    ...common,
    ...(route.access === 'public' ? [] : WITH_ACTOR),
    ...(route.method === 'GET' ? [] : WITH_BODY),
    ...(route.errors ?? []),
  ]
  const byStatus = Map.groupBy(new Set(codes), (code) => ERROR_STATUS[code])
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      { description: list.join(', '), content: { 'application/json': { schema: { $ref: `${REF}ErrorEnvelope` } } } },
    ]),
  )
}

function security(access: Access, method: Route['method']): Json[] {
  if (access === 'public') return []
  const session = method === 'GET' ? { session: [] } : { session: [], csrf: [] }
  return access === 'self' ? [session] : [session, { adminKey: [] }]
}

function operation(tag: string, verb: string, route: Route, converter: Converter): Json {
  const common = tag === 'front' ? FRONT_COMMON : COMMON
  const body = route.method === 'GET' ? undefined : route.body
  const required = body !== undefined && !body.safeParse({}).success
  return {
    operationId: `${tag}.${verb}`,
    summary: route.summary,
    tags: [tag],
    'x-role': route.access,
    ...(route.rateLimit && { 'x-rate-limit': route.rateLimit }),
    security: security(route.access, route.method),
    parameters: [...parameters(route, converter), ...headers(route)],
    ...(body && { requestBody: { required, content: { 'application/json': { schema: converter.input(body) } } } }),
    responses: { ...success(route, converter), ...failures(route, common) },
  }
}

export function openApi(admin: Readonly<Record<string, RouteTable>>, version: string): Json {
  const tables: typeof admin = { front, ...admin }
  const converter = createConverter()
  converter.output(contract.ErrorEnvelope)
  const paths: Record<string, Record<string, Json>> = {}
  for (const [tag, table] of Object.entries(tables))
    for (const [verb, route] of Object.entries(table)) {
      const methods = (paths[templated(route.path)] ??= {})
      methods[route.method.toLowerCase()] = operation(tag, verb, route, converter)
    }
  return {
    openapi: '3.1.0',
    info: { title: 'Gantry', version, description: 'Every route that operates a Gantry gateway.' },
    tags: Object.keys(tables).map((name) => ({ name })),
    paths,
    components: {
      schemas: converter.schemas,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__Host-gantry_session' },
        csrf: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token' },
        adminKey: { type: 'http', scheme: 'bearer', description: 'A key of ADMIN_API_KEYS' },
      },
    },
  }
}
