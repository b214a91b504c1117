// An upstream body becomes the blocks of a tool result. Contract 5.13: JSON as text and object, media as media, the rest as it is.
import { nestsDeeper } from '../../http/json-body.ts'
import type { CallToolResult } from '../call.ts'
import { cleanText, cleanValue } from './clean.ts'
import type { Redaction } from './redact.ts'

export type Shaping = {
  readonly requestId: string
  readonly secrets: readonly string[]
  readonly redact: Redaction | undefined
  readonly structured: boolean
  readonly maxDepth: number
}

const text = (body: string): CallToolResult => ({ content: [{ type: 'text', text: body }] })

export function mediaType(header: string | undefined): string {
  return (header ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json')
const isText = (type: string): boolean =>
  type.startsWith('text/') ||
  type.endsWith('+xml') ||
  [
    '',
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
): CallToolResult {
  if (body.length === 0) return text(`HTTP ${status} (no content)`)
  const type = mediaType(contentType)
  if (type.startsWith('image/') && type !== 'image/svg+xml')
    return { content: [{ type: 'image', data: body.toString('base64'), mimeType: type }] }
  if (type.startsWith('audio/')) return { content: [{ type: 'audio', data: body.toString('base64'), mimeType: type }] }
  if (isJson(type) || isText(type)) return shapeText(body.toString('utf8'), isJson(type), shaping)
  const guessed = looksLikeText(body)
  if (guessed) return shapeText(body.toString('utf8'), false, shaping)
  return {
    content: [
      {
        type: 'resource',
        resource: {
          uri: `gantry://call/${shaping.requestId}`,
          mimeType: type || 'application/octet-stream',
          blob: body.toString('base64'),
        },
      },
    ],
  }
}

function looksLikeText(body: Buffer): boolean {
  return !body.subarray(0, 1024).includes(0)
}

function shapeText(raw: string, saysJson: boolean, shaping: Shaping): CallToolResult {
  const first = raw.trimStart()[0]
  const mayBeJson = saysJson || first === '{' || first === '['
  if (mayBeJson && !nestsDeeper(raw, shaping.maxDepth)) {
    try {
      return shapeJson(JSON.parse(raw), raw, shaping)
    } catch {
      // It said JSON, or looked like it, and is not: then it is text.
    }
  }
  return text(cleanText(raw, shaping.secrets))
}

function shapeJson(value: unknown, raw: string, { secrets, redact, structured }: Shaping): CallToolResult {
  const cleanRaw = cleanText(raw, secrets)
  // Escapes can spell a secret or a control character that the raw text does not show.
  const touched = redact !== undefined || cleanRaw !== raw || raw.includes('\\u')
  const clean = touched ? cleanValue(redact ? redact(value) : value, secrets) : value
  const isObject = typeof clean === 'object' && clean !== null && !Array.isArray(clean)
  const body = touched || !isObject ? JSON.stringify(clean) : raw
  // A JSON object parsed from text, by the test above.
  return isObject && structured ? { ...text(body), structuredContent: clean as Record<string, unknown> } : text(body)
}

const EXCERPT_MAX = 8_192

/** A useful piece of an error body, cleaned as any other answer. */
export function errorExcerpt(contentType: string | undefined, body: Buffer, shaping: Shaping): string {
  const [block] = shapeBody(0, contentType, body.subarray(0, 65_536), { ...shaping, structured: false }).content
  const found = block?.text
  return body.length === 0 || typeof found !== 'string' ? '(no content)' : found.slice(0, EXCERPT_MAX)
}
