// What a form draws for a JSON Schema: references followed, unions by branch, and JSON as the fallback. Pure.
export type JsonSchema = Readonly<Record<string, unknown>>

type Common = {
  readonly title?: string
  readonly description?: string
  readonly nullable: boolean
  readonly preset?: unknown
}
export type Shape = Common &
  (
    | { readonly kind: 'text'; readonly format?: string; readonly long: boolean; readonly maxLength?: number }
    | { readonly kind: 'number'; readonly whole: boolean; readonly min?: number; readonly max?: number }
    | { readonly kind: 'flag' }
    | { readonly kind: 'choice'; readonly options: readonly unknown[] }
    | { readonly kind: 'list'; readonly item: Shape }
    | { readonly kind: 'record'; readonly fields: readonly FieldShape[] }
    | { readonly kind: 'union'; readonly branches: readonly Shape[] }
    | { readonly kind: 'json' }
  )
export type FieldShape = { readonly name: string; readonly required: boolean; readonly shape: Shape }

/** Deeper than this, and in cycles, a person writes JSON. */
const MOST_DEPTH = 6
const LONG_TEXT = 200

export function shapeOf(schema: unknown, root: unknown = schema, depth = 0): Shape {
  const own = followed(schema, root)
  if (own === undefined || depth > MOST_DEPTH) return { kind: 'json', nullable: false }
  const common = commonOf(own)
  const union = unionOf(own)
  if (union) return fromUnion(union, common, root, depth)
  if (Array.isArray(own.enum)) {
    const options = own.enum.filter((option) => option !== null)
    return { ...common, kind: 'choice', options, nullable: common.nullable || options.length < own.enum.length }
  }
  if ('const' in own) return { ...common, kind: 'choice', options: [own.const] }
  const types = typesOf(own)
  if (types.length > 1)
    return {
      ...common,
      kind: 'union',
      branches: types.map((type) => shapeOf({ ...own, title: type, description: undefined, type }, root, depth + 1)),
    }
  return single(types[0], own, common, root, depth)
}

function single(type: string | undefined, own: JsonSchema, common: Common, root: unknown, depth: number): Shape {
  switch (type) {
    case 'string':
      return {
        ...common,
        kind: 'text',
        long: typeof own.maxLength === 'number' && own.maxLength > LONG_TEXT,
        ...(typeof own.format === 'string' ? { format: own.format } : {}),
        ...(typeof own.maxLength === 'number' ? { maxLength: own.maxLength } : {}),
      }
    case 'integer':
    case 'number':
      return {
        ...common,
        kind: 'number',
        whole: type === 'integer',
        ...(typeof own.minimum === 'number' ? { min: own.minimum } : {}),
        ...(typeof own.maximum === 'number' ? { max: own.maximum } : {}),
      }
    case 'boolean':
      return { ...common, kind: 'flag' }
    case 'array':
      return isRecord(own.items)
        ? { ...common, kind: 'list', item: shapeOf(own.items, root, depth + 1) }
        : { ...common, kind: 'json' }
    case 'object':
      return fieldsOf(own, common, root, depth)
    default:
      return { ...common, kind: 'json' }
  }
}

function fieldsOf(own: JsonSchema, common: Common, root: unknown, depth: number): Shape {
  const properties = isRecord(own.properties) ? Object.entries(own.properties) : []
  // Without properties of its own an object takes any.
  if (properties.length === 0 && (depth > 0 || own.additionalProperties)) return { ...common, kind: 'json' }
  const required = new Set(Array.isArray(own.required) ? own.required : [])
  return {
    ...common,
    kind: 'record',
    fields: properties
      .map(([name, property]) => ({ name, required: required.has(name), shape: shapeOf(property, root, depth + 1) }))
      .toSorted((a, b) => Number(b.required) - Number(a.required)),
  }
}

function fromUnion(union: readonly unknown[], common: Common, root: unknown, depth: number): Shape {
  const branches = union.map((branch) => followed(branch, root)).filter((branch) => branch !== undefined)
  const real = branches.filter((branch) => branch.type !== 'null' && branch.const !== null)
  const nullable = common.nullable || real.length < branches.length
  const [only] = real
  if (only && real.length === 1) return { ...shapeOf(only, root, depth + 1), ...defined(common), nullable }
  if (real.length > 0 && real.every((branch) => 'const' in branch))
    return { ...common, nullable, kind: 'choice', options: real.map((branch) => branch.const) }
  return { ...common, nullable, kind: 'union', branches: real.map((branch) => shapeOf(branch, root, depth + 1)) }
}

function unionOf(schema: JsonSchema): readonly unknown[] | undefined {
  const branches = schema.oneOf ?? schema.anyOf
  if (!Array.isArray(branches) || branches.length === 0) return undefined
  // What stands beside the union holds for every branch of it.
  const { oneOf: _one, anyOf: _any, title: _title, description: _description, default: _preset, ...shared } = schema
  if (Object.keys(shared).every((key) => key.startsWith('$') || key === 'definitions' || key === 'discriminator'))
    return branches
  return branches.map((branch) =>
    isRecord(branch) && !('$ref' in branch) ? { ...shared, ...branch } : { allOf: [shared, branch] },
  )
}

/** The schema itself, with its reference followed and its parts put together. */
function followed(schema: unknown, root: unknown, seen: ReadonlySet<string> = new Set()): JsonSchema | undefined {
  if (!isRecord(schema)) return undefined
  if (typeof schema.$ref === 'string') {
    if (seen.has(schema.$ref)) return undefined
    const target = followed(pointed(root, schema.$ref), root, new Set([...seen, schema.$ref]))
    const { $ref: _ref, ...beside } = schema
    return target && { ...target, ...beside }
  }
  if (!Array.isArray(schema.allOf)) return schema
  const { allOf, ...rest } = schema
  return [rest, ...allOf].reduce<JsonSchema>((whole, part) => merged(whole, followed(part, root, seen) ?? {}), {})
}

function merged(a: JsonSchema, b: JsonSchema): JsonSchema {
  const both = { ...a, ...b }
  if (isRecord(a.properties) && isRecord(b.properties)) both.properties = { ...a.properties, ...b.properties }
  if (Array.isArray(a.required) && Array.isArray(b.required))
    both.required = [...new Set([...a.required, ...b.required])]
  return both
}

function pointed(root: unknown, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let at: unknown = root
  for (const step of reference.slice(2).split('/')) {
    if (!isRecord(at) && !Array.isArray(at)) return undefined
    at = Object.getOwnPropertyDescriptor(
      at,
      decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'),
    )?.value
  }
  return at
}

function typesOf(schema: JsonSchema): readonly string[] {
  const given = Array.isArray(schema.type) ? schema.type : [schema.type]
  const types = given.filter((type): type is string => typeof type === 'string' && type !== 'null')
  if (types.length > 0) return types
  return 'properties' in schema ? ['object'] : 'items' in schema ? ['array'] : []
}

function commonOf(schema: JsonSchema): Common {
  return {
    ...(typeof schema.title === 'string' ? { title: schema.title } : {}),
    ...(typeof schema.description === 'string' ? { description: schema.description } : {}),
    nullable: (Array.isArray(schema.type) && schema.type.includes('null')) || schema.nullable === true,
    ...('default' in schema ? { preset: schema.default } : {}),
  }
}

const defined = (common: Common): Partial<Common> =>
  Object.fromEntries(Object.entries(common).filter(([, value]) => value !== undefined))

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The branch of a union that a value is most likely of. */
export function branchOf(branches: readonly Shape[], value: unknown): number {
  const fits = (shape: Shape): boolean => {
    switch (shape.kind) {
      case 'text':
        return typeof value === 'string'
      case 'number':
        return typeof value === 'number'
      case 'flag':
        return typeof value === 'boolean'
      case 'choice':
        return shape.options.includes(value)
      case 'list':
        return Array.isArray(value)
      case 'record':
        return isRecord(value) && shape.fields.every(({ name, required }) => !required || name in value)
      default:
        return false
    }
  }
  return Math.max(0, branches.findIndex(fits))
}
