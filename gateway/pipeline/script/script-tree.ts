// The syntax tree of a script, whose types were replaced by spaces: its names, its main function, and what its text says beside it.
import type { AnyNode, Expression, Identifier, Pattern, Program } from 'acorn'

export type FunctionNode = Extract<
  AnyNode,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

export function childrenOf(node: AnyNode): AnyNode[] {
  return Object.values(node)
    .flat()
    .filter((value) => isNode(value))
}

export const isFunction = (node: AnyNode): node is FunctionNode =>
  node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'

/** Children that are values: no names of properties and labels. */
export function valuesOf(node: AnyNode): AnyNode[] {
  const children = childrenOf(node)
  switch (node.type) {
    case 'MemberExpression':
      return node.computed ? children : children.filter((child) => child !== node.property)
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return node.computed ? children : children.filter((child) => child !== node.key || child === node.value)
    case 'LabeledStatement':
      return [node.body]
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'MetaProperty':
      return []
    default:
      return children
  }
}

export function namesIn(pattern: Pattern): Identifier[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern]
    case 'ObjectPattern':
      return pattern.properties.flatMap((each) =>
        each.type === 'RestElement' ? namesIn(each.argument) : namesIn(each.value),
      )
    case 'ArrayPattern':
      return pattern.elements.flatMap((each) => (each === null ? [] : namesIn(each)))
    case 'AssignmentPattern':
      return namesIn(pattern.left)
    case 'RestElement':
      return namesIn(pattern.argument)
    default:
      return []
  }
}

/** How often each name is declared, in any scope. */
export function declaredIn(program: Program): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  const add = (patterns: readonly (Pattern | null | undefined)[]): void => {
    for (const pattern of patterns)
      for (const { name } of pattern ? namesIn(pattern) : []) found.set(name, (found.get(name) ?? 0) + 1)
  }
  const visit = (node: AnyNode): void => {
    if (isFunction(node)) add([...node.params, node.id])
    if (node.type === 'VariableDeclarator') add([node.id])
    if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') add([node.id])
    if (node.type === 'CatchClause') add([node.param])
    childrenOf(node).forEach(visit)
  }
  visit(program)
  return found
}

/** The function that a run calls, if there is one. */
export function mainOf(program: Program): FunctionNode | 'unknown' | undefined {
  for (const statement of program.body) {
    if (statement.type !== 'ExportDefaultDeclaration') continue
    const { declaration } = statement
    if (isFunction(declaration)) return declaration
    if (declaration.type !== 'Identifier') return 'unknown'
    const { name } = declaration
    const named = program.body.find((each) => each.type === 'FunctionDeclaration' && each.id.name === name)
    return named && isFunction(named) ? named : 'unknown'
  }
  return program.body.some((each) => each.type === 'ExportNamedDeclaration') ? 'unknown' : undefined
}

/** What a function returns; not what functions inside it do. */
export function returnedBy({ body }: FunctionNode): Expression[] {
  if (body.type !== 'BlockStatement') return [body]
  const found: Expression[] = []
  const visit = (node: AnyNode): void => {
    if (isFunction(node)) return
    if (node.type === 'ReturnStatement' && node.argument) found.push(node.argument)
    childrenOf(node).forEach(visit)
  }
  visit(body)
  return found
}

export function propertyNamed(node: AnyNode, name: string): AnyNode | undefined {
  if (node.type !== 'ObjectExpression') return undefined
  for (const each of node.properties) if (each.type === 'Property' && keyOf(each) === name) return each.value
  return undefined
}

/** Undefined where it is computed. */
export function keyOf(property: {
  readonly computed: boolean
  readonly key: Extract<AnyNode, { type: 'Property' }>['key']
}): string | undefined {
  if (property.computed) return undefined
  const { key } = property
  if (key.type === 'Identifier') return key.name
  return key.type === 'Literal' ? String(key.value) : undefined
}

const CAST = /^\s*(?:as\s+(?!const\b)|satisfies\s)/
const ANNOTATED = /^\s*(?:[?!]\s*)?:(?!\s*Input\b)/
const MOST_READ = 200

/** `x as T`, whose type is what it says. */
export const isCast = (source: string, { end }: AnyNode): boolean => CAST.test(source.slice(end, end + MOST_READ))

/** `x: T`, other than the input. */
export const isAnnotated = (source: string, { end }: AnyNode): boolean =>
  ANNOTATED.test(source.slice(end, end + MOST_READ))
