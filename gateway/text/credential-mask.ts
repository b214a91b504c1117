// Masks our credential in foreign text: every spelling, also in escapes, and partial ones at a cut.
import { CUT_ESCAPE, type Reading, withoutEscapes } from './readings.ts'

export const REMOVED = '[credential removed]'

export type CredentialMask = {
  /** Returns the same text if it contains no credential. */
  readonly text: (text: string) => string
  readonly holds: (text: string) => boolean
  /** For text cut before masking: removes a partial credential at its end. */
  readonly cutText: (text: string) => string
  /** For binary data. */
  readonly bytes: (bytes: Buffer) => Buffer
  /** Whether a JSON number is the credential. */
  readonly isNumber: (value: number) => boolean
}

/** The depth of nested escapes: JSON in JSON, percent-encoded. */
const MOST_LEVELS = 3
/** Longer texts are read in chunks, to limit memory. */
const WINDOW = 65_536
/** The longest escape. */
const LONGEST_ESCAPE = 12
/** A shorter prefix reveals nothing and occurs in every text. */
const SHORTEST_PIECE = 4

/** From this length, spellings are searched one by one. */
const LONG = 48

type Span = readonly [start: number, end: number]

const NOTHING: CredentialMask = {
  text: (text) => text,
  holds: () => false,
  cutText: (text) => text,
  bytes: (bytes) => bytes,
  isNumber: () => false,
}

const compiled = new WeakMap<readonly string[], CredentialMask>()

/** Lists of spellings are replaced when a credential changes, never mutated. */
export function credentialMask(spellings: readonly string[]): CredentialMask {
  if (spellings.length === 0) return NOTHING
  const known = compiled.get(spellings)
  if (known) return known
  const fresh = compile(spellings)
  compiled.set(spellings, fresh)
  return fresh
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** One pass for all spellings, longest first. */
function patternOf(spellings: readonly string[]): RegExp {
  const longestFirst = spellings.toSorted((a, b) => b.length - a.length)
  return new RegExp(longestFirst.map(literal).join('|'), 'g')
}

function compile(given: readonly string[]): CredentialMask {
  const spellings = given.filter((text) => text !== '')
  if (spellings.length === 0) return NOTHING
  const pattern = patternOf(spellings)
  const shortest = Math.min(...spellings.map(({ length }) => length))
  const longest = Math.max(...spellings.map(({ length }) => length))
  const withQuotes = spellings.some((text) => /["'\\]/.test(text))
  const numeric = spellings.filter((text) => /^-?[\d.]+$/.test(text))
  const numbers = new Set(numeric.map(Number))
  const overlap = longest * LONGEST_ESCAPE
  let bytePattern: RegExp | undefined

  /** Ranges where escapes spell a credential. */
  function spans(text: string): readonly Span[] {
    const found: Span[] = []
    for (let from = 0; from === 0 || from < text.length; from += WINDOW) {
      const piece = text.length <= WINDOW ? text : text.slice(from, from + WINDOW + overlap)
      for (const [start, end] of spansIn(piece)) found.push([from + start, from + end])
    }
    return found
  }

  function spansIn(text: string): readonly Span[] {
    const found: Span[] = []
    let origin = (index: number): number => index
    let reading = withoutEscapes(text, withQuotes)
    for (let level = 0; reading !== undefined && level < MOST_LEVELS; level += 1) {
      origin = composed(origin, reading)
      for (const match of reading.text.matchAll(pattern))
        found.push([origin(match.index), origin(match.index + match[0].length)])
      reading = withoutEscapes(reading.text, withQuotes)
    }
    return found
  }

  function bytes(given: Buffer): Buffer {
    bytePattern ??= patternOf([
      ...new Set(
        spellings.flatMap((text) => [
          Buffer.from(text).toString('latin1'),
          Buffer.from(text, 'utf16le').toString('latin1'),
          Buffer.from(text, 'utf16le').swap16().toString('latin1'),
        ]),
      ),
    ])
    const text = given.toString('latin1')
    const masked = text.replaceAll(bytePattern, REMOVED)
    return masked === text ? given : Buffer.from(masked, 'latin1')
  }

  /** A search for one literal is much faster than an alternation, but has a higher fixed cost. */
  const occurs = (text: string): boolean => {
    if (text.length > LONG) return spellings.some((spelling) => text.includes(spelling))
    pattern.lastIndex = 0
    return pattern.test(text)
  }

  const plain = (text: string): string => (occurs(text) ? text.replaceAll(pattern, REMOVED) : text)

  function mask(text: string): string {
    // Decoding never lengthens a text.
    if (text.length < shortest) return text
    const rest = plain(text)
    const hidden = spans(rest)
    return hidden.length === 0 ? rest : without(rest, hidden)
  }

  return {
    text: mask,
    holds: (text) => mask(text) !== text,
    cutText: (text) => text.slice(0, endOf(text, spellings, overlap, withQuotes)),
    bytes,
    // Long numbers lose digits when parsed.
    isNumber:
      numeric.length === 0 ? () => false : (value) => numbers.has(value) || plain(String(value)) !== String(value),
  }
}

const composed =
  (outer: (index: number) => number, { origin }: Reading) =>
  (index: number): number =>
    outer(origin(index))

function without(text: string, spans: readonly Span[]): string {
  let kept = ''
  let at = 0
  for (const [start, end] of spans.toSorted((a, b) => a[0] - b[0])) {
    if (end <= at) continue
    if (start >= at) kept += text.slice(at, start) + REMOVED
    at = end
  }
  return kept + text.slice(at)
}

/** The length of the text without the longest partial spelling at its end. */
function endOf(text: string, spellings: readonly string[], overlap: number, withQuotes: boolean): number {
  const from = Math.max(0, text.length - overlap)
  let end = text.length
  let origin = (index: number): number => index
  let reading: Reading | undefined = { text: text.slice(from), origin: (index) => index }
  for (let level = 0; reading !== undefined && level <= MOST_LEVELS; level += 1) {
    origin = composed(origin, reading)
    const whole = reading.text.replace(CUT_ESCAPE, '')
    for (const spelling of spellings) {
      const length = pieceAtEnd(whole, spelling)
      if (length > 0) end = Math.min(end, from + origin(whole.length - length))
    }
    reading = withoutEscapes(whole, withQuotes)
  }
  return end
}

function pieceAtEnd(text: string, spelling: string): number {
  for (let length = Math.min(spelling.length - 1, text.length); length >= SHORTEST_PIECE; length -= 1)
    if (text.endsWith(spelling.slice(0, length))) return length
  return 0
}
