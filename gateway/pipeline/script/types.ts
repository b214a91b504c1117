// TypeScript declarations for a script: its input and output, and the tools it may call, from their schemas. For editors; at run time the guards of each call check its arguments.
import type { JsonSchema } from '../../discovery/tool.ts'

type Typed = {
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema | null
  readonly tools: readonly {
    readonly name: string
    readonly definition: {
      readonly description: string
      readonly inputSchema: JsonSchema
      readonly outputSchema?: JsonSchema
      /** JSON of a schema. */
      readonly resultSchema?: string
    }
  }[]
}

const MOST_DEPTH = 8
/** A schema with more than this is not written out: its values are `any`. */
const MOST_LENGTH = 16_384
const MOST_TEXT = 300

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** One comment: the text cannot end it. */
function comment(text: unknown, indent: string): string {
  if (typeof text !== 'string' || text.trim() === '') return ''
  const line = text.slice(0, MOST_TEXT).replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim()
  return `${indent}/** ${line} */\n`
}

function literal(value: unknown): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value)
  return typeof value === 'number' ? String(value) : 'any'
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'any'

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

type Scope = { readonly root: JsonSchema; readonly depth: number; readonly indent: string }

function pointed(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#/')) return undefined
  return reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((found, part) => (isObject(found) && Object.hasOwn(found, part) ? found[part] : undefined), root)
}

function typeOf(schema: unknown, scope: Scope): string {
  if (!isObject(schema) || scope.depth > MOST_DEPTH) return 'any'
  const deeper = { ...scope, depth: scope.depth + 1 }
  if (typeof schema.$ref === 'string') return typeOf(pointed(schema.$ref, scope.root), deeper)
  if ('const' in schema) return literal(schema.const)
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literal))
  for (const either of [schema.anyOf, schema.oneOf])
    if (Array.isArray(either)) return union(either.map((each) => typeOf(each, deeper)))
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...own } = schema
    const parts = [...(isObject(own.properties) ? [own] : []), ...allOf].map((each) => typeOf(each, deeper))
    return parts.map((part) => (part.includes(' | ') ? `(${part})` : part)).join(' & ') || 'any'
  }
  if (Array.isArray(schema.type)) return union(schema.type.map((type: unknown) => typeOf({ ...schema, type }, deeper)))
  if (schema.type === 'array') return `readonly ${wrapped(typeOf(schema.items, deeper))}[]`
  if (schema.type === 'object' || isObject(schema.properties)) return objectOf(schema, deeper)
  return typeof schema.type === 'string' && Object.hasOwn(SCALARS, schema.type)
    ? (SCALARS[schema.type] ?? 'any')
    : 'any'
}

const wrapped = (type: string): string => (/[|&]| /.test(type) && !type.startsWith('{') ? `(${type})` : type)

function objectOf({ properties, required, additionalProperties }: JsonSchema, scope: Scope): string {
  const needed = new Set(Array.isArray(required) ? required : [])
  const indent = `${scope.indent}  `
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const type = typeOf(schema, { ...scope, indent })
    const described = comment(isObject(schema) ? schema.description : undefined, indent)
    return `${described}${indent}readonly ${keyOf(name)}${needed.has(name) ? '' : '?'}: ${type}\n`
  })
  if (fields.length === 0) {
    const inner = isObject(additionalProperties) ? typeOf(additionalProperties, scope) : 'any'
    return additionalProperties === false ? 'Record<string, never>' : `{ readonly [name: string]: ${inner} }`
  }
  return `{\n${fields.join('')}${scope.indent}}`
}

function typeIn(schema: JsonSchema | null | undefined, indent = ''): string {
  if (schema == null) return 'any'
  const type = typeOf(schema, { root: schema, depth: 0, indent })
  return type.length > MOST_LENGTH ? 'any' : type
}

export const schemaIn = (text: string | undefined): JsonSchema | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as JsonSchema) // written by discovery

const API = `
type Tool = keyof Tools
type Args<T extends Tool> = Tools[T]['args']
type Result<T extends Tool> = Tools[T]['result']
/** What a tool answered. Returned as the result of a script, it is passed on unchanged. */
type Answer<R = any> =
  | { readonly isError: false; readonly json: R; readonly text: string; readonly tool: string }
  | { readonly isError: true; readonly json?: any; readonly text: string; readonly tool: string; readonly code: string }
type Call = { [T in Tool]: { readonly tool: T; readonly args: Args<T> } }[Tool]
type Many = { /** At once: 8 by default, at most 16. */ readonly parallel?: number }
/** The name of a kept value, as an argument of a tool or in a result. */
type Kept = { readonly $ref: string; readonly handle: string; readonly bytes: number; readonly holds: string }

/** Calls a tool as the caller of this script. Returns its JSON, or its text; throws a ToolError. */
declare function call<T extends Tool>(tool: T, args: Args<T>): Promise<Result<T>>
/** The same, and returns errors too. */
declare function tryCall<T extends Tool>(tool: T, args: Args<T>): Promise<Answer<Result<T>>>
/** Several calls at once. Results are in the order of the calls; the first error is thrown, or with settle all are returned. */
declare function callMany<T extends Tool>(
  calls: readonly { readonly tool: T; readonly args: Args<T> }[],
  options?: Many & { readonly settle?: false },
): Promise<Result<T>[]>
declare function callMany<T extends Tool>(
  calls: readonly { readonly tool: T; readonly args: Args<T> }[],
  options: Many & { readonly settle: true },
): Promise<Answer<Result<T>>[]>
/** Keeps a value in the gateway for the caller, and returns its name. */
declare function keep(value: unknown): Promise<Kept>
declare class ToolError extends Error {
  readonly code: string
  readonly tool: string
}
declare const console: { log(...values: unknown[]): void }
`

export function typesOf({ inputSchema, outputSchema, tools }: Typed): string {
  const entries = tools.map(({ name, definition }) => {
    const result = typeIn(definition.outputSchema ?? schemaIn(definition.resultSchema), '    ')
    const args = typeIn(definition.inputSchema, '    ')
    return `${comment(definition.description, '  ')}  ${JSON.stringify(name)}: {\n    args: ${args}\n    result: ${result}\n  }\n`
  })
  return [
    '// Types of a script, generated from the schemas of its tools.\n',
    `type Input = ${typeIn(inputSchema)}\n`,
    `type Output = ${typeIn(outputSchema)}\n`,
    `interface Tools {\n${entries.join('')}}\n`,
    API,
  ].join('')
}
