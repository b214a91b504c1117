// The parts of a line of TypeScript that have a colour of their own. Pure, and one pass over each line.

export type TokenKind = 'plain' | 'comment' | 'text' | 'number' | 'keyword' | 'type' | 'call'
export type Token = { readonly kind: TokenKind; readonly text: string; readonly at: number }
/** What a line begins inside of. */
export type Within = 'code' | 'comment' | 'template'

const KEYWORDS = new Set(
  [
    'as async await break case catch class const continue default delete do else export extends false finally for',
    'from function if import in instanceof interface keyof let new null of readonly return satisfies static switch',
    'this throw true try type typeof undefined var void while yield',
  ].flatMap((words) => words.split(' ')),
)
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$'
const DIGITS = '0123456789'
const WORD = new Set(LETTERS + DIGITS)
const NUMBER = new Set(`${LETTERS}${DIGITS}.`)
const PLAIN = new Set(`"'\`/${LETTERS}${DIGITS}`)

function endOf(line: string, from: number, goesOn: (character: string) => boolean): number {
  let end = from + 1
  while (end < line.length && goesOn(line[end] ?? '')) end += 1
  return end
}

/** A comment's sign, a quote, a word, a number, or the characters up to one of them. */
function partAt(line: string, at: number): string {
  const two = line.slice(at, at + 2)
  if (two === '//' || two === '/*') return two
  const first = two[0] ?? ''
  if (first === '"' || first === "'" || first === '`') return first
  if (LETTERS.includes(first))
    return line.slice(
      at,
      endOf(line, at, (next) => WORD.has(next)),
    )
  if (DIGITS.includes(first))
    return line.slice(
      at,
      endOf(line, at, (next) => NUMBER.has(next)),
    )
  return line.slice(
    at,
    endOf(line, at, (next) => !PLAIN.has(next)),
  )
}

/** Where a text ends whose quote is before `from`; -1 where it is open at the end of the line. */
function endOfText(line: string, from: number, quote: string): number {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1
    else if (line[at] === quote) return at + 1
  }
  return -1
}

function kindOfWord(word: string, line: string, end: number): TokenKind {
  if (KEYWORDS.has(word)) return 'keyword'
  if (/^[A-Z]/.test(word)) return 'type'
  return line[end] === '(' ? 'call' : 'plain'
}

export function tokensOf(line: string, within: Within): { readonly tokens: readonly Token[]; readonly next: Within } {
  const tokens: Token[] = []
  let at = 0
  const add = (kind: TokenKind, end: number): void => {
    if (end > at) tokens.push({ kind, text: line.slice(at, end), at })
    at = end
  }
  if (within === 'comment') {
    const close = line.indexOf('*/')
    add('comment', close === -1 ? line.length : close + 2)
    if (close === -1) return { tokens, next: 'comment' }
  }
  if (within === 'template') {
    const end = endOfText(line, 0, '`')
    add('text', end === -1 ? line.length : end)
    if (end === -1) return { tokens, next: 'template' }
  }
  while (at < line.length) {
    const part = partAt(line, at)
    const end = at + part.length
    const isWord = /^[A-Za-z_$]/.test(part)
    if (part === '//') add('comment', line.length)
    else if (part === '/*') {
      const close = line.indexOf('*/', end)
      add('comment', close === -1 ? line.length : close + 2)
      if (close === -1) return { tokens, next: 'comment' }
    } else if (part === '"' || part === "'" || part === '`') {
      const close = endOfText(line, end, part)
      add('text', close === -1 ? line.length : close)
      if (close === -1 && part === '`') return { tokens, next: 'template' }
    } else if (isWord) add(kindOfWord(part, line, end), end)
    else add(/^\d/.test(part) ? 'number' : 'plain', end)
  }
  return { tokens, next: 'code' }
}

/** What each line begins inside of. */
export function startsOf(lines: readonly string[]): readonly Within[] {
  const starts: Within[] = []
  let within: Within = 'code'
  for (const line of lines) {
    starts.push(within)
    within = tokensOf(line, within).next
  }
  return starts
}
