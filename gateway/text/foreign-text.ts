// The one path for foreign text: decode, mask our credential, redact, clean, cut, in this order. Contract 5.11, 8.4.
import { cleanLabel, cleanMetadata, cleanText, cut } from './clean.ts'
import { type CredentialMask, credentialMask, REMOVED } from './credential-mask.ts'
import { decodeText } from './decode.ts'
import { isExactNumber, parseExact } from './exact-json.ts'
import { nestsDeeper } from './json-depth.ts'
import { mapList, mapValues } from './map-values.ts'
import type { Redaction } from './redact.ts'

/** What a text must not contain: a credential, and the values of the tool's redact paths. */
export type Withheld = {
  /** In every spelling (`spellings.ts`). */
  readonly secrets: readonly string[]
  readonly redact?: Redaction | undefined
}

/** Without credential and redact paths. */
export const NOTHING_WITHHELD: Withheld = { secrets: [] }

/** The part of a text that is read if only its start is shown: 10 MB would block the event loop. */
const BEGINNING = 65_536

/** Cleans a text; `most` is its maximum length in UTF-16 code units. JSON is redacted as parsed. */
export function foreignText(text: string, withheld: Withheld, most?: number): string {
  if (most === undefined) return whole(text, withheld)
  const read = Math.max(BEGINNING, most * 2)
  return cut(text.length <= read ? whole(text, withheld) : beginning(text.slice(0, read), withheld), most)
}

function whole(text: string, { secrets, redact }: Withheld): string {
  const mask = credentialMask(secrets)
  if (!redact) return cleaned(text, mask)
  const shown = redactedJson(text, redact)
  const clean = cleaned(shown, mask)
  // Removes control characters first: between tokens they make JSON invalid.
  return clean === shown ? clean : redactedJson(clean, redact)
}

/** Cleans a cut text: removes a partial credential at its end. Partial JSON cannot be redacted. */
function beginning(text: string, withheld: Withheld): string {
  if (withheld.redact && looksLikeJson(text) && withheld.redact.mayConcern(text)) return WITHHELD
  const { cutText } = credentialMask(withheld.secrets)
  // Masks again, because control characters may have split that part.
  return cutText(whole(cutText(text), withheld))
}

/** A name, title or description, which a model may read as an instruction. */
export function foreignMetadata(text: string, { secrets }: Withheld, most?: number): string {
  return cleanMetadata(credentialMask(secrets).text(text), most)
}

function cleaned(text: string, mask: CredentialMask): string {
  const rest = mask.text(text)
  const clean = cleanText(rest)
  // Removing a character may have joined parts of the credential.
  return clean === rest ? rest : mask.text(clean)
}

/** Cleans every string of a JSON value; returns the same value if nothing changes. In keys only the credential is masked. */
export function foreignValue(value: unknown, { secrets, redact }: Withheld): unknown {
  const shown = redact ? redact(value) : value
  const mask = credentialMask(secrets)
  // Most values are clean; checking allocates nothing.
  return isClean(shown, mask) ? shown : cleanValue(shown, mask)
}

/** Cleans every string of a tool's metadata, including invisible characters. */
export const foreignLabels = (value: unknown): unknown => mapped(value, credentialMask([]), cleanLabel)

/** Cleans a value whose texts may be JSON, such as content blocks: also redacts inside them. */
export function foreignMessage(value: unknown, withheld: Withheld): unknown {
  const { redact } = withheld
  const shown = redact ? withRedactedTexts(value, redact) : value
  return foreignValue(shown, { secrets: withheld.secrets })
}

/** Masks the credential and changes nothing else. */
export function withoutCredential(value: unknown, { secrets }: Withheld): unknown {
  return secrets.length === 0 ? value : maskedValue(value, credentialMask(secrets))
}

/** Whether a text to be passed unchanged contains the credential. */
export const holdsCredential = (text: string, { secrets }: Withheld): boolean => credentialMask(secrets).holds(text)

/** Binary data. */
export const foreignBytes = (bytes: Buffer, { secrets }: Withheld): Buffer => credentialMask(secrets).bytes(bytes)

/** The read part of a body. */
export type ForeignBody = {
  readonly bytes: Buffer
  readonly contentType: string | undefined
  /** Whether the body was longer. */
  readonly isCut: boolean
}

/** The start of a body, cleaned for display; empty if nothing can be shown. */
export function foreignExcerpt({ bytes, contentType, isCut }: ForeignBody, withheld: Withheld, mostBytes: number) {
  const text = decodeText(bytes, contentType)
  return cutToBytes(isCut ? beginning(text, withheld) : whole(text, withheld), mostBytes)
}

const WITHHELD = '(the answer is too large to be redacted)'

/** At most this many bytes of UTF-8, never splitting a character. */
export function cutToBytes(text: string, most: number): string {
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return text
  const bytes = Buffer.from(text)
  let end = most
  // A continuation byte at the cut belongs to a character that started before it.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end).toString()
}

/** The depth limit for JSON in texts, because a deeper walk could overflow the stack. */
const MOST_DEPTH = 256

function looksLikeJson(text: string): boolean {
  const first = /\S/.exec(text)?.[0]
  return first === '{' || first === '['
}

/** Leading invisible characters and anti-hijacking prefixes. */
const BEFORE_JSON = /^(?:[\s\p{C}]|\)\]\}',?){1,256}/u

function redactedJson(given: string, redact: Redaction): string {
  if (!redact.mayConcern(given)) return given
  const before = BEFORE_JSON.exec(given)?.[0] ?? ''
  return before + redactedValue(given.slice(before.length), redact)
}

function redactedValue(text: string, redact: Redaction): string {
  if (!looksLikeJson(text)) return EVENTS.test(text) ? redactedLines(text, redact) : text
  if (nestsDeeper(text, MOST_DEPTH)) return WITHHELD
  let value: unknown
  try {
    value = parseExact(text)
  } catch {
    return redactedLines(text, redact)
  }
  // Serialized again even if no path matches: a duplicate key hides a value that the text still contains.
  return JSON.stringify(redact(value))
}

const EVENTS = /(?:^|\n)data:/
const DATA = /^data:[ \t]?/

/** One JSON value per line, as in NDJSON and events. */
function redactedLines(text: string, redact: Redaction): string {
  if (!text.includes('\n')) return text
  const lines = text.split('\n').map((line) => {
    const label = DATA.exec(line)?.[0] ?? ''
    const value = line.slice(label.length)
    return looksLikeJson(value) ? label + redactedJson(value, redact) : line
  })
  return lines.join('\n')
}

function withRedactedTexts(value: unknown, redact: Redaction): unknown {
  if (typeof value === 'string') return redactedJson(value, redact)
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  const redacted = (inner: unknown): unknown => withRedactedTexts(inner, redact)
  return Array.isArray(value) ? mapList(value, redacted) : mapValues(value, redacted)
}

/** Fields of content blocks with Base64. */
const BASE64_KEYS: ReadonlySet<string> = new Set(['data', 'blob'])

function isClean(value: unknown, mask: CredentialMask): boolean {
  if (typeof value === 'string') return cleaned(value, mask) === value
  if (typeof value === 'number') return !mask.isNumber(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) {
    for (const each of value) if (!isClean(each, mask)) return false
    return true
  }
  for (const key of Object.keys(value)) {
    const inner: unknown = value[key as keyof typeof value] // one of its own keys
    if (mask.holds(key) || !isClean(inner, mask)) return false
  }
  return true
}

function cleanValue(value: unknown, mask: CredentialMask): unknown {
  return mapped(value, mask, (text) => cleaned(text, mask))
}

const maskedValue = (value: unknown, mask: CredentialMask): unknown => mapped(value, mask, mask.text)

function mapped(value: unknown, mask: CredentialMask, ofText: (text: string) => string): unknown {
  if (typeof value === 'string') return ofText(value)
  if (typeof value === 'number') return mask.isNumber(value) ? REMOVED : value
  if (typeof value !== 'object' || value === null) return value
  if (isExactNumber(value)) return mask.holds(value.rawJSON) ? REMOVED : value
  if (Array.isArray(value)) return value.map((each: unknown) => mapped(each, mask, ofText))
  const entries = Object.entries(value).map(([key, inner]: [string, unknown]) => [
    mask.text(key),
    BASE64_KEYS.has(key) && typeof inner === 'string' ? maskedBase64(inner, mask, ofText) : mapped(inner, mask, ofText),
  ])
  return Object.fromEntries(entries)
}

/** Masks the credential in the decoded bytes and encodes them again. */
function maskedBase64(text: string, mask: CredentialMask, ofText: (text: string) => string): string {
  const clean = ofText(text)
  if (clean === text) return text
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) return clean
  const masked = mask.bytes(bytes).toString('base64')
  return mask.holds(masked) ? clean : masked
}
