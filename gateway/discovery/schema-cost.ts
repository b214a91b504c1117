// What checking arguments against a schema costs. A hostile one is small to send and endless to use.
import { entriesOf, isRecord, type JsonRecord, listOf } from './record.ts'
import { decode } from './serialize.ts'

/** Compiling takes about a millisecond for each; the largest tool of the real specs we know has half as many. */
const MAX_SUBSCHEMAS = 1000
/** How often references may lead to the same value being looked at. */
const MAX_LOOKS = 5000
/** References followed one after another: no argument nests deeper. */
const MAX_HOPS = 32

export const ONE = [
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
]
export const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']
export const MAPS = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions']
const ANCHORS = ['$anchor', '$dynamicAnchor']
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef']
/** One value meets one of these and no more, however many there are. */
const APART = ['properties', 'prefixItems']
/** Held for others to refer to; nothing is looked at because of them. */
const HELD = ['$defs', 'definitions']

type Child = { readonly key: string; readonly schema: unknown }

function childrenOf(schema: JsonRecord): readonly Child[] {
  return [
    ...ONE.flatMap((key): Child[] => (isRecord(schema[key]) ? [{ key, schema: schema[key] }] : [])),
    ...LISTS.flatMap((key) => listOf(schema[key]).map((item): Child => ({ key, schema: item }))),
    ...MAPS.flatMap((key) => entriesOf(schema[key]).map(([, item]): Child => ({ key, schema: item }))),
  ]
}

export function* schemasIn(schema: unknown): Generator<JsonRecord> {
  const left = [schema]
  while (left.length > 0) {
    const next = left.pop()
    if (!isRecord(next)) continue
    yield next
    for (const child of childrenOf(next)) left.push(child.schema)
  }
}

/** Why a schema is too much for one tool, if it is. */
export function tooManySchemas(schema: unknown): string | undefined {
  let count = 0
  for (const _each of schemasIn(schema)) {
    count += 1
    if (count > MAX_SUBSCHEMAS) return `holds more than ${MAX_SUBSCHEMAS} schemas`
  }
  return undefined
}

/**
 * Whether references make one value be looked at again and again, as `anyOf` of two references to a schema that is the
 * same again. A schema that refers to itself once a level, as a tree does, is not such a one.
 */
export function multiplies(schema: unknown): boolean {
  if (!isRecord(schema)) return false
  const anchors = new Map<string, JsonRecord>()
  let refers = false
  for (const each of schemasIn(schema)) {
    refers ||= REFERENCES.some((key) => typeof each[key] === 'string')
    for (const key of ANCHORS) if (typeof each[key] === 'string') anchors.set(each[key], each)
  }
  if (!refers) return false
  const known = new Map<object, Map<number, number>>()

  const looks = (value: unknown, hops: number, base: JsonRecord): number => {
    if (!isRecord(value)) return 0
    const before = known.get(value)?.get(hops)
    if (before !== undefined) return before
    const root = typeof value.$id === 'string' ? value : base
    const remember = (sum: number): number => {
      const sums = known.get(value) ?? new Map<number, number>()
      known.set(value, sums.set(hops, sum))
      return sum
    }
    // Met again while it is being added up: the way round costs a hop, so this is only a schema inside itself.
    remember(1)
    let sum = 1
    for (const key of REFERENCES) {
      const ref = value[key]
      if (typeof ref === 'string' && hops > 0) sum += looks(targetOf(root, schema, anchors, ref), hops - 1, root)
    }
    const apart = new Map<string, number>()
    for (const child of childrenOf(value)) {
      if (HELD.includes(child.key)) continue
      const each = looks(child.schema, hops, root)
      if (APART.includes(child.key)) apart.set(child.key, Math.max(apart.get(child.key) ?? 0, each))
      else sum += each
    }
    for (const each of apart.values()) sum += each
    return remember(Math.min(sum, MAX_LOOKS + 1))
  }

  return looks(schema, MAX_HOPS, schema) > MAX_LOOKS
}

/** What a reference into the same schema names. */
export function localTarget(root: JsonRecord, ref: string): unknown {
  return ref === '#' ? root : ref.startsWith('#/') ? pointed(root, ref.slice(1)) : undefined
}

/** Where a reference leads: as everywhere here, rather to one place too many than to none. */
function targetOf(root: JsonRecord, whole: JsonRecord, anchors: ReadonlyMap<string, JsonRecord>, ref: string): unknown {
  const at = ref.indexOf('#')
  const fragment = at < 0 ? '' : ref.slice(at + 1)
  if (fragment === '') return root
  return fragment.startsWith('/') ? (pointed(root, fragment) ?? pointed(whole, fragment)) : anchors.get(fragment)
}

function pointed(root: JsonRecord, pointer: string): unknown {
  let value: unknown = root
  for (const token of pointer.split('/').slice(1)) {
    const key = decode(token).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}
