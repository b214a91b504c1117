// Generators of hostile text, JSON and bytes: a valid value is written, then changed where the case says. A case is plain data, so it can be printed and kept.
import fc from 'fast-check'

const DEEP = 200
/** Each names one trick; they are put into every place that takes text. */
const TEXTS = [
  '\u001b[31mred\u001b[0m',
  '\u001b]0;title\u0007',
  '\u009b31m',
  '\u009d'.repeat(3_000),
  'abc\u202edcba\u202c',
  '\u2066isolated\u2069',
  '\u{e0041}\u{e0042}\u{e0043}',
  'zero\u200bwidth\u2060\ufeff',
  'half \ud83d of a pair',
  '\udc00 other half',
  '\u0000nul',
  'a\r\nx-injected: yes\r\n\r\n',
  'line\u2028separator\u2029',
  '<img src=x onerror=alert(1)>',
  '../../../etc/passwd',
  '%2e%2e%2f%00',
  '__proto__',
  'constructor',
  'toString',
  '${jndi:ldap://127.0.0.1/x}',
  "'; DROP TABLE calls; --",
  '{{7*7}}',
  'eyJ-'.repeat(1_000),
  'a'.repeat(5_000),
  ' '.repeat(3_000),
  '\u0301'.repeat(1_000),
  '',
] as const

/** JSON as no serialiser writes it; some are no JSON at all. */
const RAWS = [
  '1e400',
  '-1e400',
  '9007199254740993',
  '-0',
  '1e-400',
  '0.1e1',
  '123456789012345678901234567890',
  '"\\ud800"',
  '"\\u0000"',
  '{"a":1,"a":2}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"":""}',
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  '[]',
  '{}',
  'null',
  'true',
  '""',
  'NaN',
  '01',
  "'single'",
  'undefined',
  '[1,]',
  '{"a":1,}',
  '/* comment */1',
] as const

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)
const rawJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...RAWS) },
  { weight: 2, arbitrary: hostileText.map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
)

/** One change of a JSON value: `at` is a place, counted over all values in it and taken modulo their number. */
export type Change = {
  readonly at: number
  readonly how: 'replace' | 'drop' | 'twice' | 'rename' | 'wrap' | 'add'
  readonly raw: string
}
export const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(10_000),
  how: fc.constantFrom('replace', 'replace', 'replace', 'drop', 'twice', 'rename', 'wrap', 'add'),
  raw: rawJson,
})

const places = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce<number>((sum, inner) => sum + places(inner), 0)
    : 1

/** The value as JSON text with the changes made. */
export function written(value: unknown, changes: readonly Change[]): string {
  const all = places(value)
  const changed = new Map(changes.map((one) => [one.at % all, one]))
  let place = 0
  const text = (inner: unknown): string => {
    const own = changed.get(place)
    place += 1
    let whole: string
    if (Array.isArray(inner)) whole = `[${inner.map(text).join(',')}]`
    else if (typeof inner === 'object' && inner !== null) {
      const members = Object.entries(inner).flatMap(([key, each]) => member(key, each))
      if (own?.how === 'add') members.push(`"added":${own.raw}`, `"__proto__":${own.raw}`)
      whole = `{${members.join(',')}}`
    } else whole = JSON.stringify(inner) ?? 'null'
    if (own?.how === 'replace') return own.raw
    return own?.how === 'wrap' ? `[${whole},${whole}]` : whole
  }
  const member = (key: string, inner: unknown): string[] => {
    const own = changed.get(place)
    const written = text(inner)
    const plain = `${JSON.stringify(key)}:${written}`
    if (own?.how === 'drop') return []
    if (own?.how === 'twice') return [plain, `${JSON.stringify(key)}:${own.raw}`]
    if (own?.how === 'rename') return [`${own.raw.startsWith('"') ? own.raw : '"renamed"'}:${written}`]
    return [plain]
  }
  return text(value)
}

/** One change of bytes. */
export type ByteChange = {
  readonly how: 'none' | 'truncate' | 'flip' | 'insert' | 'bom' | 'utf16' | 'trail' | 'halfLetter'
  readonly at: number
  readonly byte: number
}
export const byteChange: fc.Arbitrary<ByteChange> = fc.record({
  how: fc.oneof(
    { weight: 6, arbitrary: fc.constant('none' as const) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('truncate', 'flip', 'insert', 'bom', 'utf16', 'trail', 'halfLetter'),
    },
  ),
  at: fc.nat(100_000),
  byte: fc.nat(255),
})

export function bytesOf(text: string, { how, at, byte }: ByteChange): Buffer {
  const bytes = Buffer.from(text)
  const where = at % (bytes.length + 1)
  const cut = (insert: Buffer): Buffer => Buffer.concat([bytes.subarray(0, where), insert, bytes.subarray(where)])
  switch (how) {
    case 'none':
      return bytes
    case 'truncate':
      return bytes.subarray(0, where)
    case 'flip':
      if (where < bytes.length) bytes[where] = byte
      return bytes
    case 'insert':
      return cut(Buffer.from([byte]))
    case 'bom':
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
    case 'utf16':
      return Buffer.from(text, 'utf16le')
    case 'trail':
      return Buffer.concat([bytes, Buffer.from([byte, 0x7b])])
    case 'halfLetter':
      return cut(Buffer.from([0xf0, 0x9f, 0x98]))
  }
}

/** Where a stream of bytes is cut into pieces. */
export const cuts: fc.Arbitrary<readonly number[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.array(fc.nat(100_000), { maxLength: 6 }) },
)

// Amendment 10: what may stand in no text that comes out, and what more may stand in no metadata.
const UNSAFE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]*)[\u{e0000}-\u{e007f}]|\p{Cs}/u
// Line separators break lines as \n does: they are white space.
const HIDDEN = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u

const found = (pattern: RegExp, text: string): string | undefined => {
  const match = pattern.exec(text)
  return match === null
    ? undefined
    : `U+${match[0].codePointAt(0)?.toString(16)} at ${match.index}: ${JSON.stringify(text.slice(Math.max(0, match.index - 20), match.index + 20))}`
}
export const unsafeIn = (text: string): string | undefined => found(UNSAFE, text)
export const hiddenIn = (text: string): string | undefined => unsafeIn(text) ?? found(HIDDEN, text)

/** Every string value in a JSON value. Keys are never changed by the gateway, so they are left out. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
