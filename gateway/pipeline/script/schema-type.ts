// The kinds and parts of a value, by its JSON Schema. Undefined: nothing is known of the value.
import type { JsonSchema } from '../../discovery/tool.ts'

/** A value by a schema, a promise of one, or a list of one. */
export type Type =
  | { readonly schema: JsonSchema; readonly root: JsonSchema }
  | { readonly promised: Type | undefined }
  | { readonly items: Type | undefined }

const MOST_REFERENCES = 8
const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object',
}

export const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const typeOfSchema = (schema: JsonSchema | null | undefined): Type | undefined =>
  schema == null ? undefined : { schema, root: schema }

function pointed(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let found: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return found
}

/** The schema that a reference names; a union or a mixture stays unknown. */
export function plain(schema: unknown, root: JsonSchema): JsonSchema | undefined {
  let found = schema
  for (let at = 0; at < MOST_REFERENCES && isObject(found) && typeof found.$ref === 'string'; at++)
    found = pointed(found.$ref, root)
  if (!isObject(found) || '$ref' in found || 'anyOf' in found || 'oneOf' in found || 'allOf' in found) return undefined
  return found
}

const partOf = (schema: unknown, root: JsonSchema): Type | undefined =>
  isObject(schema) ? { schema, root } : undefined

export const itemsOf = (type: Type | undefined): Type | undefined => {
  if (type === undefined || 'promised' in type) return undefined
  if ('items' in type) return type.items
  const schema = plain(type.schema, type.root)
  return schema?.type === 'array' ? partOf(schema.items, type.root) : undefined
}

export const isList = (type: Type | undefined): boolean =>
  type !== undefined && ('items' in type || ('schema' in type && plain(type.schema, type.root)?.type === 'array'))

/** Undefined where the object may have any property. */
export function propertiesOf(type: Type | undefined): JsonSchema | undefined {
  if (type === undefined || !('schema' in type)) return undefined
  const schema = plain(type.schema, type.root)
  if (schema === undefined || !isObject(schema.properties) || Object.keys(schema.properties).length === 0)
    return undefined
  if (schema.type !== undefined && schema.type !== 'object') return undefined
  const isOpen = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  return isOpen || 'patternProperties' in schema ? undefined : schema.properties
}

export function propertyOf(type: Type | undefined, name: string): Type | undefined {
  if (type === undefined || !('schema' in type)) return undefined
  const properties = plain(type.schema, type.root)?.properties
  return isObject(properties) && Object.hasOwn(properties, name) ? partOf(properties[name], type.root) : undefined
}

export function requiredOf(type: Type | undefined): readonly string[] {
  if (type === undefined || !('schema' in type)) return []
  const required = plain(type.schema, type.root)?.required
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : []
}

/** The kinds of value that fit, in words; undefined where any does. */
export function kindsOf(type: Type | undefined): ReadonlySet<string> | undefined {
  if (type === undefined) return undefined
  if ('promised' in type) return new Set(['a promise'])
  if ('items' in type) return new Set(['a list'])
  const schema = plain(type.schema, type.root)
  if (schema === undefined) return undefined
  if ('const' in schema) return new Set([kindOf(schema.const)])
  if (Array.isArray(schema.enum)) return new Set(schema.enum.map(kindOf))
  const types: unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type]
  const kinds = types.map((each) => (typeof each === 'string' ? KINDS[each] : undefined))
  return kinds.includes(undefined) ? undefined : new Set(kinds.filter((kind) => kind !== undefined))
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return KINDS[typeof value] ?? 'no JSON'
}

/** The values that fit, where they are listed. */
export function choicesOf(type: Type | undefined): readonly unknown[] | undefined {
  if (type === undefined || !('schema' in type)) return undefined
  const schema = plain(type.schema, type.root)
  if (schema !== undefined && 'const' in schema) return [schema.const]
  return Array.isArray(schema?.enum) ? schema.enum : undefined
}
