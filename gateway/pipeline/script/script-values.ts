// The type of an expression in a script, as far as the schemas of its input and its tools say.
import type { AnyNode, CallExpression } from 'acorn'
import type { JsonSchema } from '../../discovery/tool.ts'
import { isList, itemsOf, kindsOf, propertyOf, type Type, typeOfSchema } from './schema-type.ts'
import { childrenOf, isCast, isFunction, propertyNamed, returnedBy } from './script-tree.ts'

export type ScriptProblem = {
  readonly line: number
  readonly column: number
  readonly severity: 'error' | 'warning'
  readonly message: string
}
export type CheckedTool = { readonly name: string; readonly input: JsonSchema; readonly result: JsonSchema | null }

export type Scope = {
  readonly source: string
  readonly tools: ReadonlyMap<string, CheckedTool>
  /** How often each name is declared. */
  readonly declared: ReadonlyMap<string, number>
  /** Of names that are declared once. */
  readonly types: Map<string, Type | undefined>
  /** Tools that are called by their name. */
  readonly used: Set<string>
  readonly report: (node: AnyNode, message: string, severity?: ScriptProblem['severity']) => void
}

const SAME_LIST = new Set(['filter', 'slice', 'toReversed', 'toSorted', 'concat'])
const ONE_OF_LIST = new Set(['find', 'findLast', 'at'])
const NUMERIC = new Set(['-', '*', '/', '%', '**'])
const COMPARING = new Set(['===', '!==', '==', '!=', '<', '>', '<=', '>=', 'in', 'instanceof'])

export const calleeName = ({ callee }: CallExpression): string | undefined =>
  callee.type === 'Identifier' ? callee.name : undefined
export const stringIn = (node: AnyNode | undefined): string | undefined =>
  node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
export const memberName = (node: AnyNode): string | undefined =>
  node.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier'
    ? node.property.name
    : undefined

/** The objects with a tool in the first argument of `callMany`. */
export function callsIn(node: AnyNode | undefined): AnyNode[] {
  if (node === undefined) return []
  return propertyNamed(node, 'tool') ? [node] : childrenOf(node).flatMap(callsIn)
}

export function typeOf(node: AnyNode, scope: Scope): Type | undefined {
  if (isCast(scope.source, node)) return undefined
  switch (node.type) {
    case 'Literal':
      return node.value instanceof RegExp ? undefined : typeOfSchema({ const: node.value })
    case 'Identifier':
      return scope.types.get(node.name)
    case 'ChainExpression':
      return typeOf(node.expression, scope)
    case 'AwaitExpression': {
      const type = typeOf(node.argument, scope)
      return type && 'promised' in type ? type.promised : type
    }
    case 'MemberExpression': {
      const type = typeOf(node.object, scope)
      const name = memberName(node)
      if (node.computed) return node.property.type === 'Literal' ? itemsOf(type) : undefined
      return name === undefined ? undefined : propertyOf(type, name)
    }
    case 'CallExpression':
      return typeOfCall(node, scope)
    default:
      return undefined
  }
}

function typeOfCall(node: CallExpression, scope: Scope): Type | undefined {
  const [first, options] = node.arguments
  const resultOf = (tool: AnyNode | undefined) => typeOfSchema(scope.tools.get(stringIn(tool) ?? '')?.result)
  switch (calleeName(node)) {
    case 'call':
      return { promised: resultOf(first) }
    case 'callMany': {
      const tools = callsIn(first).map((each) => propertyNamed(each, 'tool'))
      const isOne = new Set(tools.map(stringIn)).size === 1 && options === undefined
      return { promised: { items: isOne ? resultOf(tools[0]) : undefined } }
    }
    case 'tryCall':
    case 'keep':
      return { promised: undefined }
    default:
      return typeOfMethod(node, scope)
  }
}

function typeOfMethod({ callee, arguments: [first] }: CallExpression, scope: Scope): Type | undefined {
  const method = memberName(callee)
  if (callee.type !== 'MemberExpression' || method === undefined) return undefined
  const type = typeOf(callee.object, scope)
  if (!isList(type)) return undefined
  if (SAME_LIST.has(method)) return type
  if (ONE_OF_LIST.has(method)) return itemsOf(type)
  if (method !== 'map' || first === undefined || !isFunction(first)) return undefined
  const [returned, ...others] = returnedBy(first)
  return { items: returned && others.length === 0 && !first.async ? typeOf(returned, scope) : undefined }
}

/** The kinds of value that an expression may be, in words. */
export function kindsGiven(node: AnyNode, scope: Scope): ReadonlySet<string> | undefined {
  switch (node.type) {
    case 'TemplateLiteral':
      return new Set(['text'])
    case 'ObjectExpression':
      return new Set(['an object'])
    case 'ArrayExpression':
      return new Set(['a list'])
    case 'UnaryExpression':
      if (node.operator === '!') return new Set(['true or false'])
      return node.operator === '-' ? new Set(['a number']) : undefined
    case 'BinaryExpression':
      if (NUMERIC.has(node.operator)) return new Set(['a number'])
      return COMPARING.has(node.operator) ? new Set(['true or false']) : undefined
    default:
      return kindsOf(typeOf(node, scope))
  }
}
