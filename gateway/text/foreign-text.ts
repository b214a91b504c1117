// The one way for text from outside: decoded by its charset, our credential masked, redacted, cleaned, cut, in this order. Contract 5.11, 8.4.
import { cleanLabel, cleanMetadata, cleanText, cut } from './clean.ts'
import { type CredentialMask, credentialMask, REMOVED } from './credential-mask.ts'
import { decodeText } from './decode.ts'
import { isExactNumber, parseExact } from './exact-json.ts'
import { nestsDeeper } from './json-depth.ts'
import type { Redaction } from './redact.ts'

/** What must not come back in a text: a credential, and the values that the tool's redact paths name. */
export type Withheld = {
  /** In every spelling (`spellings.ts`). */
  readonly secrets: readonly string[]
  readonly redact?: Redaction | undefined
}

/** Where no credential was sent and nothing is redacted. */
export const NOTHING_WITHHELD: Withheld = { secrets: [] }

/** Of a text that is shown in part, no more is read: reading all of 10 MB would block every other request. */
const BEGINNING = 65_536

/** One text; `most` is the longest that may leave, in UTF-16 code units. JSON is redacted as what it says. */
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
  // A control character between its parts keeps a text from being JSON until it is removed.
  return clean === shown ? clean : redactedJson(clean, redact)
}

/** Of a text that was cut: without the piece of a credential at its end. Half of a JSON text cannot be redacted. */
function beginning(text: string, withheld: Withheld): string {
  if (withheld.redact && looksLikeJson(text) && withheld.redact.mayConcern(text)) return WITHHELD
  const { cutText } = credentialMask(withheld.secrets)
  // Again where control characters stood between the letters of that piece.
  return cutText(whole(cutText(text), withheld))
}

/** A name, title or description, which a model reads as an instruction. */
export function foreignMetadata(text: string, { secrets }: Withheld, most?: number): string {
  return cleanMetadata(credentialMask(secrets).text(text), most)
}

function cleaned(text: string, mask: CredentialMask): string {
  const rest = mask.text(text)
  const clean = cleanText(rest)
  // What stood apart around a removed character may now be the credential.
  return clean === rest ? rest : mask.text(clean)
}

/** Every string of a JSON value; the value itself when nothing in it changes. Keys are data: only the credential goes from them. */
export function foreignValue(value: unknown, { secrets, redact }: Withheld): unknown {
  const shown = redact ? redact(value) : value
  const mask = credentialMask(secrets)
  // Most values are clean, and finding that out makes nothing new.
  return isClean(shown, mask) ? shown : cleanValue(shown, mask)
}

/** Every string of a value that is shown with a tool: nothing invisible belongs there. */
export const foreignLabels = (value: unknown): unknown => mapped(value, credentialMask([]), cleanLabel)

/** A value whose texts may be JSON themselves, such as the blocks of a result: that is redacted as well. */
export function foreignMessage(value: unknown, withheld: Withheld): unknown {
  const { redact } = withheld
  const shown = redact ? withRedactedTexts(value, redact) : value
  return foreignValue(shown, { secrets: withheld.secrets })
}

/** The same value without the credential, and otherwise as it came. */
export function withoutCredential(value: unknown, { secrets }: Withheld): unknown {
  return secrets.length === 0 ? value : maskedValue(value, credentialMask(secrets))
}

/** Whether a text that goes on as it came holds the credential. */
export const holdsCredential = (text: string, { secrets }: Withheld): boolean => credentialMask(secrets).holds(text)

/** Bytes that are no text. */
export const foreignBytes = (bytes: Buffer, { secrets }: Withheld): Buffer => credentialMask(secrets).bytes(bytes)

/** What was read of a body, before anything is known of it. */
export type ForeignBody = {
  readonly bytes: Buffer
  readonly contentType: string | undefined
  /** There was more of it. */
  readonly isCut: boolean
}

/** How a body begins, in words that can be shown; empty when there is nothing to show. */
export function foreignExcerpt({ bytes, contentType, isCut }: ForeignBody, withheld: Withheld, mostBytes: number) {
  const text = decodeText(bytes, contentType)
  return cutToBytes(isCut ? beginning(text, withheld) : whole(text, withheld), mostBytes)
}

const WITHHELD = '(the answer is too large to be redacted)'

/** At most this many bytes of UTF-8, never half a character. */
export function cutToBytes(text: string, most: number): string {
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return text
  const bytes = Buffer.from(text)
  let end = most
  // A continuation byte at the cut means that a character began before it.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end).toString()
}

/** Deeper JSON in a text is not looked into: its walk could outgrow the stack. */
const MOST_DEPTH = 256

function looksLikeJson(text: string): boolean {
  const first = /\S/.exec(text)?.[0]
  return first === '{' || first === '['
}

/** Invisible characters, and what keeps a page from running an answer as a script. */
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
  // Written anew also when no path leads anywhere: a later key of the same name hides what the text still holds.
  return JSON.stringify(redact(value))
}

const EVENTS = /(?:^|\n)data:/
const DATA = /^data:[ \t]?/

/** One JSON value a line, as in NDJSON and in events. */
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
  if (Array.isArray(value)) return value.map((each: unknown) => withRedactedTexts(each, redact))
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([key, inner]: [string, unknown]) => [key, withRedactedTexts(inner, redact)]))
}

/** Fields of content blocks that hold Base64. */
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

/** Bytes stay Base64 of bytes when the credential is taken out of them. */
function maskedBase64(text: string, mask: CredentialMask, ofText: (text: string) => string): string {
  const clean = ofText(text)
  if (clean === text) return text
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) return clean
  const masked = mask.bytes(bytes).toString('base64')
  return mask.holds(masked) ? clean : masked
}
