// Takes our own credential out of foreign text: every spelling of it, also where escapes spell it, and what a cut left of it.
import { CUT_ESCAPE, type Reading, withoutEscapes } from './readings.ts'

export const REMOVED = '[credential removed]'

export type CredentialMask = {
  /** The text itself when it holds no credential. */
  readonly text: (text: string) => string
  readonly holds: (text: string) => boolean
  /** For text that was cut before it was masked: without the beginning of a credential at its end. */
  readonly cutText: (text: string) => string
  /** For bytes that are no text. */
  readonly bytes: (bytes: Buffer) => Buffer
  /** Whether a JSON number is the credential. */
  readonly isNumber: (value: number) => boolean
}

/** Escapes in escapes: a JSON text in a JSON text, percent-encoded. */
const MOST_LEVELS = 3
/** Longer texts are read in pieces, so that what is made of them stays small. */
const WINDOW = 65_536
/** No escape is longer. */
const LONGEST_ESCAPE = 12
/** A shorter beginning of a credential says nothing, and every text ends with one. */
const SHORTEST_PIECE = 4

/** From here on spellings are searched one by one. */
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

/** Lists of spellings are replaced when a credential changes, never written into. */
export function credentialMask(spellings: readonly string[]): CredentialMask {
  if (spellings.length === 0) return NOTHING
  const known = compiled.get(spellings)
  if (known) return known
  const fresh = compile(spellings)
  compiled.set(spellings, fresh)
  return fresh
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** One pass for all spellings, the longest first. */
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

  /** Where the escapes of a text spell a credential. */
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

  /** A search for one literal is many times as fast as one for any of them, but costs more to begin. */
  const occurs = (text: string): boolean => {
    if (text.length > LONG) return spellings.some((spelling) => text.includes(spelling))
    pattern.lastIndex = 0
    return pattern.test(text)
  }

  const plain = (text: string): string => (occurs(text) ? text.replaceAll(pattern, REMOVED) : text)

  function mask(text: string): string {
    // Undoing escapes makes no text longer.
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
    // Long ones lose their last digits when they are read.
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

/** Where the text ends without the longest beginning of a spelling that stands at its end. */
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
