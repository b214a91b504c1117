// Makes upstream text safe to show: invisible and control characters go everywhere, instructions to a model go from metadata.
import { removeInstructions } from './instructions.ts'

const MAX_METADATA = 4096
// Phrases are looked for in what can survive the cut, with room for what is removed before it.
const MAX_SCANNED = 4 * MAX_METADATA

// CSI and OSC sequences, then any other two-character escape; C1 forms as well.
const ANSI =
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]{0,2048}(?:\x07|\x1b\\|\x9c)|\x1b[ -~]/g
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g
// Bidi controls, zero-width and other characters without a glyph, interlinear marks, tags, variation selectors for smuggling.
const INVISIBLE =
  /\u{34f}|\u{17b4}|\u{17b5}|[\u{180b}-\u{180f}]|[\u00ad\u061c\u115f\u1160\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/gu
// Printable ASCII without an escape needs nothing: the test that keeps the common case cheap.
const PLAIN = /^[\t\n\r\x20-\x7e]*$/

/** For every string that reaches a client. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text
  return text.toWellFormed().replace(ANSI, '').replace(CONTROLS, '').replace(INVISIBLE, '').normalize('NFC')
}

/** For names, titles and descriptions that an upstream wrote. */
export function cleanMetadata(text: string, maxLength = MAX_METADATA): string {
  const cleaned = cleanText(text.length > MAX_SCANNED ? text.slice(0, MAX_SCANNED) : text)
  return cut(removeInstructions(cleaned), maxLength)
}

/** Never leaves half a surrogate pair. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
}

const TEXT_KEYS = new Set(['description', 'title', '$comment'])
const NAME_MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

/** Cleans every text of a schema that a model reads, and no name of a property. */
export function cleanSchema(schema: unknown, names = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => cleanSchema(item))
  if (typeof schema === 'string') return cleanText(schema)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== '__proto__')
      .map(([key, value]) => [
        key,
        !names && TEXT_KEYS.has(key) && typeof value === 'string'
          ? cleanMetadata(value)
          : cleanSchema(value, !names && NAME_MAPS.has(key)),
      ]),
  )
}
