// What is wrong with a script before it runs: names it does not have, tools outside its list, and values that do not fit the schemas.
// By its tree and the schemas, in milliseconds; a compiler with `gantry composite types` finds more.
import { type AnyNode, type CallExpression, type Pattern, parse } from 'acorn'
import type { JsonSchema } from '../../discovery/tool.ts'
import { GLOBALS, MISSING } from './globals.ts'
import { itemsOf, propertiesOf, propertyOf, type Type, typeOfSchema } from './schema-type.ts'
import { checkCall, fits } from './script-calls.ts'
import { declaredIn, isAnnotated, isFunction, keyOf, mainOf, returnedBy, valuesOf } from './script-tree.ts'
import { type CheckedTool, calleeName, memberName, type Scope, type ScriptProblem, typeOf } from './script-values.ts'

export type Checked = {
  readonly source: string
  /** The source with spaces in place of its types. */
  readonly js: string
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema | null
  readonly tools: readonly CheckedTool[]
}

const MOST_PROBLEMS = 100
const CALLS = new Set(['call', 'tryCall', 'callMany', 'keep'])
const WITH_ITEM = new Set(['map', 'filter', 'forEach', 'find', 'some', 'every', 'flatMap', 'findIndex', 'findLast'])
const LOOPS = new Set(['ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement'])
/** Of every object and promise. */
const INHERITED = new Set(['toString', 'hasOwnProperty', 'valueOf', 'then', 'catch', 'finally'])

function readFrom(node: AnyNode, type: Type | undefined, name: string, { report }: Scope): void {
  if (INHERITED.has(name)) return
  if (type && 'promised' in type) return report(node, `"${name}" is read from a promise: "await" is missing`)
  const properties = propertiesOf(type)
  if (properties && !Object.hasOwn(properties, name)) report(node, `There is no "${name}" in this value`)
}

/** A name that is declared twice is in two scopes, and stays unknown. */
function bind(pattern: Pattern, type: Type | undefined, scope: Scope): void {
  if (isAnnotated(scope.source, pattern)) return
  if (pattern.type === 'Identifier' && scope.declared.get(pattern.name) === 1) scope.types.set(pattern.name, type)
  if (pattern.type === 'AssignmentPattern') bind(pattern.left, type, scope)
  if (pattern.type === 'ArrayPattern')
    for (const each of pattern.elements) if (each && each.type !== 'RestElement') bind(each, itemsOf(type), scope)
  if (pattern.type !== 'ObjectPattern') return
  for (const each of pattern.properties) {
    const key = each.type === 'Property' ? keyOf(each) : undefined
    if (each.type !== 'Property' || key === undefined) continue
    readFrom(each, type, key, scope)
    bind(each.value, propertyOf(type, key), scope)
  }
}

/** The parameter of a callback of a list is one of its items. */
function bindItem({ callee, arguments: [callback] }: CallExpression, scope: Scope): void {
  const method = memberName(callee)
  if (callee.type !== 'MemberExpression' || method === undefined || !WITH_ITEM.has(method)) return
  const [item] = callback && isFunction(callback) ? callback.params : []
  if (item) bind(item, itemsOf(typeOf(callee.object, scope)), scope)
}

/** What is known before the inside of a node is read. */
function enter(node: AnyNode, inLoop: boolean, scope: Scope): void {
  switch (node.type) {
    case 'Identifier':
      if (!scope.declared.has(node.name) && !GLOBALS.has(node.name) && node.name !== 'arguments')
        scope.report(node, MISSING.get(node.name) ?? `"${node.name}" is not defined`)
      return
    case 'ImportDeclaration':
    case 'ImportExpression':
      scope.report(node, 'A script has no modules: it calls the tools of its list')
      return
    case 'ForOfStatement':
      if (node.left.type === 'VariableDeclaration')
        for (const { id } of node.left.declarations) bind(id, itemsOf(typeOf(node.right, scope)), scope)
      return
    case 'ExpressionStatement':
      if (node.expression.type === 'CallExpression' && CALLS.has(calleeName(node.expression) ?? ''))
        scope.report(node, 'The script may end before this call does: "await" is missing', 'warning')
      return
    case 'CallExpression':
      bindItem(node, scope)
      if (inLoop && (calleeName(node) === 'call' || calleeName(node) === 'tryCall'))
        scope.report(node, 'Each turn of the loop waits for its call; callMany makes them at once', 'warning')
      return
    default:
  }
}

/** Returns whether all tools that it calls are named. */
function visit(node: AnyNode, inLoop: boolean, scope: Scope): boolean {
  enter(node, inLoop, scope)
  const within = isFunction(node) ? false : inLoop || LOOPS.has(node.type)
  let isNamed = true
  for (const child of valuesOf(node)) isNamed = visit(child, within, scope) && isNamed
  if (node.type === 'CallExpression') isNamed = checkCall(node, scope) && isNamed
  const name = memberName(node)
  if (node.type === 'MemberExpression' && name !== undefined)
    readFrom(node.property, typeOf(node.object, scope), name, scope)
  if (node.type === 'VariableDeclarator' && node.init) bind(node.id, typeOf(node.init, scope), scope)
  return isNamed
}

export function checkScript({ source, js, inputSchema, outputSchema, tools }: Checked): ScriptProblem[] {
  const program = parse(js, { ecmaVersion: 'latest', sourceType: 'module', locations: true })
  const problems: ScriptProblem[] = []
  const scope: Scope = {
    source,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    declared: declaredIn(program),
    types: new Map(),
    used: new Set(),
    report(node, message, severity = 'error') {
      const { line = 1, column = 0 } = node.loc?.start ?? {}
      if (problems.length < MOST_PROBLEMS) problems.push({ line, column: column + 1, severity, message })
    },
  }
  const main = mainOf(program)
  if (main === undefined) scope.report(program, 'A script has a default export: export default async function (input)')
  if (typeof main === 'object' && main.params[0]) bind(main.params[0], typeOfSchema(inputSchema), scope)
  const isNamed = visit(program, false, scope)
  for (const returned of typeof main === 'object' && outputSchema ? returnedBy(main) : []) {
    // An async function waits for what it returns.
    const type = typeOf(returned, scope)
    if (!(type && 'promised' in type)) fits(returned, typeOfSchema(outputSchema), 'The result', scope)
  }
  for (const { name } of isNamed ? tools : [])
    if (!scope.used.has(name))
      scope.report(program, `${name} is a tool of this script, which does not call it`, 'warning')
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
}
