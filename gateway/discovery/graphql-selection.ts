// What a synthesized document asks for: every plain field, nested objects to a bounded depth.
import {
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql'

// A document longer than this is asked for with less depth: a wide schema would return more than anyone reads.
const MAX_LENGTH = 16 * 1024
const MAX_FRAGMENTS = 16

type Field = GraphQLField<unknown, unknown>
type Memo = Map<string, string>

/** Writes the selection of a field's type: empty for a leaf, otherwise `{ … }`. Types are written once per schema. */
export function selections(schema: GraphQLSchema, maxDepth: number): (type: GraphQLOutputType) => string {
  const memo: Memo = new Map()
  return (type) => {
    const named = getNamedType(type)
    if (!isCompositeType(named)) return ''
    for (let depth = maxDepth; ; depth -= 1) {
      const selection = select(schema, named, depth, memo)
      if (depth <= 1 || selection.length <= MAX_LENGTH) return selection
    }
  }
}

function select(schema: GraphQLSchema, type: GraphQLCompositeType, depth: number, memo: Memo): string {
  const key = `${type.name} ${depth}`
  const known = memo.get(key)
  if (known !== undefined) return known
  const taken = new Map<string, string>()
  const own = isUnionType(type) ? [] : fieldsOf(schema, type.getFields(), depth, memo, taken, '')
  const fragments = isAbstractType(type) ? fragmentsOf(schema, type, depth, memo, taken) : []
  const parts = [...(isAbstractType(type) || own.length === 0 ? ['__typename'] : []), ...own, ...fragments]
  const selection = `{ ${parts.join(' ')} }`
  memo.set(key, selection)
  return selection
}

function fieldsOf(
  schema: GraphQLSchema,
  fields: Readonly<Record<string, Field>>,
  depth: number,
  memo: Memo,
  taken: Map<string, string>,
  owner: string,
): readonly string[] {
  const relay = !Object.hasOwn(fields, 'nodes')
  return Object.values(fields).flatMap((field) => {
    // A field that needs an argument cannot be asked for without one.
    if (field.args.some(isRequiredArgument) || (field.deprecationReason ?? undefined) !== undefined) return []
    const selection = nested(schema, field, depth, memo, relay)
    if (selection === undefined) return []
    const alias = aliasOf(field, taken, owner)
    return alias === undefined ? [] : [`${alias}${field.name}${selection === '' ? '' : ` ${selection}`}`]
  })
}

function nested(schema: GraphQLSchema, field: Field, depth: number, memo: Memo, relay: boolean): string | undefined {
  const named = getNamedType(field.type)
  if (!isCompositeType(named)) return ''
  if (depth <= 1) return undefined
  // The edges of a connection are only its frame: without their nodes the answer would say nothing.
  const node = relay && field.name === 'edges' && isObjectType(named) ? named.getFields().node : undefined
  const inner = node === undefined || node.args.some(isRequiredArgument) ? undefined : getNamedType(node.type)
  if (isCompositeType(inner)) return `{ node ${select(schema, inner, depth - 1, memo)} }`
  return select(schema, named, depth - 1, memo)
}

/** Two members of a union may use one name for two types; such a field answers under its type's name. */
function aliasOf(field: Field, taken: Map<string, string>, owner: string): string | undefined {
  const type = String(field.type)
  const before = taken.get(field.name)
  if (before === undefined || before === type) {
    taken.set(field.name, type)
    return ''
  }
  const alias = `${owner}_${field.name}`
  if (taken.has(alias)) return undefined
  taken.set(alias, type)
  return `${alias}: `
}

function fragmentsOf(
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  depth: number,
  memo: Memo,
  taken: Map<string, string>,
): readonly string[] {
  const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : []
  if (possible.length > MAX_FRAGMENTS) return []
  const shared = new Set(isUnionType(type) || !('getFields' in type) ? [] : Object.keys(type.getFields()))
  return possible.flatMap((member) => {
    const own = Object.fromEntries(Object.entries(member.getFields()).filter(([name]) => !shared.has(name)))
    const fields = fieldsOf(schema, own, depth, memo, taken, member.name)
    return fields.length === 0 ? [] : [`... on ${member.name} { ${fields.join(' ')} }`]
  })
}
