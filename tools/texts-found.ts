// Finds the texts of a source of the renderer: those that `t`, `plural`, `rich` and `word` translate, and those outside.
import { parseSync } from 'vite'
import { isProse, NOT_TEXT_CALLS, NOT_TEXT_NAMES, NOT_TEXT_TABLES, TEXT_NAMES } from './texts-rules.ts'

/** A node of the ESTree; its fields are read by name. */
export type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>
export type Place = { readonly file: string; readonly line: number }
export type Key = Place & { readonly text: string; readonly one?: string }
export type Outside = Place & { readonly text: string; readonly node: Node }
export type FoundTexts = { readonly keys: readonly Key[]; readonly outside: readonly Outside[] }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
const nodeIn = (node: Node, field: string): Node | undefined => {
  const value = node[field]
  return isNode(value) ? value : undefined
}
const nodesIn = (node: Node, field: string): readonly Node[] => {
  const value = node[field]
  return Array.isArray(value) ? value.filter(isNode) : []
}
const childrenOf = (node: Node): readonly Node[] =>
  Object.keys(node).flatMap((field) => {
    const value = node[field]
    return isNode(value) ? [value] : Array.isArray(value) ? value.filter(isNode) : []
  })

/** The text of a literal; of a template, with `{}` for its values. */
export function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'JSXText') return String(node.value)
  if (node.type !== 'TemplateLiteral') return undefined
  return nodesIn(node, 'quasis')
    .map(({ value }) => String((value as { cooked?: string }).cooked)) // the parser's shape of a quasi
    .join('{}')
}

export const nameOf = (node: Node | undefined): string => {
  if (!node) return ''
  if (node.type === 'MemberExpression') return nameOf(nodeIn(node, 'property'))
  if (node.type === 'JSXNamespacedName') return nameOf(nodeIn(node, 'name'))
  return String(node.name ?? node.value ?? '')
}

const TRANSLATES: Readonly<Record<string, number>> = { t: 0, rich: 0, word: 0, plural: 1, counted: 1 }
/** Expressions that hand a text on. */
const THROUGH =
  /^(Conditional|Logical)Expression$|^(TSAs|TSSatisfies)|^ArrayExpression$|^TemplateLiteral$|^ReturnStatement$/
const SKIPPED =
  /^(ImportDeclaration|ExportAllDeclaration|ImportExpression|TaggedTemplateExpression|JSXOpeningFragment)$/

/** `<code>` and `<kbd>` show what is typed. */
const isCode = (element: Node | undefined): boolean => {
  const opening = element && nodeIn(element, 'openingElement')
  return /^(code|kbd|pre)$/.test(opening ? nameOf(nodeIn(opening, 'name')) : '')
}

/** A value of a table whose other values are texts: `{ '1': t('One day'), '30': '30 days' }`. */
function isBesideTexts(row: Node, table: Node | undefined, text: string): boolean {
  if (table?.type !== 'ObjectExpression' || NOT_TEXT_NAMES.test(nameOf(nodeIn(row, 'key'))) || !/\p{L}{2,}/u.test(text))
    return false
  const rows = nodesIn(table, 'properties')
  return (
    rows.some((each) => isTranslated(nodeIn(each, 'value'))) &&
    rows.every(
      (each) =>
        !TEXT_NAMES.has(nameOf(nodeIn(each, 'key'))) &&
        /^(Call|Literal|Template)/.test(nodeIn(each, 'value')?.type ?? ''),
    )
  )
}

const isTranslated = (node: Node | undefined): boolean =>
  node?.type === 'CallExpression' && /^(t|plural|rich)$/.test(nameOf(nodeIn(node, 'callee')))

/** Whether the text is one for people, by what takes it. */
function isShown(node: Node, parents: readonly Node[]): boolean {
  const text = textOf(node) ?? ''
  if (node.type === 'JSXText') return /\p{L}{2,}/u.test(text) && !isCode(parents[0])
  if (parents.some((each) => NOT_TEXT_TABLES.test(nameOf(nodeIn(each, each.type === 'Property' ? 'key' : 'id')))))
    return false
  let at = 0
  let below = node
  for (let parent = parents[0]; parent && THROUGH.test(parent.type); parent = parents[at]) {
    if (parent.type === 'ConditionalExpression' && nodeIn(parent, 'test') === below) return false
    // A word in one case is a text if that in the other case is one.
    if (parent.type === 'ConditionalExpression' && /\p{L}{2,}/u.test(text))
      if (['consequent', 'alternate'].some((branch) => isTranslated(nodeIn(parent, branch)))) return true
    below = parent
    at += 1
  }
  const taker = parents[at]
  if (!taker) return false
  switch (taker.type) {
    case 'JSXExpressionContainer':
      return parents[at + 1]?.type === 'JSXAttribute'
        ? byName(nameOf(nodeIn(parents[at + 1] as Node, 'name')), text) // the line above has seen it
        : /\p{L}{2,}/u.test(text)
    case 'JSXAttribute':
      return byName(nameOf(nodeIn(taker, 'name')), text)
    case 'Property':
      if (nodeIn(taker, 'key') === below) return false
      return byName(nameOf(nodeIn(taker, 'key')), text) || isBesideTexts(taker, parents[at + 1], text)
    case 'VariableDeclarator':
      return byName(nameOf(nodeIn(taker, 'id')), text)
    case 'CallExpression':
    case 'NewExpression':
      return nodeIn(taker, 'callee') !== below && !NOT_TEXT_CALLS.test(nameOf(nodeIn(taker, 'callee'))) && isProse(text)
    case 'BinaryExpression':
      return taker.operator === '+' && isProse(text)
    case 'MemberExpression':
    case 'SwitchCase':
    case 'ExpressionStatement':
    case 'ExportNamedDeclaration':
      return false
    default:
      return isProse(text)
  }
}

function byName(name: string, text: string): boolean {
  if (NOT_TEXT_NAMES.test(name)) return false
  return TEXT_NAMES.has(name) ? /\p{L}{2,}/u.test(text) : isProse(text)
}

function keyOf(node: Node): Omit<Key, keyof Place> | undefined {
  const name = nameOf(nodeIn(node, 'callee'))
  const at = nodeIn(node, 'callee')?.type === 'Identifier' ? TRANSLATES[name] : undefined
  if (at === undefined) return undefined
  const args = nodesIn(node, 'arguments')
  const text = (index: number): string | undefined => {
    const arg = args[index]
    return arg?.type === 'Literal' ? textOf(arg) : undefined
  }
  const first = text(at)
  if (first === undefined) return undefined
  if (name === 'counted') return { one: `{count} ${first}`, text: `{count} ${first}s` }
  const many = name === 'plural' ? text(2) : undefined
  return many === undefined ? { text: first } : { one: first, text: many }
}

export function textsIn(file: string, source: string): FoundTexts {
  const { program, errors } = parseSync(file, source)
  if (errors[0]) throw new Error(`${file} could not be parsed: ${errors[0].message}`)
  const keys: Key[] = []
  const outside: Outside[] = []
  const line = (node: Node): number => source.slice(0, node.start).split('\n').length
  const visit = (node: Node, parents: readonly Node[]): void => {
    if (SKIPPED.test(node.type) || (node.type.startsWith('TS') && !/^TS(As|Satisfies|NonNull)/.test(node.type))) return
    const key = node.type === 'CallExpression' ? keyOf(node) : undefined
    if (key) keys.push({ ...key, file, line: line(node) })
    else if (textOf(node) !== undefined && isShown(node, parents))
      outside.push({ text: (textOf(node) ?? '').trim(), node, file, line: line(node) })
    const skipped = key ? nodesIn(node, 'arguments').filter(({ type }) => type === 'Literal') : []
    for (const child of childrenOf(node)) if (!skipped.includes(child)) visit(child, [node, ...parents])
  }
  visit(program as unknown as Node, []) // the parser types each node; here they are read by name
  return { keys, outside }
}
