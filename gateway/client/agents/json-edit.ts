// One entry put into or taken out of a JSON file with comments, by spans: every byte that is not ours stays where it was.
import { type Node, type ParseError, parseTree } from 'jsonc-parser'
import type { Entry } from './entry-file.ts'
import { AgentFault } from './fault.ts'

type Property = { readonly name: string; readonly key: Node; readonly value: Node }

const BOM = '\uFEFF'
const unreadable = (why: string): AgentFault =>
  new AgentFault('FILE_UNREADABLE', `The file cannot be read as JSON: ${why}. Correct it, then try again.`)

function rootOf(text: string): Node {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: false })
  const [first] = errors
  if (first || !root) throw unreadable(`line ${lineAt(text, first?.offset ?? 0)} is not right`)
  if (root.type !== 'object') throw unreadable('it holds no object')
  return root
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

function propertiesOf(object: Node): readonly Property[] {
  return (object.children ?? []).flatMap(({ children }) => {
    const [key, value] = children ?? []
    return key && value ? [{ name: String(key.value), key, value }] : []
  })
}

/** A name that stands twice means one thing to one reader and another to the next. */
function propertyOf(object: Node, name: string): Property | undefined {
  const found = propertiesOf(object).filter((property) => property.name === name)
  if (found.length > 1) throw unreadable(`"${name}" stands in it twice`)
  return found[0]
}

function containerOf(root: Node, container: string): Node | undefined {
  const found = propertyOf(root, container)
  if (found && found.value.type !== 'object') throw unreadable(`"${container}" is not an object`)
  return found?.value
}

const endOf = ({ offset, length }: Node): number => offset + length
const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? ''

/** What one level is indented by: what the file does, or two spaces. */
function unitOf(text: string, root: Node): string {
  const first = propertiesOf(root)[0]
  const before = first && text.slice(text.lastIndexOf('\n', first.key.offset) + 1, first.key.offset)
  return before && /^[ \t]+$/.test(before) ? before : '  '
}

function written(value: unknown, unit: string, indent: string, eol: string): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', eol + indent)
}

/** Where the comment-free text between two tokens has a comma; undefined when it has none. */
function commaIn(text: string, from: number, to: number): number | undefined {
  for (let at = from; at < to; at += 1) {
    if (text[at] === ',') return at
    if (text.startsWith('//', at)) at = lineEnd(text, at)
    else if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 1
  }
  return undefined
}
const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function inserted(text: string, object: Node, name: string, value: unknown, unit: string): string {
  const eol = eolOf(text)
  const close = endOf(object) - 1
  const last = propertiesOf(object).at(-1)
  const inside = text.slice(object.offset + 1, close)
  const outer = indentAt(text, object.offset)
  if (last && !text.slice(object.offset, close).includes('\n')) {
    const comma = commaIn(text, endOf(last.value), close)
    const entry = `${JSON.stringify(name)}:${JSON.stringify(value)}`
    const at = close - (/(?<![ \t])[ \t]+$/.exec(inside)?.[0] ?? '').length
    return comma === undefined
      ? `${text.slice(0, at)},${entry}${text.slice(at)}`
      : `${text.slice(0, at)}${entry},${text.slice(at)}`
  }
  const indent = last ? indentAt(text, last.key.offset) : outer + unit
  const entry = `${eol}${indent}${JSON.stringify(name)}: ${written(value, unit, indent, eol)}`
  const rest = inside.slice(inside.trimEnd().length)
  const at = close - rest.length
  const tail = text.slice(close)
  if (!last) return `${text.slice(0, at)}${entry}${rest.includes('\n') ? rest : eol + outer}${tail}`
  const comma = commaIn(text, endOf(last.value), close)
  if (comma !== undefined) return `${text.slice(0, at)}${entry},${rest}${tail}`
  const end = endOf(last.value)
  return `${text.slice(0, end)},${text.slice(end, at)}${entry}${rest}${tail}`
}

function removed(text: string, object: Node, property: Property): string {
  const all = propertiesOf(object)
  const index = all.findIndex(({ key }) => key.offset === property.key.offset)
  const close = endOf(object) - 1
  const previous = all[index - 1]
  const next = all[index + 1]
  const from = previous ? endOf(previous.value) : object.offset + 1
  const to = next ? next.key.offset : close
  const comma = commaIn(text, endOf(property.value), to)
  // The white space before it goes with it; what others wrote there stays.
  const start = from + text.slice(from, property.key.offset).trimEnd().length
  const end = comma === undefined ? endOf(property.value) : comma + 1
  const before = text.slice(from, start)
  const after = text.slice(end)
  if (all.length === 1 && text.slice(object.offset + 1, start).trim() === '' && text.slice(end, close).trim() === '')
    return text.slice(0, object.offset + 1) + text.slice(close)
  const leading = comma === undefined && previous ? commaIn(text, from, property.key.offset) : undefined
  if (leading === undefined) return text.slice(0, from) + before + after
  return text.slice(0, leading) + text.slice(leading + 1, start) + after
}

export const jsonEdit = {
  read(given: string, container: string): Readonly<Record<string, unknown>> {
    const object = containerOf(rootOf(bare(given)), container)
    return Object.fromEntries((object ? propertiesOf(object) : []).map(({ name, value }) => [name, valueOf(value)]))
  },

  /** The whole value, to compare what was with what is. */
  parse: (given: string): unknown => (isEmpty(given) ? {} : valueOf(rootOf(bare(given)))),

  put(given: string, container: string, name: string, entry: Entry): string {
    const text = bare(given)
    if (isEmpty(given)) return `${JSON.stringify({ [container]: { [name]: entry } }, null, 2)}\n`
    const root = rootOf(text)
    const unit = unitOf(text, root)
    const object = containerOf(root, container)
    if (!object) return mark(given) + inserted(text, root, container, { [name]: entry }, unit)
    const there = propertyOf(object, name)
    if (!there) return mark(given) + inserted(text, object, name, entry, unit)
    const flat = !text.slice(there.value.offset, endOf(there.value)).includes('\n')
    const indent = indentAt(text, there.key.offset)
    const value = flat ? JSON.stringify(entry) : written(entry, unit, indent, eolOf(text))
    return mark(given) + text.slice(0, there.value.offset) + value + text.slice(endOf(there.value))
  },

  remove(given: string, container: string, name: string): string {
    const text = bare(given)
    const object = containerOf(rootOf(text), container)
    const there = object && propertyOf(object, name)
    return there && object ? mark(given) + removed(text, object, there) : given
  },
}

const mark = (text: string): string => (text.startsWith(BOM) ? BOM : '')
const bare = (text: string): string => text.slice(mark(text).length)
const isEmpty = (text: string): boolean => bare(text).trim() === ''

/** Without a prototype to trip over: `__proto__` is a name like any other. */
function valueOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(valueOf)
  if (node.type !== 'object') return node.value
  return Object.fromEntries(propertiesOf(node).map(({ name, value }) => [name, valueOf(value)]))
}
