// A schema of a spec (2.0, 3.0 or 3.1) as a self-contained JSON Schema 2020-12 a model can read and a validator can run.

import { cleanLabel, cleanText, hidesText } from '../text/clean.ts'
import { described } from './described.ts'
import { entriesOf, get, isRecord, type JsonRecord, listOf, textOf, textsOf } from './record.ts'
import type { References } from './references.ts'
import { mergeSchemas } from './schema-merge.ts'
import type { JsonSchema } from './tool.ts'

// The contract's depth first; a schema that grows past the budget is written again with less of it, evenly.
const REFERENCE_DEPTHS = [8, 5, 3, 2, 1]
const BUDGET_BYTES = 64 * 1024
const MAX_RECURSION = 2
const MAX_NESTING = 64
const MAX_ENUM = 1000
const MAX_PATTERN = 1024
const MAX_SHORT_TEXT = 300

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])
const NUMBERS = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'multipleOf',
  'minContains',
  'maxContains',
]
const SCHEMAS = [
  'additionalProperties',
  'items',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'unevaluatedItems',
]
const LISTS = ['oneOf', 'anyOf', 'prefixItems']
const EXCLUSIVE = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const
const MEDIA = ['contentEncoding', 'contentMediaType']

/** Most schemas have three or four of some sixty keywords: one pass over what a schema has finds the groups to read. */
const HAS = { values: 1, bounds: 2, object: 4, schemas: 8, lists: 16 } as const
const GROUPS: ReadonlyMap<string, number> = new Map(
  (
    [
      [HAS.values, 'enum const default format example examples deprecated uniqueItems'.split(' '), MEDIA],
      [HAS.bounds, NUMBERS, ['pattern'], EXCLUSIVE.map(([exclusive]) => exclusive)],
      [HAS.object, ['properties', 'required', 'patternProperties', 'dependentRequired']],
      [HAS.schemas, SCHEMAS],
      [HAS.lists, LISTS],
    ] as const
  ).flatMap(([group, ...names]) => names.flat().map((name): [string, number] => [name, group])),
)

type Walk = {
  readonly references: References
  readonly maxDepth: number
  readonly maxText: number
  readonly limited: boolean
  /** What references became where nothing in it had to be cut: the same at any place that has room for it. */
  readonly done: Map<string, Done>
  left: number
  /** How often something was cut, and how deep this part goes. */
  cuts: number
  depth: number
  nesting: number
}
type Done = { readonly schema: JsonSchema; readonly cost: number; readonly depth: number; readonly nesting: number }
type At = { readonly depth: number; readonly nesting: number; readonly stack: readonly string[] }

class OverBudget extends Error {}

/** Never fails: what cannot be read is left open, and its description states that. */
export function inputSchemaOf(references: References, schema: unknown): JsonSchema {
  const start: At = { depth: 0, nesting: 0, stack: [] }
  for (const maxDepth of REFERENCE_DEPTHS) {
    const maxText = maxDepth === REFERENCE_DEPTHS[0] ? 4096 : MAX_SHORT_TEXT
    try {
      return convert(walkOf(references, { maxDepth, maxText, limited: true }, BUDGET_BYTES), schema, start)
    } catch (cause) {
      if (!(cause instanceof OverBudget)) throw cause
    }
  }
  const last = { maxDepth: 1, maxText: MAX_SHORT_TEXT, limited: false }
  return convert(walkOf(references, last, 4 * BUDGET_BYTES), schema, start)
}

type Rules = Pick<Walk, 'maxDepth' | 'maxText' | 'limited'>
const conversions = new WeakMap<References, Map<number, Map<string, Done>>>()

function walkOf(references: References, rules: Rules, left: number): Walk {
  const all = conversions.get(references) ?? new Map<number, Map<string, Done>>()
  conversions.set(references, all)
  const done = all.get(rules.maxText) ?? new Map<string, Done>()
  all.set(rules.maxText, done)
  return { ...rules, references, done, left, cuts: 0, depth: 0, nesting: 0 }
}

function spend(walk: Walk, bytes: number): boolean {
  walk.left -= bytes
  if (walk.left >= 0) return true
  if (walk.limited) throw new OverBudget()
  return false
}

function convert(walk: Walk, schema: unknown, at: At): JsonSchema {
  if (schema === false) return { not: {} }
  if (!isRecord(schema)) return {}
  if (typeof schema.$ref !== 'string')
    return convertPlain(walk, schema, { depth: at.depth, nesting: at.nesting + 1, stack: at.stack })
  const target = walk.references.follow(schema)
  if (!target.ok) return { description: cleanLabel(`Any value: ${target.reason}.`) }
  const { ref = schema.$ref } = target
  const repeats = at.stack.filter((seen) => seen === ref).length
  const inner: At = { depth: at.depth + 1, nesting: at.nesting + 1, stack: [...at.stack, ref] }
  if (repeats >= MAX_RECURSION || inner.depth > walk.maxDepth) return outline(walk, target.value)
  // Keywords beside a reference belong to this place alone.
  const shared = Object.keys(schema).length === 1
  return shared ? convertShared(walk, ref, target.value, inner) : convertPlain(walk, target.value, inner)
}

function convertShared(walk: Walk, ref: string, value: unknown, at: At): JsonSchema {
  const known = walk.done.get(ref)
  if (known && at.depth + known.depth <= walk.maxDepth && at.nesting + known.nesting <= MAX_NESTING) {
    reach(walk, at.depth + known.depth, at.nesting + known.nesting)
    if (spend(walk, known.cost)) return known.schema
    return outline(walk, value)
  }
  const { cuts, left, depth, nesting } = walk
  walk.depth = at.depth
  walk.nesting = at.nesting
  const schema = convertPlain(walk, value, at)
  if (walk.cuts === cuts) {
    const part = { depth: walk.depth - at.depth, nesting: walk.nesting - at.nesting }
    walk.done.set(ref, { schema, cost: left - walk.left, ...part })
  }
  reach(walk, depth, nesting)
  return schema
}

function reach(walk: Walk, depth: number, nesting: number): void {
  walk.depth = Math.max(walk.depth, depth)
  walk.nesting = Math.max(walk.nesting, nesting)
}

// Where inlining stops, a model still sees which kind of value belongs here.
function outline(walk: Walk, schema: unknown): JsonSchema {
  walk.cuts += 1
  const out: Record<string, unknown> = {}
  if (!isRecord(schema)) return out
  const type = isRecord(schema.properties) || Array.isArray(schema.allOf) ? 'object' : typesOf(schema)
  if (type !== undefined) out.type = type
  const values = listOf(schema.enum).filter(isClean)
  if (values.length > 0 && values.length <= MAX_ENUM) out.enum = values
  const description = textOf(schema.description)
  if (description !== undefined) out.description = described(description, Math.min(walk.maxText, MAX_SHORT_TEXT))
  return out
}

/** What `convert` returns when nothing is left of the budget, without the way there. */
function outlineAt(walk: Walk, property: unknown, at: At): JsonSchema {
  const value = walk.references.valueOf(property)
  return isRecord(value) ? outline(walk, value) : convert(walk, property, at)
}

function convertPlain(walk: Walk, schema: unknown, at: At): JsonSchema {
  if (!isRecord(schema)) return schema === false ? { not: {} } : {}
  if (at.nesting > MAX_NESTING || !spend(walk, 24)) return outline(walk, schema)
  reach(walk, at.depth, at.nesting)
  const own = keywords(walk, schema, at)
  const parts = listOf(schema.allOf)
  if (parts.length === 0) return nullable(schema, own)
  const merged = parts.map((part) => convert(walk, part, at)).reduce(mergeSchemas, {})
  return nullable(schema, mergeSchemas(merged, own))
}

function keywords(walk: Walk, schema: JsonRecord, at: At): JsonSchema {
  const out: Record<string, unknown> = {}
  let has = 0
  for (const key in schema) has |= GROUPS.get(key) ?? 0
  const type = typesOf(schema)
  if (type !== undefined) out.type = type
  const description = textOf(schema.description)
  if (description !== undefined) out.description = described(description, walk.maxText)
  if (has & HAS.values || schema.type === 'file') addValues(schema, out)
  if (has & HAS.bounds) addBounds(schema, out)
  if (has & HAS.object) addObject(walk, schema, at, out)
  if (has & HAS.schemas) addSchemas(walk, schema, at, out)
  if (has & HAS.lists) {
    for (const key of LISTS) {
      if (Array.isArray(schema[key]) && schema[key].length > 0)
        Object.assign(out, { ...alternatives(walk, schema, key, at), ...message(out) })
    }
  }
  spend(walk, textSize(out))
  return out
}

function addSchemas(walk: Walk, schema: JsonRecord, at: At, out: Record<string, unknown>): void {
  for (const key of SCHEMAS) {
    const value = schema[key]
    if (isRecord(value) || typeof value === 'boolean') out[key] = value === true ? true : convert(walk, value, at)
  }
  if (schema.additionalProperties === false) out.additionalProperties = false
  if (schema.unevaluatedProperties === false) out.unevaluatedProperties = false
  if (Array.isArray(schema.items)) out.prefixItems = schema.items.map((item) => convert(walk, item, at))
}

function message(out: JsonRecord): JsonSchema {
  return typeof out.description === 'string' ? { description: out.description } : {}
}

function textSize(out: JsonRecord): number {
  const description = typeof out.description === 'string' ? out.description.length : 0
  return description + (Array.isArray(out.enum) ? JSON.stringify(out.enum).length : 0) + 12 * Object.keys(out).length
}

export function typesOf(schema: JsonRecord): string | readonly string[] | undefined {
  if (schema.type === 'file') return 'string'
  if (Array.isArray(schema.type)) {
    const types = textsOf(schema.type).filter((type) => TYPES.has(type))
    return types.length > 1 ? types : types[0]
  }
  if (typeof schema.type === 'string' && TYPES.has(schema.type)) return schema.type
  if (isRecord(schema.properties)) return 'object'
  return schema.items === undefined ? undefined : 'array'
}

function addChoices(schema: JsonRecord, out: Record<string, unknown>): void {
  const allowed = listOf(schema.enum).filter(isClean)
  if (allowed.length > 0 && allowed.length <= MAX_ENUM) out.enum = allowed
  if ('const' in schema && isClean(schema.const)) out.const = schema.const
}

function addValues(schema: JsonRecord, out: Record<string, unknown>): void {
  addChoices(schema, out)
  if (schema.default !== undefined && isClean(schema.default)) out.default = schema.default
  const format = schema.type === 'file' ? 'binary' : textOf(schema.format)
  if (format !== undefined) out.format = format.slice(0, 64)
  const example = schema.example ?? listOf(schema.examples)[0]
  if (
    out.enum === undefined &&
    (typeof example === 'number' || (typeof example === 'string' && example.length <= 80))
  ) {
    out.examples = [typeof example === 'string' ? described(example) : example]
  }
  for (const key of MEDIA) if (textOf(schema[key]) !== undefined) out[key] = schema[key]
  if (schema.deprecated === true) out.deprecated = true
  if (schema.uniqueItems === true) out.uniqueItems = true
}

// A value travels as it is written, so one that hides something is not offered at all.
export function isClean(value: unknown): boolean {
  return typeof value !== 'string' || cleanText(value) === value
}

function addBounds(schema: JsonRecord, out: Record<string, unknown>): void {
  for (const key of NUMBERS) if (typeof schema[key] === 'number' && Number.isFinite(schema[key])) out[key] = schema[key]
  // Before 3.1 `exclusiveMinimum` was a switch on `minimum`.
  for (const [exclusive, plain] of EXCLUSIVE) {
    if (typeof schema[exclusive] === 'number' && Number.isFinite(schema[exclusive])) out[exclusive] = schema[exclusive]
    if (schema[exclusive] === true && out[plain] !== undefined) {
      out[exclusive] = out[plain]
      delete out[plain]
    }
  }
  const pattern = textOf(schema.pattern)
  if (pattern !== undefined && isSafePattern(pattern)) out.pattern = pattern
}

// A repeated group that itself repeats is how a pattern takes exponential time; such a pattern only helps an attacker.
function isSafePattern(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN || /[+*}]\)[+*{]|\([^()]*\|[^()]*\)[+*]/.test(pattern)) return false
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    // Written for another engine: better no pattern than a tool that cannot be called.
    return false
  }
}

function addObject(walk: Walk, schema: JsonRecord, at: At, out: Record<string, unknown>): void {
  const hidden = new Set<string>()
  const required = new Set(textsOf(schema.required))
  const properties: Record<string, JsonSchema> = {}
  for (const [name, property] of entriesOf(schema.properties)) {
    const { references } = walk
    const absent = get(references.valueOf(property), 'readOnly') === true
    if (absent || name.length > 256 || hidesText(name)) {
      hidden.add(name)
      continue
    }
    spend(walk, name.length + 4)
    const converted = walk.left < 0 ? outlineAt(walk, property, at) : convert(walk, property, at)
    properties[name] = withoutSilentDefault(converted, required.has(name))
  }
  if (isRecord(schema.properties)) out.properties = properties
  const needed = hidden.size === 0 ? [...required] : [...required].filter((name) => !hidden.has(name))
  if (needed.length > 0) out.required = needed
  const patterns = entriesOf(schema.patternProperties).filter(([pattern]) => isSafePattern(pattern))
  if (patterns.length > 0) {
    out.patternProperties = Object.fromEntries(patterns.map(([key, value]) => [key, convert(walk, value, at)]))
  }
  const dependent = entriesOf(schema.dependentRequired).filter(([, names]) => Array.isArray(names))
  if (dependent.length > 0) out.dependentRequired = Object.fromEntries(dependent)
}

/** A default that the server fills in is described, not sent: sending it would turn a PATCH into a reset. */
export function withoutSilentDefault(schema: JsonSchema, required: boolean): JsonSchema {
  if (required || !('default' in schema)) return schema
  const { default: value, ...rest } = schema
  const text = JSON.stringify(value) ?? ''
  if (text === '' || text.length > 100) return rest
  const message = `Default: ${cleanLabel(text)}`
  return { ...rest, description: typeof rest.description === 'string' ? `${rest.description} ${message}` : message }
}

/** A model can only write text: the description states how to write bytes. */
export function fileSchema(schema: JsonSchema): JsonSchema {
  const hint = 'Text, or a base64 data: URI for bytes.'
  return { ...schema, description: typeof schema.description === 'string' ? `${schema.description} ${hint}` : hint }
}

function alternatives(walk: Walk, schema: JsonRecord, key: string, at: At): JsonSchema {
  const branches = listOf(schema[key]).map((branch) => ({ branch, schema: tagged(walk, schema, branch, at) }))
  const isNull = (branch: JsonSchema) => branch.type === 'null'
  const written = key === 'prefixItems' ? branches : branches.filter((b) => !isNull(b.schema))
  const schemas = written.map((b) => b.schema)
  const unique = distinct(schemas)
  const only = unique[0]
  if (key === 'prefixItems') return { prefixItems: schemas }
  if (unique.length !== 1 || only === undefined) {
    return { [key]: written.length === branches.length ? unique : [...unique, { type: 'null' }] }
  }
  return written.length === branches.length ? only : nullable({ nullable: true }, only)
}

/** Branches of different types differ: only others are compared whole. */
function distinct(schemas: readonly JsonSchema[]): readonly JsonSchema[] {
  const types = new Map<unknown, number>()
  for (const { type } of schemas) types.set(type, (types.get(type) ?? 0) + 1)
  const differs = ({ type }: JsonSchema) => typeof type === 'string' && types.get(type) === 1
  if (schemas.every(differs)) return schemas
  return [...new Map(schemas.map((branch) => [differs(branch) ? branch : JSON.stringify(branch), branch])).values()]
}

// The discriminator's own keyword means nothing to a validator; a constant in each branch says the same.
function tagged(walk: Walk, schema: JsonRecord, branch: unknown, at: At): JsonSchema {
  const converted = convert(walk, branch, at)
  const discriminator = isRecord(schema.discriminator) ? textOf(schema.discriminator.propertyName) : undefined
  const ref = isRecord(branch) ? textOf(branch.$ref) : undefined
  if (discriminator === undefined || ref === undefined || discriminator === '__proto__') return converted
  const mapping = isRecord(schema.discriminator) ? entriesOf(schema.discriminator.mapping) : []
  const name = ref.slice(ref.lastIndexOf('/') + 1)
  const mapped = mapping.filter(([, target]) => target === ref || target === name).map(([value]) => value)
  const properties = isRecord(converted.properties) ? converted.properties : {}
  const found = get(properties, discriminator)
  const known = isRecord(found) ? found : undefined
  const property = known ?? { type: 'string' }
  if ('enum' in property || 'const' in property) return converted
  const value = mapped.length > 1 ? { enum: mapped } : { const: mapped[0] ?? name }
  return { ...converted, properties: { ...properties, [discriminator]: { ...property, ...value } } }
}

function nullable(schema: JsonRecord, out: JsonSchema): JsonSchema {
  if (schema.nullable !== true && schema['x-nullable'] !== true) return out
  const { type } = out
  if (type === undefined) return out
  const types = Array.isArray(type) ? type : [type]
  const withNull = types.includes('null') ? types : [...types, 'null']
  const values = Array.isArray(out.enum) && !out.enum.includes(null) ? { enum: [...out.enum, null] } : {}
  return { ...out, type: withNull, ...values }
}
