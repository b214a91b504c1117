// An upstream body becomes the blocks of a tool result. Contract 5.13: JSON as text and object, media as media, the rest as it is.

import { isRecord } from '../mcp/record.ts'
import { escapedControls } from '../text/clean.ts'
import { decodeWithMark, withoutMark } from '../text/decode.ts'
import { parseExact } from '../text/exact-json.ts'
import { cutToBytes, foreignBytes, foreignMessage, foreignText, holdsCredential } from '../text/foreign-text.ts'
import { nestsDeeper } from '../text/json-depth.ts'
import type { Redaction } from '../text/redact.ts'
import type { CallToolResult } from './outcome.ts'
import type { Transformation } from './transform.ts'

export type Shaping = {
  readonly requestId: string
  readonly secrets: readonly string[]
  readonly redact: Redaction | undefined
  readonly transform?: Transformation | undefined
  readonly structured: boolean
  readonly maxDepth: number
}

/** What is wrong with a body that cannot be handed on. */
export type Unshapeable = { readonly problem: string }

/** What has no other name. */
export const callUri = (requestId: string): string => `gantry://call/${requestId}`

const text = (body: string): CallToolResult => ({ content: [{ type: 'text', text: body }] })

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,63}\/[\w!#$&^.+-]{1,63}$/

function mediaType(header: string | undefined, shaping: Shaping): string {
  if (header === 'application/json' || header === 'application/json; charset=utf-8') return 'application/json'
  const type = (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return MEDIA_TYPE.test(type) && !holdsCredential(header ?? '', shaping) ? type : ''
}

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json')
const isText = (type: string): boolean =>
  type.startsWith('text/') ||
  type.endsWith('+xml') ||
  [
    'application/xml',
    'application/javascript',
    'application/yaml',
    'application/x-yaml',
    'application/x-ndjson',
    'application/x-www-form-urlencoded',
  ].includes(type)

export function shapeBody(
  status: number,
  contentType: string | undefined,
  body: Buffer,
  shaping: Shaping,
): CallToolResult | Unshapeable {
  if (body.length === 0) return text(`HTTP ${status} (no content)`)
  const type = mediaType(contentType, shaping)
  if (isJson(type)) return shapeText(decodeWithMark(body, contentType), true, shaping)
  if (type.startsWith('image/') && type !== 'image/svg+xml')
    return { content: [{ type: 'image', ...media(type, body, shaping) }] }
  if (type.startsWith('audio/')) return { content: [{ type: 'audio', ...media(type, body, shaping) }] }
  if (isText(type) || looksLikeText(body)) return shapeText(decodeWithMark(body, contentType), false, shaping)
  const { data, mimeType } = media(type || 'application/octet-stream', body, shaping)
  return {
    content: [{ type: 'resource', resource: { uri: callUri(shaping.requestId), mimeType, blob: data } }],
  }
}

const media = (mimeType: string, body: Buffer, shaping: Shaping): { data: string; mimeType: string } => ({
  data: foreignBytes(body, shaping).toString('base64'),
  mimeType,
})

function looksLikeText(body: Buffer): boolean {
  return isWide(body) || !body.subarray(0, 1024).includes(0)
}

/** Begins with the byte order mark of UTF-16. */
const isWide = (body: Buffer): boolean =>
  (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff)

function shapeText(given: string, saysJson: boolean, shaping: Shaping): CallToolResult | Unshapeable {
  const raw = withoutMark(given)
  const first = raw.trimStart()[0]
  if (saysJson || first === '{' || first === '[') {
    if (!nestsDeeper(raw, shaping.maxDepth)) {
      const value = parsed(raw)
      // Declared as JSON, or similar to it, and not valid: then it is text.
      if (value !== undefined) return shapeJson(value, raw, shaping)
    } else if (saysJson || shaping.redact || shaping.transform) {
      // What is too deep to be read cannot be redacted or changed either.
      return { problem: `the answer nests deeper than ${shaping.maxDepth} levels` }
    }
  }
  return text(foreignText(given, shaping))
}

/** Undefined when it is no JSON. */
export function parsed(raw: string): unknown {
  try {
    return parseExact(raw)
  } catch {
    return undefined
  }
}

/** The text that an object of a result was read from, where it may be passed on unchanged. */
const received = new WeakMap<object, string>()
export const receivedText = (structured: object): string | undefined => received.get(structured)

/** The object that such a text was received as. */
export function withReceivedText(text: string): Record<string, unknown> {
  // It was one before it was kept as its text.
  const structured = parseExact(text) as Record<string, unknown>
  received.set(structured, text)
  return structured
}

/** A value of the gateway's own making, such as the pages of a list. */
export const shapeValue = (value: unknown, shaping: Shaping): CallToolResult => shapeJson(value, undefined, shaping)

/** `raw`: the text it was read from, if it was read as a whole. */
function shapeJson(
  value: unknown,
  raw: string | undefined,
  { secrets, redact, transform, structured }: Shaping,
): CallToolResult {
  const clear = raw !== undefined && foreignText(raw, { secrets }) === raw
  const changed = transform ? transform(value) : value
  // Escapes can spell a control character that the raw text does not show.
  const isPlain = clear && !raw.includes('\\')
  const shown = redact ? redact(changed) : changed
  // Only an escaped quote makes JSON of a string in JSON.
  const clean = isPlain ? shown : foreignMessage(shown, { secrets, redact })
  const isObject = isRecord(clean)
  // A value that a later one of the same key hides is in the raw text only, and there it may be spelled in escapes.
  const asReceived = clear && clean === value && transform === undefined && redact?.mayConcern(raw) !== true
  const body = isObject && asReceived ? raw : escapedControls(JSON.stringify(clean))
  if (isObject && asReceived) received.set(clean, raw)
  return isObject && structured ? { ...text(body), structuredContent: clean } : text(body)
}

const EXCERPT_BYTES = 8_192

/** A useful piece of an error body, cleaned as any other answer. */
export function errorExcerpt(contentType: string | undefined, body: Buffer, shaping: Shaping): string {
  if (body.length === 0) return '(no content)'
  const shaped = shapeBody(0, contentType, body, { ...shaping, transform: undefined, structured: false })
  if ('problem' in shaped) return `(${shaped.problem})`
  const found = shaped.content[0]?.text
  return typeof found === 'string'
    ? cutToBytes(found, EXCERPT_BYTES)
    : `(${mediaType(contentType, shaping) || 'binary'} content)`
}
