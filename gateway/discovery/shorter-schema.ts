// A schema as lists show it, without what it says twice. Calls are validated against the whole schema.
import { argumentKeysOf } from './argument-keys.ts'
import { entriesOf, isRecord, type JsonRecord } from './record.ts'
import { LISTS, MAPS, ONE } from './schema-cost.ts'
import type { DiscoveredTool, JsonSchema } from './tool.ts'

/** Below this depth an object that the schema already describes elsewhere is described by reference. */
const COPY_DEPTH = 2
/** A shorter object costs no more than the sentence that replaces it. */
const SMALLEST_COPY = 256

type Source = Pick<DiscoveredTool, 'method' | 'graphql' | 'inputSchema'>
type Place = { readonly path: string; readonly depth: number; readonly name?: string; readonly above?: unknown }
type Child = { readonly schema: JsonRecord; readonly step: string; readonly name?: string }
/** Equal ids: equal schemas but for their own descriptions. */
type Shape = { readonly id: number; readonly size: number }

const known = new WeakMap<JsonSchema, JsonSchema>()

/** Schemas of MCP servers and editors are listed as they are. */
export function listedSchema({ method, graphql, inputSchema }: Source): JsonSchema {
  if (method === undefined && graphql === undefined) return inputSchema
  const schema = known.get(inputSchema) ?? shorterSchema(inputSchema, argumentKeysOf(inputSchema)?.keyOf)
  known.set(inputSchema, schema)
  return schema
}

/** `keyOf`: the key that a property is listed under, by which the schema refers to it. */
export function shorterSchema(schema: JsonSchema, keyOf = (name: string): string => name): JsonSchema {
  const { isDeep, keepsOpen } = surveyed(schema)
  const shapeOf = isDeep ? shapes() : undefined
  const places = new Map<number, string>()

  /** The sentence that replaces a copy; undefined for the first of its shape. */
  function copied(given: JsonRecord, { path, depth }: Place): string | undefined {
    if (shapeOf === undefined || path === '') return undefined
    const { id, size } = shapeOf(given)
    const first = places.get(id)
    if (first !== undefined && depth > COPY_DEPTH && size >= SMALLEST_COPY) return `Same fields as ${first}.`
    places.set(id, first ?? path)
    return undefined
  }

  function shorter(given: JsonRecord, place: Place): JsonRecord {
    const { description, additionalProperties, ...others } = given
    const isDefault = additionalProperties === undefined || (additionalProperties === true && !keepsOpen)
    const rest = isDefault ? others : { ...others, additionalProperties }
    const isSaid = description === place.above || repeatsName(description, place.name)
    const own = isSaid || description === undefined ? {} : { description }
    const copy = isRecord(given.properties) ? copied(given, place) : undefined
    if (copy !== undefined) return { type: 'object', description: [...Object.values(own), copy].join(' ') }
    const inner = withChildren(rest, ({ schema: child, step, name }) =>
      shorter(child, {
        path: pathTo(place.path, name === undefined ? step : keyOf(name)),
        depth: place.depth + (name === undefined ? 0 : 1),
        ...(name === undefined ? {} : { name }),
        above: description ?? place.above,
      }),
    )
    return { ...inner, ...own }
  }
  return shorter(schema, { path: '', depth: 0 })
}

const pathTo = (path: string, step: string): string =>
  step === '' || step === '[]' || path === '' ? `${path}${step}` : `${path}.${step}`

type Survey = { isDeep: boolean; keepsOpen: boolean }

/** Whether an object with properties stands deep enough to be replaced, and whether a keyword counts which ones are allowed. */
function surveyed(schema: JsonRecord, depth = 0, survey: Survey = { isDeep: false, keepsOpen: false }): Survey {
  survey.isDeep ||= depth > COPY_DEPTH && isRecord(schema.properties)
  survey.keepsOpen ||= 'unevaluatedProperties' in schema
  withChildren(schema, ({ schema: child, name }) => surveyed(child, depth + (name === undefined ? 0 : 1), survey))
  return survey
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
const repeatsName = (description: unknown, name: string | undefined): boolean =>
  typeof description === 'string' &&
  name !== undefined &&
  // Only punctuation can be more; reading every description would take most of the time.
  description.length <= 2 * name.length + 2 &&
  lettersOf(description) === lettersOf(name)

const HOLDING: ReadonlySet<string> = new Set([...ONE, ...LISTS])
const NAMING: ReadonlySet<string> = new Set(MAPS)

/** The schema with each schema in it replaced. */
function withChildren(schema: JsonRecord, replaced: (child: Child) => unknown): JsonRecord {
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    const step = key === 'items' ? '[]' : ''
    if (typeof value !== 'object' || value === null) out[key] = value
    else if (HOLDING.has(key)) {
      const one = (item: unknown): unknown => (isRecord(item) ? replaced({ schema: item, step }) : item)
      out[key] = Array.isArray(value) ? value.map(one) : one(value)
    } else if (NAMING.has(key) && isRecord(value)) {
      const named = (name: string): Omit<Child, 'schema'> =>
        key === 'properties' ? { step: name, name } : { step: '' }
      const entries = entriesOf(value).map(([name, item]): [string, unknown] => [
        name,
        isRecord(item) ? replaced({ schema: item, ...named(name) }) : item,
      ])
      out[key] = Object.fromEntries(entries)
    } else out[key] = value
  }
  return out
}

/** Numbers every shape, in time linear in the schema. */
function shapes(): (schema: JsonRecord) => Shape {
  const found = new WeakMap<JsonRecord, Shape>()
  const ids = new Map<string, number>()
  return function shapeOf(schema): Shape {
    const before = found.get(schema)
    if (before) return before
    let size = 0
    const { description: _description, ...rest } = schema
    const key = JSON.stringify(
      withChildren(rest, ({ schema: child }) => {
        const shape = shapeOf(child)
        size += shape.size
        return [shape.id, child.description ?? null]
      }),
    )
    const id = ids.get(key) ?? ids.size
    ids.set(key, id)
    const shape = { id, size: size + key.length }
    found.set(schema, shape)
    return shape
  }
}
