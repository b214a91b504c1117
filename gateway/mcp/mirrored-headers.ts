// Headers that mirror a modern request: method, name, and arguments marked with `x-mcp-header`.
import { MODERN } from './era.ts'
import { isRecord, type JsonRecord } from './record.ts'

type Mirror = { readonly header: string; readonly path: readonly string[] }

const ANNOTATION = 'x-mcp-header'
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/
const MIRRORED_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])
/** Keywords that map arbitrary names to schemas. */
const NAME_MAPS: ReadonlySet<string> = new Set(['patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Keywords whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example'])

const mirrors = new WeakMap<object, readonly Mirror[] | null>()

/** Null for an invalid annotation: the tool must not be listed. */
function scan(root: JsonRecord): readonly Mirror[] | null {
  const found: Mirror[] = []
  let broken = false
  const walk = (schema: unknown, path: readonly string[] | undefined): void => {
    if (Array.isArray(schema)) {
      for (const each of schema) walk(each, undefined)
      return
    }
    if (!isRecord(schema)) return
    if (Object.hasOwn(schema, ANNOTATION)) {
      const name = schema[ANNOTATION]
      const fits = typeof name === 'string' && TOKEN.test(name) && MIRRORED_TYPES.has(schema.type)
      if (fits && path !== undefined && path.length > 0) found.push({ header: `mcp-param-${name.toLowerCase()}`, path })
      else broken = true
    }
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'properties' && isRecord(value))
        for (const [name, inner] of Object.entries(value)) walk(inner, path && [...path, name])
      else if (NAME_MAPS.has(key) && isRecord(value)) for (const inner of Object.values(value)) walk(inner, undefined)
      else if (!DATA.has(key)) walk(value, undefined)
    }
  }
  walk(root, [])
  const distinct = new Set(found.map(({ header }) => header)).size === found.length
  return broken || !distinct ? null : found
}

function mirrorsOf(schema: unknown): readonly Mirror[] | null {
  if (!isRecord(schema)) return []
  const known = mirrors.get(schema)
  if (known !== undefined) return known
  const found = scan(schema)
  mirrors.set(schema, found)
  return found
}

export function mirrorsFit(inputSchema: unknown): boolean {
  return mirrorsOf(inputSchema) !== null
}

/** Printable ASCII is sent as is; everything else, and text that looks like the escape, in Base64. */
function headerText(value: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
  return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined
}

/** The mirrored arguments by header; undefined if absent or null. */
export function mirroredArguments(
  inputSchema: unknown,
  args: JsonRecord,
): readonly (readonly [string, string | undefined])[] {
  return (mirrorsOf(inputSchema) ?? []).map(({ header, path }) => {
    let value: unknown = args
    for (const name of path) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
    return [header, scalarText(value)] as const
  })
}

/** The `Mcp-Param-*` headers of a call. */
export function paramHeaders(inputSchema: unknown, args: JsonRecord): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const [header, text] of mirroredArguments(inputSchema, args))
    if (text !== undefined) headers[header] = headerText(text)
  return headers
}

const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

export function modernHeaders(method: string, params: JsonRecord): Readonly<Record<string, string>> {
  const name = params[NAMED_BY[method] ?? '']
  return {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  }
}
