// Hand-written tool definitions, checked the way their author needs it: every problem with its path.
import { z } from 'zod'
import { type FieldProblem, GatewayError } from '../contract/error.ts'
import { cleanMetadata, cleanSchema } from '../text/clean.ts'
import { bounded } from './failure.ts'
import { isForbiddenHeader, isToken } from './headers.ts'
import { uniqueNames } from './names.ts'
import { entriesOf, get, isRecord, type JsonRecord, listOf } from './record.ts'
import { tooManySchemas } from './schema-cost.ts'
import { decode } from './serialize.ts'
import { templateOf } from './template.ts'
import type { DiscoveredTool, Discovery, JsonSchema, Place } from './tool.ts'

const MAX_SCHEMA_BYTES = 64 * 1024
const MAX_SCHEMA_DEPTH = 64
const PLACEHOLDER = /(?<=\/):([A-Za-z_]\w*)/g
const NO_BODY = new Set(['GET', 'HEAD', 'DELETE'])

export const ManualTool = z.object({
  name: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, 'must be 1 to 128 of A-Z, a-z, 0-9, "_", "-" and "."'),
  method: z
    .string()
    .transform((method) => method.toUpperCase())
    .pipe(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])),
  endpoint: z.string().min(1).max(2048),
  description: z.string().min(1).max(4096),
  inputSchema: z.record(z.string(), z.unknown()).default(() => ({ type: 'object', properties: {} })),
  paramLocations: z.record(z.string(), z.enum(['query', 'header', 'cookie', 'body'])).optional(),
  bodyEncoding: z.enum(['json', 'form']).default('json'),
})
export type ManualTool = z.infer<typeof ManualTool>

export function discoverManual(source: unknown, maxTools: number): Discovery {
  const list = listOf(source)
  const problems: FieldProblem[] = []
  const definitions = list.flatMap((item, index) => {
    const parsed = ManualTool.safeParse(item)
    const at = (path: string) => ['tools', index, path].filter((part) => part !== '').join('.')
    if (!parsed.success) {
      problems.push(...parsed.error.issues.map((issue) => ({ path: at(issue.path.join('.')), message: issue.message })))
      return []
    }
    problems.push(...problemsOf(parsed.data).map(({ path, message }) => ({ path: at(path), message })))
    return [parsed.data]
  })
  const names = definitions.map((definition) => definition.name)
  definitions.forEach(({ name }, index) => {
    if (names.indexOf(name) !== index)
      problems.push({ path: `tools.${index}.name`, message: `"${name}" is used twice` })
    if (name === 'search_tools') problems.push({ path: `tools.${index}.name`, message: 'is reserved' })
  })
  if (problems.length > 0) {
    const first = problems[0]
    throw new GatewayError('VALIDATION_ERROR', `${first?.path}: ${first?.message}`, { fields: problems.slice(0, 50) })
  }
  const takeName = uniqueNames()
  const tools = definitions.map((definition) => toolOf(definition, takeName))
  return bounded({ tools, skipped: [], warnings: [] }, maxTools, 'The list of tools is empty.')
}

function problemsOf({ endpoint, inputSchema, paramLocations }: ManualTool): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  if (!endpoint.startsWith('/')) problems.push({ path: 'endpoint', message: 'must start with "/"' })
  if (/[\\#\x00-\x20\x7f]/.test(endpoint))
    problems.push({ path: 'endpoint', message: 'must have no space, "#", "\\" or control character' })
  if (hasDotSegment(endpoint)) problems.push({ path: 'endpoint', message: 'must have no "." or ".." segment' })
  if (inputSchema.type !== 'object') problems.push({ path: 'inputSchema.type', message: 'must be "object"' })
  if (JSON.stringify(inputSchema).length > MAX_SCHEMA_BYTES)
    problems.push({ path: 'inputSchema', message: 'must be at most 64 KiB' })
  const many = tooManySchemas(inputSchema)
  if (many !== undefined) problems.push({ path: 'inputSchema', message: many })
  const foreign = foreignReference(inputSchema)
  if (foreign !== undefined) problems.push({ path: 'inputSchema', message: foreign })
  const declared = new Set(entriesOf(inputSchema.properties).map(([name]) => name))
  for (const [name, where] of Object.entries(paramLocations ?? {})) {
    const path = `paramLocations.${name}`
    if (!declared.has(name)) problems.push({ path, message: 'names no property of inputSchema' })
    if (where === 'header' && isForbiddenHeader(name))
      problems.push({ path, message: 'is a header a tool may not set' })
    if (where === 'cookie' && !isToken(name)) problems.push({ path, message: 'is not a cookie name' })
  }
  return problems
}

function hasDotSegment(endpoint: string): boolean {
  const path = endpoint.replace(/\?.*$/s, '')
  return decode(decode(path))
    .split(/[\\/]/)
    .some((segment) => segment === '.' || segment === '..')
}

/** Only `#…` references, and no deeper than a validator can follow. */
export function foreignReference(schema: unknown, depth = 0): string | undefined {
  if (depth > MAX_SCHEMA_DEPTH) return `nests deeper than ${MAX_SCHEMA_DEPTH} levels`
  if (Array.isArray(schema)) {
    return schema.map((item) => foreignReference(item, depth + 1)).find((problem) => problem !== undefined)
  }
  if (!isRecord(schema)) return undefined
  for (const key of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const ref = schema[key]
    if (typeof ref === 'string' && !ref.startsWith('#')) return 'has a $ref to another document'
  }
  return Object.values(schema)
    .map((item) => foreignReference(item, depth + 1))
    .find((problem) => problem !== undefined)
}

function toolOf(definition: ManualTool, takeName: (wanted: string) => string): DiscoveredTool {
  const { method, endpoint, name, bodyEncoding } = definition
  const template = templateOf(endpoint, PLACEHOLDER)
  const fixedQuery = template.query(new Map())
  const inputSchema = withPlaceholders(definition.inputSchema, template.names)
  const fallback = NO_BODY.has(method) ? 'query' : 'body'
  const locations = definition.paramLocations ?? {}
  const places = entriesOf(inputSchema.properties).map(([argument]): [string, Place] => {
    if (template.names.has(argument)) return [argument, { in: 'path', name: argument, style: 'simple', explode: false }]
    const where = Object.hasOwn(locations, argument) ? (locations[argument] ?? fallback) : fallback
    return [argument, { in: where, name: argument }]
  })
  const open = inputSchema.additionalProperties !== undefined && inputSchema.additionalProperties !== false
  const hasBody = places.some(([, place]) => place.in === 'body') || (open && fallback === 'body')
  const mediaType = bodyEncoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  return {
    name: takeName(name),
    sourceName: name,
    description: cleanMetadata(definition.description),
    method,
    endpoint,
    path: template.path(new Map()),
    ...(fixedQuery.length > 0 ? { fixedQuery } : {}),
    inputSchema,
    places: Object.fromEntries(places),
    ...(open ? { undeclared: fallback } : {}),
    ...(hasBody ? { body: { encoding: bodyEncoding, mediaType, merged: true } } : {}),
  }
}

/** A placeholder is an argument, also when its author left it out of the schema; without it there is no path. */
function withPlaceholders(schema: JsonRecord, names: ReadonlySet<string>): JsonSchema {
  const cleaned = cleanSchema(schema)
  const own = isRecord(cleaned) ? cleaned : {}
  const declared = entriesOf(own.properties)
  const missing = [...names].filter((name) => get(own.properties, name) === undefined)
  const required = [...new Set([...listOf(own.required).filter((name) => typeof name === 'string'), ...names])]
  return {
    ...own,
    properties: Object.fromEntries([
      ...declared,
      ...missing.map((name): [string, unknown] => [name, { type: 'string' }]),
    ]),
    ...(required.length > 0 ? { required } : {}),
  }
}
