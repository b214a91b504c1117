// An upstream body becomes the blocks of a tool result. Contract 5.13: JSON as text and object, media as media, the rest as it is.
import { nestsDeeper } from '../../http/json-body.ts'
import type { CallToolResult } from '../call.ts'
import { cleanBytes, cleanText, cleanValue, cutToBytes } from './clean.ts'
import type { Redaction } from './redact.ts'
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

function mediaType(header: string | undefined): string {
  if (header === 'application/json' || header === 'application/json; charset=utf-8') return 'application/json'
  const type = (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return MEDIA_TYPE.test(type) ? type : ''
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
  const type = mediaType(contentType)
  if (isJson(type)) return shapeText(body.toString('utf8'), true, shaping)
  if (type.startsWith('image/') && type !== 'image/svg+xml')
    return { content: [{ type: 'image', ...media(type, body, shaping) }] }
  if (type.startsWith('audio/')) return { content: [{ type: 'audio', ...media(type, body, shaping) }] }
  if (isText(type) || looksLikeText(body)) return shapeText(decoded(body, contentType), false, shaping)
  const { data, mimeType } = media(type || 'application/octet-stream', body, shaping)
  return {
    content: [{ type: 'resource', resource: { uri: callUri(shaping.requestId), mimeType, blob: data } }],
  }
}

const media = (mimeType: string, body: Buffer, { secrets }: Shaping): { data: string; mimeType: string } => ({
  data: cleanBytes(body, secrets).toString('base64'),
  mimeType,
})

function looksLikeText(body: Buffer): boolean {
  return !body.subarray(0, 1024).includes(0)
}

const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i

function decoded(body: Buffer, contentType: string | undefined): string {
  const charset = CHARSET.exec(contentType ?? '')?.[1]?.toLowerCase()
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return body.toString('utf8')
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    // A name nobody knows: most such bodies are UTF-8 all the same.
    return body.toString('utf8')
  }
}

function shapeText(given: string, saysJson: boolean, shaping: Shaping): CallToolResult | Unshapeable {
  const raw = given.charCodeAt(0) === 0xfeff ? given.slice(1) : given
  const first = raw.trimStart()[0]
  if (saysJson || first === '{' || first === '[') {
    if (!nestsDeeper(raw, shaping.maxDepth)) {
      const value = parsed(raw)
      // It said JSON, or looked like it, and is not: then it is text.
      if (value !== undefined) return shapeJson(value, raw, shaping)
    } else if (saysJson || shaping.redact || shaping.transform) {
      // What is too deep to be read cannot be redacted or changed either.
      return { problem: `the answer nests deeper than ${shaping.maxDepth} levels` }
    }
  }
  return text(cleanText(raw, shaping.secrets))
}

/** Undefined when it is no JSON. */
export function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined
  }
}

/** The text that an object of a result was read from, where it may be handed on as it came. */
const received = new WeakMap<object, string>()
export const receivedText = (structured: object): string | undefined => received.get(structured)

/** The object that such a text was received as. */
export function withReceivedText(text: string): Record<string, unknown> {
  // It was one before it was kept as its text.
  const structured = JSON.parse(text) as Record<string, unknown>
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
  const clear = raw !== undefined && cleanText(raw, secrets) === raw
  const changed = transform ? transform(value) : value
  const kept = redact ? redact(changed) : changed
  // Escapes can spell a secret or a control character that the raw text does not show.
  const clean = clear && !raw.includes('\\') ? kept : cleanValue(kept, secrets)
  const isObject = typeof clean === 'object' && clean !== null && !Array.isArray(clean)
  // A value that a later one of the same key hides is in the raw text only, and there it may be spelled in escapes.
  const asReceived =
    clear &&
    clean === value &&
    transform === undefined &&
    (secrets.length === 0 || !/\\[u/]/.test(raw)) &&
    redact?.mayConcern(raw) !== true
  const body = isObject && asReceived ? raw : JSON.stringify(clean)
  if (isObject && asReceived) received.set(clean, raw)
  // A JSON object parsed from text, by the test above.
  return isObject && structured ? { ...text(body), structuredContent: clean as Record<string, unknown> } : text(body)
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
    : `(${mediaType(contentType) || 'binary'} content)`
}
