// Whether the calls of a script name its tools, and whether values fit the schemas that they are for.
import type { AnyNode, CallExpression } from 'acorn'
import {
  choicesOf,
  itemsOf,
  kindsOf,
  propertiesOf,
  propertyOf,
  requiredOf,
  type Type,
  typeOfSchema,
} from './schema-type.ts'
import { isCast, keyOf, propertyNamed } from './script-tree.ts'
import { calleeName, callsIn, kindsGiven, type Scope, stringIn } from './script-values.ts'

const listed = (words: Iterable<unknown>): string => [...words].join(' or ')

export function fits(node: AnyNode, wanted: Type | undefined, what: string, scope: Scope): void {
  // A reference to a kept result stands for any value.
  if (wanted === undefined || isCast(scope.source, node) || propertyNamed(node, '$ref')) return
  const given = kindsGiven(node, scope)
  const kinds = kindsOf(wanted)
  if (given && kinds && ![...given].some((kind) => kinds.has(kind)))
    return scope.report(node, `${what} is ${listed(given)}; it must be ${listed(kinds)}`)
  const choices = choicesOf(wanted)
  if (choices && node.type === 'Literal' && !choices.includes(node.value))
    return scope.report(node, `${what} must be ${listed(choices.map((choice) => JSON.stringify(choice)))}`)
  if (node.type === 'ObjectExpression') objectFits(node, wanted, what, scope)
  if (node.type === 'ArrayExpression')
    for (const each of node.elements)
      if (each && each.type !== 'SpreadElement') fits(each, itemsOf(wanted), what, scope)
}

type ObjectNode = Extract<AnyNode, { type: 'ObjectExpression' }>

function objectFits(node: ObjectNode, wanted: Type, what: string, scope: Scope): void {
  const properties = propertiesOf(wanted)
  const given = new Set<string>()
  let isWhole = true
  for (const each of node.properties) {
    const key = each.type === 'Property' ? keyOf(each) : undefined
    if (each.type !== 'Property' || key === undefined) {
      isWhole = false
      continue
    }
    given.add(key)
    if (properties && !Object.hasOwn(properties, key)) scope.report(each, `${what} has no "${key}"`)
    else fits(each.value, propertyOf(wanted, key), `"${key}"`, scope)
  }
  const missing = isWhole ? requiredOf(wanted).filter((name) => !given.has(name)) : []
  for (const name of missing) scope.report(node, `${what} needs "${name}"`)
}

/** False where the tool is computed. */
function checkTool(node: AnyNode, tool: AnyNode | undefined, args: AnyNode | undefined, scope: Scope): boolean {
  const name = stringIn(tool)
  if (name === undefined) return false
  scope.used.add(name)
  const known = scope.tools.get(name)
  // Names that were cast are meant as they are.
  if (known === undefined && tool && !isCast(scope.source, tool))
    scope.report(tool, `"${name}" is not a tool of this script`)
  const input = typeOfSchema(known?.input)
  if (args) fits(args, input, name, scope)
  else for (const missing of requiredOf(input)) scope.report(node, `${name} needs "${missing}"`)
  return true
}

/** False where it calls tools whose names are computed. */
export function checkCall(node: CallExpression, scope: Scope): boolean {
  const [first, second] = node.arguments
  const name = calleeName(node)
  if (name === 'call' || name === 'tryCall') return checkTool(node, first, second, scope)
  if (name !== 'callMany') return true
  const calls = callsIn(first)
  const named = calls.map((each) => checkTool(each, propertyNamed(each, 'tool'), propertyNamed(each, 'args'), scope))
  return calls.length > 0 && named.every(Boolean)
}
