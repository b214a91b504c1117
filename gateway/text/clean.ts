// Cleans upstream text: removes control characters everywhere, and from metadata also invisible characters and instructions to a model.
import { removeInstructions } from './instructions.ts'
import { withoutInvisible } from './invisible.ts'
import { normalForm } from './normal-form.ts'

const MAX_METADATA = 4096
// Searches phrases in the text that can survive the cut, with a margin for removed characters.
const MAX_SCANNED = 4 * MAX_METADATA

// CSI and OSC sequences, then any other two-character escape; C1 forms as well; then C0 and C1 controls, bidi embeddings,
// overrides and isolates. A sequence's body contains no other start, so that no character is read twice.
const CONTROLS =
  /(?:(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]{0,2048}(?:\x07|\x1b\\|\x9c)|\x1b[ -~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]){1,64}/g
// Tag characters in UTF-16, and subdivision flags, where they are legitimate.
const TAGS = /(\ud83c\udff4(?:\udb40[\udc30-\udc39\udc61-\udc7a]){3,6}\udb40\udc7f)|(?:\udb40[\udc00-\udc7f])+/g
// Fast tests: printable ASCII and most texts of other scripts need no cleaning.
const PLAIN = /^[\t\n\r\x20-\x7e]*$/
const SUSPECT = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/

/** For strings of results (data): removes only what could affect a terminal or hide text. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text
  const whole = text.toWellFormed()
  if (!SUSPECT.test(whole)) return whole
  return whole.replace(CONTROLS, '').replace(TAGS, '$1')
}

const UNESCAPED =
  /(\ud83c\udff4(?:\udb40[\udc30-\udc39\udc61-\udc7a]){3,6}\udb40\udc7f)|[\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/g
/** Escapes characters in JSON text that `cleanText` removes from values: keys are not cleaned. */
export const escapedControls = (json: string): string =>
  PLAIN.test(json) ? json : json.replace(UNESCAPED, (found, flag?: string) => flag ?? escaped(found))

const escaped = (text: string): string =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** For names and labels, which are compared and shown: no invisible characters, normalized. */
export function cleanLabel(text: string): string {
  return PLAIN.test(text) ? text : normalForm(withoutInvisible(cleanText(text)), 'NFC')
}

/** Whether a name contains invisible characters. A name that is sent back cannot be cleaned. */
export const hidesText = (name: string): boolean => !PLAIN.test(name) && withoutInvisible(cleanText(name)) !== name

/** For titles and descriptions of an upstream. */
export function cleanMetadata(text: string, maxLength = MAX_METADATA): string {
  const cleaned = cleanLabel(text.length > MAX_SCANNED ? text.slice(0, MAX_SCANNED) : text)
  return cut(removeInstructions(cleaned), maxLength)
}

/** Never splits a surrogate pair. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
}

const TEXT_KEYS = new Set(['description', 'title', '$comment'])
const NAME_MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

/** Cleans the texts of a schema. Argument values are data, and property names stay; other keys that hide text are dropped. */
export function cleanSchema(schema: unknown, map?: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => cleanSchema(item))
  if (typeof schema === 'string') return cleanText(schema)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== '__proto__' && (map === 'properties' || !hidesText(key)))
      .map(([key, value]) => [
        key,
        map === undefined && TEXT_KEYS.has(key) && typeof value === 'string'
          ? cleanMetadata(value)
          : cleanSchema(value, map === undefined && NAME_MAPS.has(key) ? key : undefined),
      ]),
  )
}

/** Whether any key in a value contains invisible characters. */
export function hidesInKeys(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value)
    ? value.some(hidesInKeys)
    : Object.entries(value).some(([key, inner]) => hidesText(key) || hidesInKeys(inner))
}
