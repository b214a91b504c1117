// Makes upstream text safe to show: control characters go everywhere, invisible ones and instructions to a model go from metadata.
import { removeInstructions } from './instructions.ts'
import { withoutInvisible } from './invisible.ts'
import { normalForm } from './normal-form.ts'

const MAX_METADATA = 4096
// Phrases are looked for in what can survive the cut, with room for what is removed before it.
const MAX_SCANNED = 4 * MAX_METADATA

// CSI and OSC sequences, then any other two-character escape; C1 forms as well; then C0 and C1 controls, bidi embeddings,
// overrides and isolates. The body of a sequence holds no other beginning, so that no character is read for two of them.
const CONTROLS =
  /(?:(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]{0,2048}(?:\x07|\x1b\\|\x9c)|\x1b[ -~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]){1,64}/g
// Tag characters as UTF-16 writes them, and the flags of countries without a code of their own, where they belong.
const TAGS = /(\ud83c\udff4(?:\udb40[\udc30-\udc39\udc61-\udc7a]){3,6}\udb40\udc7f)|(?:\udb40[\udc00-\udc7f])+/g
// Printable ASCII needs nothing, nor do most texts in any other script: the tests that keep the common case cheap.
const PLAIN = /^[\t\n\r\x20-\x7e]*$/
const SUSPECT = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/

/** For every string of a result, which is data: only what could act on a terminal or hide other text is removed. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text
  const whole = text.toWellFormed()
  if (!SUSPECT.test(whole)) return whole
  return whole.replace(CONTROLS, '').replace(TAGS, '$1')
}

/** For names and other labels, which are compared and shown: nothing invisible, and one spelling of each letter. */
export function cleanLabel(text: string): string {
  return PLAIN.test(text) ? text : normalForm(withoutInvisible(cleanText(text)), 'NFC')
}

/** Whether a name holds characters that a reader does not see. Such a name cannot be cleaned where it is sent back. */
export const hidesText = (name: string): boolean => !PLAIN.test(name) && withoutInvisible(cleanText(name)) !== name

/** For titles and descriptions that an upstream wrote. */
export function cleanMetadata(text: string, maxLength = MAX_METADATA): string {
  const cleaned = cleanLabel(text.length > MAX_SCANNED ? text.slice(0, MAX_SCANNED) : text)
  return cut(removeInstructions(cleaned), maxLength)
}

/** Never leaves half a surrogate pair. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
}

const TEXT_KEYS = new Set(['description', 'title', '$comment'])
const NAME_MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

/** Cleans the texts of a schema that a model reads. Values of arguments are data, and names of properties stay. */
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
