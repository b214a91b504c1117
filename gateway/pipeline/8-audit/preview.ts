// The beginning of an answer, for a reader of a captured call: its texts cut to a length, other content as a note. Contract 8.6.

import { withoutHandles } from '../../outcome/kept/seal.ts'
import { parseExact } from '../../text/exact-json.ts'
import type { Redaction } from '../../text/redact.ts'
import { withoutSecrets } from '../../text/secret-shapes.ts'

export type Preview = { readonly text: string; readonly truncated: boolean }

type Block = Readonly<Record<string, unknown>>

/** Past the cut, so that a secret across it is seen whole. */
const BEYOND = 16_384
/** The answer of a backend was redacted on arrival. A text written by a person was not, and has at most this length. */
const WRITTEN_MOST = 1_048_576

export function previewOf(content: readonly Block[], limit: number, redact: Redaction | undefined): Preview {
  let text = ''
  let [first, more] = [true, false]
  for (const block of content) {
    if (text.length > limit + BEYOND) {
      more = true
      break
    }
    const own = textOf(block, redact)
    if (own.length > limit + BEYOND) more = true
    text += (first ? '' : '\n') + own.slice(0, limit + BEYOND)
    first = false
  }
  const clean = withoutHandles(withoutSecrets(text))
  if (clean.length <= limit) return { text: clean, truncated: more }
  // A pair of surrogates is one character.
  const last = clean.charCodeAt(limit - 1)
  return { text: clean.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit), truncated: true }
}

function textOf(block: Block, redact: Redaction | undefined): string {
  const { type, text } = block
  if (type !== 'text' || typeof text !== 'string') return noteOf(block)
  if (redact === undefined || text.length > WRITTEN_MOST || !redact.mayConcern(text)) return text
  try {
    const value = parseExact(text)
    const kept = redact(value)
    return kept === value ? text : JSON.stringify(kept)
  } catch {
    // No JSON, so no path leads into it.
    return text
  }
}

const isBlock = (value: unknown): value is Block => typeof value === 'object' && value !== null

/** `[image image/png 1234 bytes]` */
function noteOf(block: Block): string {
  const inner = isBlock(block.resource) ? block.resource : block
  const { mimeType, data, blob, text } = inner
  const packed = [data, blob].find((each) => typeof each === 'string')
  const bytes = packed !== undefined ? Buffer.byteLength(packed, 'base64') : byteLength(text)
  return `[${[String(block.type), ...(typeof mimeType === 'string' ? [mimeType] : []), `${bytes} bytes`].join(' ')}]`
}

const byteLength = (text: unknown): number => (typeof text === 'string' ? Buffer.byteLength(text) : 0)
