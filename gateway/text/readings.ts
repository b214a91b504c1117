// Foreign text with decoded escapes, and a map from each character to its source position.

/** The decoded text. */
export type Reading = {
  readonly text: string
  /** The source position of an index, or of the end. */
  readonly origin: (index: number) => number
}

/** HTML names of ASCII characters. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  sol: '/',
  bsol: '\\',
  plus: '+',
  equals: '=',
  colon: ':',
  semi: ';',
  comma: ',',
  period: '.',
  lowbar: '_',
  UnderBar: '_',
  excl: '!',
  num: '#',
  dollar: '$',
  percnt: '%',
  lpar: '(',
  rpar: ')',
  ast: '*',
  midast: '*',
  quest: '?',
  commat: '@',
  lsqb: '[',
  lbrack: '[',
  rsqb: ']',
  rbrack: ']',
  Hat: '^',
  grave: '`',
  lcub: '{',
  lbrace: '{',
  verbar: '|',
  vert: '|',
  rcub: '}',
  rbrace: '}',
  nbsp: ' ',
  Tab: '\t',
  NewLine: '\n',
}

const BACKSLASH = 0x5c
const PERCENT = 0x25
const AMPERSAND = 0x26
const SEMICOLON = 0x3b

/** Characters without a glyph that can separate the letters of a secret. */
const unseen = (code: number): boolean =>
  (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) ||
  (code >= 0x7f && code <= 0x9f) ||
  code === 0xad ||
  code === 0x34f ||
  code === 0x61c ||
  (code >= 0x200b && code <= 0x200f) ||
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2060 && code <= 0x206f) ||
  (code >= 0xfe00 && code <= 0xfe0f) ||
  code === 0xfeff

const [ESCAPE_START, UNSEEN_HERE] = [1, 2]
const NOT_PLAIN = /[^\t\n\r\x20-\x7e]/

/** Escapes of other characters than quotes and backslashes, which occur in most JSON. */
const ESCAPED = /\\[ux/]|%[0-9A-Fa-fu]|&[#A-Za-z]/
const QUOTED = /\\["'\\]/
const UNSEEN =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\u034f|[\ufe00-\ufe0f]/

/** An escape cut off at the end of a text. */
export const CUT_ESCAPE =
  /(?:\\(?:u[0-9A-Fa-f]{0,3}|x[0-9A-Fa-f]?)?|%(?:u[0-9A-Fa-f]{0,3}|[0-9A-Fa-f])?|&(?:#[xX]?[0-9A-Fa-f]{0,7}|[A-Za-z]{0,31})?)$/

function hexValue(text: string, from: number, digits: number): number {
  let value = 0
  for (let at = from; at < from + digits; at += 1) {
    const code = text.charCodeAt(at) | 0x20
    if (code >= 0x30 && code <= 0x39) value = value * 16 + code - 0x30
    else if (code >= 0x61 && code <= 0x66) value = value * 16 + code - 0x57
    else return -1
  }
  return value
}

/** Decodes an escape: code point in the low bits, length in the high bits. Zero without an escape. */
type Escape = number
const LENGTH_SHIFT = 0x200000
const escape = (code: number, length: number): Escape => (code < 0 ? 0 : length * LENGTH_SHIFT + code)

const CONTROLS: Readonly<Record<string, number>> = { b: 8, f: 12, n: 10, r: 13, t: 9 }

function afterBackslash(text: string, at: number): Escape {
  const letter = text[at + 1]
  if (letter === undefined) return 0
  if (letter === 'u') return escape(hexValue(text, at + 2, 4), 6)
  if (letter === 'x') return escape(hexValue(text, at + 2, 2), 4)
  if ('"\'\\/'.includes(letter)) return escape(letter.charCodeAt(0), 2)
  return escape(CONTROLS[letter] ?? -1, 2)
}

function afterPercent(text: string, at: number): Escape {
  if (text[at + 1] === 'u') return escape(hexValue(text, at + 2, 4), 6)
  return escape(hexValue(text, at + 1, 2), 3)
}

const ENTITY = /&(?:#(\d{1,8})|#[xX]([0-9A-Fa-f]{1,7})|([A-Za-z]{2,8}));?/y

function afterAmpersand(text: string, at: number): Escape {
  ENTITY.lastIndex = at
  const found = ENTITY.exec(text)
  if (found === null) return 0
  const [whole, decimal, hex, name] = found
  if (name !== undefined) {
    // Without `;` it may be a URL parameter.
    const named =
      whole.charCodeAt(whole.length - 1) === SEMICOLON && Object.hasOwn(NAMED, name) ? NAMED[name] : undefined
    return named === undefined ? 0 : escape(named.charCodeAt(0), whole.length)
  }
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  return code > 0x10ffff ? 0 : escape(code, whole.length)
}

/** What an ASCII character can start: an escape, or a character without a glyph. */
const SPECIAL = Uint8Array.from({ length: 128 }, (_none, code) =>
  code === BACKSLASH || code === PERCENT || code === AMPERSAND ? ESCAPE_START : unseen(code) ? UNSEEN_HERE : 0,
)

/** Decodes one level of escapes; undefined if there are none. */
export function withoutEscapes(text: string, withQuotes: boolean): Reading | undefined {
  if (!hasSpecial(text) || (!ESCAPED.test(text) && !UNSEEN.test(text) && !(withQuotes && QUOTED.test(text))))
    return undefined
  let read = ''
  // Copies runs of ordinary characters; records their start in the result and in the source.
  const starts: number[] = []
  const written: number[] = []
  let run = 0
  const add = (piece: string, from: number): void => {
    if (piece === '') return
    starts.push(read.length)
    written.push(from)
    read += piece
  }
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    const special = code < 128 ? SPECIAL[code] : unseen(code) ? UNSEEN_HERE : 0
    const found = special === ESCAPE_START ? escapeAt(text, at, code) : 0
    if (found === 0 && special !== UNSEEN_HERE) {
      at += 1
      continue
    }
    add(text.slice(run, at), run)
    if (found !== 0) add(String.fromCodePoint(found % LENGTH_SHIFT), at)
    at += found === 0 ? 1 : Math.floor(found / LENGTH_SHIFT)
    run = at
  }
  add(text.slice(run), run)
  return { text: read, origin: originIn(starts, written, read.length, text.length) }
}

/** Tests for escapes and invisible characters at once; most texts have neither. */
const hasSpecial = (text: string): boolean =>
  text.includes('\\') || text.includes('%') || text.includes('&') || NOT_PLAIN.test(text)

function escapeAt(text: string, at: number, code: number): Escape {
  if (code === BACKSLASH) return afterBackslash(text, at)
  return code === PERCENT ? afterPercent(text, at) : afterAmpersand(text, at)
}

/** Binary search for the run of an index. */
function originIn(starts: readonly number[], written: readonly number[], length: number, end: number) {
  return (index: number): number => {
    if (index >= length) return end
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= index) low = middle
      else high = middle - 1
    }
    const next = written[low + 1] ?? end
    // Both code units of an escape have the same source position.
    return Math.min((written[low] ?? 0) + index - (starts[low] ?? 0), Math.max(written[low] ?? 0, next - 1))
  }
}
