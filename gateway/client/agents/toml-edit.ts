// One `[servers.name]` table put into or taken out of a TOML file, by spans: every byte that is not ours stays where it was.
import { parse, stringify, TomlDate, TomlError } from 'smol-toml'
import type { Entry } from './entry-file.ts'
import { AgentFault } from './fault.ts'

type Statement = {
  /** A header opens a table; a pair belongs to the header above it. */
  readonly kind: 'header' | 'pair'
  readonly path: readonly string[]
  readonly from: number
  /** After its line end. */
  readonly to: number
}

const unreadable = (why: string): AgentFault =>
  new AgentFault('FILE_UNREADABLE', `The file cannot be read as TOML: ${why}. Correct it, then try again.`)
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof TomlDate)

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text)
  } catch (error) {
    throw unreadable(error instanceof TomlError ? `line ${error.line} is not right` : 'it nests too deep')
  }
}

/** The end of a string that begins here; only called on text that parsed. */
function stringEnd(text: string, from: number): number {
  const quote = text[from] ?? ''
  const long = text.startsWith(quote.repeat(3), from) ? quote.repeat(3) : quote
  let at = from + long.length
  for (; at < text.length && !text.startsWith(long, at); at += 1) if (quote === '"' && text[at] === '\\') at += 1
  at += long.length
  // Up to two quotes may stand before the closing three.
  if (long.length === 3) while (text[at] === quote) at += 1
  return at
}

/** Where the statement that begins here ends: a line end outside of strings and brackets. */
function statementEnd(text: string, from: number): number {
  let depth = 0
  let at = from
  while (at < text.length) {
    const char = text[at]
    if (char === '"' || char === "'") {
      at = stringEnd(text, at)
      continue
    }
    if (char === '#') {
      const end = text.indexOf('\n', at)
      at = end === -1 ? text.length : end
      continue
    }
    if (char === '[' || char === '{') depth += 1
    else if (char === ']' || char === '}') depth -= 1
    else if (char === '\n' && depth === 0) return at + 1
    at += 1
  }
  return at
}

/** The dotted key a statement begins with, or holds between its brackets. */
function keyOf(statement: string): { path: readonly string[]; header: boolean } {
  const opening = /^\[{1,2}/.exec(statement)?.[0] ?? ''
  const path: string[] = []
  let at = opening.length
  for (;;) {
    at += /^[ \t]*/.exec(statement.slice(at))?.[0].length ?? 0
    const quoted = statement[at] === '"' || statement[at] === "'"
    const end = quoted ? stringEnd(statement, at) : at + (/^[A-Za-z0-9_-]+/.exec(statement.slice(at))?.[0].length ?? 0)
    const token = statement.slice(at, end)
    if (token === '') throw unreadable('a key is not right')
    path.push(quoted ? (Object.keys(parse(`${token} = 0`))[0] ?? '') : token)
    at = end + (/^[ \t]*/.exec(statement.slice(end))?.[0].length ?? 0)
    if (statement[at] !== '.') return { path, header: opening !== '' }
    at += 1
  }
}

function statementsOf(text: string): readonly Statement[] {
  const found: Statement[] = []
  let table: readonly string[] = []
  for (let at = 0; at < text.length; ) {
    const to = statementEnd(text, at)
    const statement = text
      .slice(at, to)
      .replace(/^\uFEFF/, '')
      .trim()
    if (statement !== '' && !statement.startsWith('#')) {
      const { path, header } = keyOf(statement)
      if (header) table = path
      found.push({ kind: header ? 'header' : 'pair', path: header ? path : [...table, ...path], from: at, to })
    }
    at = to
  }
  return found
}

const within = (path: readonly string[], outer: readonly string[]): boolean =>
  outer.every((name, index) => path[index] === name)
const bareOrQuoted = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name))
const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** A flat table; what nests in it stands inline, so that one header is all there is to take away again. */
function block(container: string, name: string, entry: Entry, eol: string): string {
  const inline = (value: unknown): string =>
    isRecord(value)
      ? `{ ${Object.entries(value)
          .map(([key, each]) => `${bareOrQuoted(key)} = ${inline(each)}`)
          .join(', ')} }`
      : stringify({ value }).trim().slice('value = '.length)
  return [
    `[${bareOrQuoted(container)}.${bareOrQuoted(name)}]`,
    ...Object.entries(entry).map(([key, value]) => `${bareOrQuoted(key)} = ${inline(value)}`),
    '',
  ].join(eol)
}

/** From its header to the end of its last line, with its sub-tables. A person may have written it in another form. */
function spansOf(text: string, container: string, name: string): readonly (readonly [number, number])[] {
  const spans: [number, number][] = []
  for (const { kind, path, from, to } of statementsOf(text)) {
    if (!within(path, [container, name])) continue
    const last = spans.at(-1)
    // Comments between two lines of one table are the table's.
    if (last && kind === 'pair') last[1] = to
    else if (last && text.slice(last[1], from).trim() === '') last[1] = to
    else spans.push([from, to])
  }
  return spans
}

function taken(text: string, [from, to]: readonly [number, number]): string {
  const before = text.slice(0, from)
  const after = text.slice(to)
  // The empty line that sets it apart goes with it.
  const blank = /(?<=^|\n)\r?\n$/.exec(before)?.[0].length ?? 0
  return before.slice(0, before.length - blank) + after
}

export const tomlEdit = {
  read(text: string, container: string): Readonly<Record<string, unknown>> {
    const all = parsed(text)[container]
    if (all !== undefined && !isRecord(all)) throw unreadable(`"${container}" is not a table`)
    return all ?? {}
  },

  parse: (text: string): unknown => parsed(text),

  put(text: string, container: string, name: string, entry: Entry): string {
    const eol = eolOf(text)
    const spans = spansOf(text, container, name)
    const [span] = spans
    if (spans.length > 1) throw unreadable(`the table of "${name}" stands in several places`)
    if (span) return text.slice(0, span[0]) + block(container, name, entry, eol) + text.slice(span[1])
    const apart = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol
    return text + apart + block(container, name, entry, eol)
  },

  remove(text: string, container: string, name: string): string {
    return spansOf(text, container, name).reduceRight(taken, text)
  },
}
