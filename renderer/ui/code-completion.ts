// What can follow the caret in a script, and what the keys of an editor do to its text. Pure.

export type Completion = { readonly code: string; readonly about: string }
export type Completions = { readonly from: number; readonly items: readonly Completion[] }
export type CompletionSource = {
  /** After an open quote: names of tools. */
  readonly quoted: readonly Completion[]
  /** After a name and a dot. */
  readonly members: Readonly<Record<string, readonly Completion[]>>
  readonly words: readonly Completion[]
}

const MOST = 8
const BEFORE = 200

const starting = (items: readonly Completion[], typed: string): readonly Completion[] =>
  items
    .filter(({ code }) => code.toLowerCase().includes(typed.toLowerCase()) && code !== typed)
    .toSorted((a, b) => Number(b.code.startsWith(typed)) - Number(a.code.startsWith(typed)))
    .slice(0, MOST)

/** `asked`: with a key, also where nothing is typed yet. */
export function completionsAt(
  text: string,
  caret: number,
  source: CompletionSource,
  asked: boolean,
): Completions | undefined {
  const line = text.slice(Math.max(0, caret - BEFORE, text.lastIndexOf('\n', caret - 1) + 1), caret)
  const quoted = /\b(?:call|tryCall)\(\s*["']([\w-]*)$|\btool\s*:\s*["']([\w-]*)$/.exec(line)
  const member = /(?<![\w$])([A-Za-z_$][\w$]*)\.(\w*)$/.exec(line)
  const word = /(?:^|[^\w$."'])([A-Za-z_$][\w$]*)$/.exec(line)
  const [typed, items] = quoted
    ? [quoted[1] ?? quoted[2] ?? '', source.quoted]
    : member
      ? [member[2] ?? '', Object.hasOwn(source.members, member[1] ?? '') ? source.members[member[1] ?? ''] : undefined]
      : [word?.[1] ?? '', source.words]
  if (items === undefined || (typed === '' && !asked && !quoted && !member)) return undefined
  const found = starting(items, typed)
  return found.length === 0 ? undefined : { from: caret - typed.length, items: found }
}

export type Edit = {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly select: readonly [number, number]
}

const INDENT = '  '

/** A new line with the indentation of the one before; deeper after an open bracket. */
export function newLineAt(text: string, from: number, to: number): Edit {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const indent = /^ */.exec(text.slice(start, from))?.[0] ?? ''
  const opens = '{[('.includes(text[from - 1] ?? ' ')
  const closes = opens && '}])'.includes(text[to] ?? ' ')
  const inner = `\n${indent}${opens ? INDENT : ''}`
  const caret = from + inner.length
  return { from, to, text: closes ? `${inner}\n${indent}` : inner, select: [caret, caret] }
}

/** The lines of the selection, deeper or less deep; without one, spaces at the caret. */
export function indentAt(text: string, from: number, to: number, back: boolean): Edit {
  if (from === to && !back) return { from, to, text: INDENT, select: [from + INDENT.length, from + INDENT.length] }
  const start = text.lastIndexOf('\n', from - 1) + 1
  const lines = text.slice(start, to).split('\n')
  const next = lines.map((line) => (back ? line.replace(/^ {1,2}/, '') : line === '' ? line : INDENT + line))
  const moved = (next[0] ?? '').length - (lines[0] ?? '').length
  const inside = next.join('\n')
  return { from: start, to, text: inside, select: [Math.max(start, from + moved), start + inside.length] }
}
