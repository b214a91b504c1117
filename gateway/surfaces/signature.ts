// A tool in one line: `find_items(id: integer, since?: string) → {items: {id: integer}[]}`. A fifth of the characters of its schema.
import { isObject } from '../mcp/json-rpc.ts'
import type { Listed } from './listed.ts'

const DEEPEST = 3
const MOST_FIELDS = 12
const MOST_VALUES = 8
const MOST_CHARACTERS = 400

const alternatives = (schemas: readonly unknown[], depth: number): string =>
  [...new Set(schemas.map((schema) => typeOf(schema, depth)))].slice(0, MOST_VALUES).join(' | ')

function fieldsOf({ properties, required }: Readonly<Record<string, unknown>>, depth: number): string {
  const needed = new Set(Array.isArray(required) ? required : [])
  const fields = Object.entries(isObject(properties) ? properties : {})
  // Those that must be given first.
  const ordered = [...fields.filter(([name]) => needed.has(name)), ...fields.filter(([name]) => !needed.has(name))]
  const shown = ordered
    .slice(0, MOST_FIELDS)
    .map(([name, schema]) => `${name}${needed.has(name) ? '' : '?'}: ${typeOf(schema, depth)}`)
  return [...shown, ...(ordered.length > MOST_FIELDS ? ['…'] : [])].join(', ')
}

const listOf = (type: string): string => (type.includes(' | ') ? `(${type})[]` : `${type}[]`)

function typeOf(schema: unknown, depth = 0): string {
  if (!isObject(schema)) return 'any'
  const { type, enum: values, const: value, items, anyOf, oneOf } = schema
  if (Array.isArray(values))
    return [
      ...values.slice(0, MOST_VALUES).map((each) => JSON.stringify(each)),
      ...(values.length > MOST_VALUES ? ['…'] : []),
    ].join(' | ')
  if (value !== undefined) return JSON.stringify(value)
  const choice = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined
  if (choice) return alternatives(choice, depth)
  if (Array.isArray(type))
    return alternatives(
      type.map((each) => ({ ...schema, type: each })),
      depth,
    )
  if (type === 'array') return depth === DEEPEST ? 'array' : listOf(typeOf(items, depth + 1))
  if (isObject(schema.properties)) return depth === DEEPEST ? 'object' : `{${fieldsOf(schema, depth + 1)}}`
  return typeof type === 'string' ? type : 'any'
}

export function signatureOf({ name, inputSchema, outputSchema }: Listed): string {
  const result = outputSchema === undefined ? '' : ` → ${typeOf(outputSchema)}`
  const text = `${name}(${fieldsOf(inputSchema, 1)})${result}`
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`
}
