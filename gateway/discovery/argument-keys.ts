// Property keys that every model API accepts: listed in place of those that it would refuse, and translated back on a call.
import { createHash } from 'node:crypto'
import { cleanMetadata } from '../text/clean.ts'
import { entriesOf, isRecord, type JsonRecord, listOf } from './record.ts'
import { LISTS, localTarget, MAPS, ONE, schemasIn } from './schema-cost.ts'
import type { JsonSchema } from './tool.ts'

export const MODEL_KEY = /^[A-Za-z0-9_.-]{1,64}$/
const MAX_KEY = 64
const HASH_LENGTH = 8

export type ArgumentKeys = {
  /** The key that a property is listed under. */
  readonly keyOf: (name: string) => string
  /** The schema as it is listed: `schema` may be the stored one with other descriptions. */
  readonly listed: (schema: JsonSchema) => JsonSchema
  /** The arguments under their original names; `problems` collects those that were sent under both. */
  readonly restored: (args: JsonRecord, problems: string[]) => JsonRecord
  /** Paths into arguments under their original names, beside those that were given. */
  readonly originalPaths: (paths: readonly string[]) => readonly string[]
}

const known = new WeakMap<JsonSchema, ArgumentKeys | null>()

/** Undefined where every key fits, which costs a call nothing. */
export function argumentKeysOf(schema: JsonSchema): ArgumentKeys | undefined {
  let keys = known.get(schema)
  if (keys === undefined) {
    const safe = safeKeys(schema)
    keys =
      safe.size === 0
        ? null
        : {
            keyOf: (name) => safe.get(name) ?? name,
            listed: (given) => renamed(given, safe),
            restored: restorer(schema, safe),
            originalPaths: originalPaths(safe),
          }
    known.set(schema, keys)
  }
  return keys ?? undefined
}

/** One key for a name wherever it stands in the schema, so that it depends on no order and no nesting. */
function safeKeys(schema: JsonSchema): ReadonlyMap<string, string> {
  const names = new Set<string>()
  for (const each of schemasIn(schema)) for (const [name] of entriesOf(each.properties)) names.add(name)
  const odd = [...names].filter((name) => !MODEL_KEY.test(name))
  const wanted = Map.groupBy(odd, plainKey)
  // Arguments of the gateway itself begin with two underscores.
  const free = (key: string) => key !== '' && !key.startsWith('__') && !names.has(key) && wanted.get(key)?.length === 1
  return new Map(
    odd.map((name) => {
      const key = plainKey(name)
      return [name, key.length <= MAX_KEY && free(key) ? key : hashedKey(key, name)]
    }),
  )
}

const plainKey = (name: string): string =>
  name
    .replaceAll(/[^A-Za-z0-9_.-]+/g, ' ')
    .trim()
    .replaceAll(' ', '_')
    .replace(/^\.(?=.)/, '')

function hashedKey(key: string, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)
  return `${key === '' ? 'argument' : key.slice(0, MAX_KEY - 1 - HASH_LENGTH)}_${hash}`
}

function originalPaths(safe: ReadonlyMap<string, string>): ArgumentKeys['originalPaths'] {
  const originals = new Map([...safe].map(([name, key]) => [key, name]))
  const known = new WeakMap<readonly string[], readonly string[]>()
  const original = (path: string): string =>
    path
      .split('.')
      .map((segment) => originals.get(segment) ?? segment)
      .join('.')
  return (paths) => {
    let found = known.get(paths)
    if (found === undefined) known.set(paths, (found = [...new Set([...paths, ...paths.map(original)])]))
    return found
  }
}

function renamed(schema: JsonSchema, safe: ReadonlyMap<string, string>): JsonSchema {
  const key = (name: string): string => safe.get(name) ?? name
  const each = (value: unknown): unknown => (isRecord(value) ? renamed(value, safe) : value)
  const listed: Record<string, unknown> = { ...schema }
  for (const keyword of ONE) if (isRecord(schema[keyword])) listed[keyword] = each(schema[keyword])
  for (const keyword of LISTS) if (Array.isArray(schema[keyword])) listed[keyword] = schema[keyword].map(each)
  for (const keyword of MAPS) {
    if (!isRecord(schema[keyword])) continue
    const named = NAMED_BY_PROPERTY.has(keyword) ? key : (name: string) => name
    listed[keyword] = Object.fromEntries(entriesOf(schema[keyword]).map(([name, value]) => [named(name), each(value)]))
  }
  if (isRecord(schema.properties)) listed.properties = propertiesOf(schema.properties, safe, each)
  if (Array.isArray(schema.required)) listed.required = schema.required.map((name) => key(String(name)))
  if (isRecord(schema.dependentRequired))
    listed.dependentRequired = Object.fromEntries(
      entriesOf(schema.dependentRequired).map(([name, needed]) => [key(name), listOf(needed).map(String).map(key)]),
    )
  return listed
}

/** Maps of schemas whose keys are names of properties. */
const NAMED_BY_PROPERTY: ReadonlySet<string> = new Set(['dependentSchemas', 'dependencies'])

function propertiesOf(
  properties: JsonRecord,
  safe: ReadonlyMap<string, string>,
  each: (value: unknown) => unknown,
): JsonRecord {
  return Object.fromEntries(
    entriesOf(properties).map(([name, value]) => {
      const key = safe.get(name)
      return key === undefined ? [name, each(value)] : [key, withOriginal(each(value), name)]
    }),
  )
}

function withOriginal(schema: unknown, name: string): unknown {
  if (schema === false) return schema
  const given = isRecord(schema) ? schema : {}
  const original = `Original name: ${cleanMetadata(name, 256)}`
  return {
    ...given,
    description: typeof given.description === 'string' ? `${given.description} ${original}` : original,
  }
}

/** A key is translated only where the schema declares its original, so that free-form data passes unchanged. */
function restorer(root: JsonSchema, safe: ReadonlyMap<string, string>): ArgumentKeys['restored'] {
  const originals = new Map([...safe].map(([name, key]) => [key, name]))
  const restoredValue = (value: unknown, schemas: ReadonlySet<JsonRecord>, problems: string[]): unknown => {
    if (schemas.size === 0 || typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const items = applying(root, [...schemas].flatMap(itemSchemas))
      return items.size === 0 ? value : value.map((item) => restoredValue(item, items, problems))
    }
    const object = value as JsonRecord // an object that is no array
    const entries = Object.entries(object).map(([key, inner]): [string, unknown] => {
      const original = originals.get(key)
      const declared = original !== undefined && [...schemas].some((schema) => declares(schema, original))
      if (declared && Object.hasOwn(object, original)) {
        problems.push(`${key} and ${original} are the same argument: send one of them`)
        return [key, inner]
      }
      const name = declared ? original : key
      const below = applying(
        root,
        [...schemas].flatMap((schema) => propertySchemas(schema, name)),
      )
      return [name, restoredValue(inner, below, problems)]
    })
    return Object.fromEntries(entries)
  }
  const top = applying(root, [root])
  return (args, problems) => restoredValue(args, top, problems) as JsonRecord // an object stays one
}

const declares = ({ properties }: JsonRecord, name: string): boolean =>
  isRecord(properties) && Object.hasOwn(properties, name)

function propertySchemas(schema: JsonRecord, name: string): readonly unknown[] {
  const { properties, patternProperties, additionalProperties } = schema
  if (isRecord(properties) && Object.hasOwn(properties, name)) return [properties[name]]
  return [...entriesOf(patternProperties).map(([, value]) => value), additionalProperties]
}

const itemSchemas = ({ items, prefixItems, additionalItems }: JsonRecord): readonly unknown[] => [
  ...(Array.isArray(items) ? items : [items]),
  ...listOf(prefixItems),
  additionalItems,
]

/** Every schema that looks at the same value. */
function applying(root: JsonSchema, given: readonly unknown[]): ReadonlySet<JsonRecord> {
  const found = new Set<JsonRecord>()
  const left = [...given]
  while (left.length > 0) {
    const schema = left.pop()
    if (!isRecord(schema) || found.has(schema)) continue
    found.add(schema)
    const { $ref, allOf, anyOf, oneOf, dependentSchemas } = schema
    left.push(...listOf(allOf), ...listOf(anyOf), ...listOf(oneOf), schema.if, schema.then, schema.else)
    left.push(...entriesOf(dependentSchemas).map(([, value]) => value))
    if (typeof $ref === 'string') left.push(localTarget(root, $ref))
  }
  return found
}
