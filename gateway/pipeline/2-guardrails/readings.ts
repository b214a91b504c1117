// What arguments say to a reader who does not see what has no glyph: without it, and with each letter in its plain form.
import { cleanLabel } from '../../text/clean.ts'
import { normalForm } from '../../text/normal-form.ts'

// What a renderer leaves out: zero-width characters, bidi controls, tags, variation selectors, fillers.
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu
// Tags mirror ASCII one by one; what they spell is invisible, and some readers read it.
const TAG = /[\u{e0020}-\u{e007e}]/gu
const PLAIN = /^[\x20-\x7e]*$/
const ESCAPED_CONTROL = /\\[ubf]/
/** A few characters become many in their plain form: a text made of those is refused, not searched. */
const MOST_GROWTH = 4

export class Unreadable extends Error {}

function uncovered(text: string): string {
  const plain = normalForm(cleanLabel(text), 'NFKC').replace(UNSEEN, '')
  if (plain.length > text.length * MOST_GROWTH + 1_000)
    throw new Unreadable('the text grows when it is written plainly')
  return plain
}

const spelledOut = (text: string): string =>
  uncovered(text.replace(TAG, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000)))

/** The depth was bounded when it was parsed. */
function rewritten(value: unknown, write: (text: string) => string): unknown {
  if (typeof value === 'string') return write(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: unknown) => rewritten(each, write))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [write(key), rewritten(inner, write)]))
}

export type Reading = { readonly value: unknown; readonly text: string }

/** The arguments as sent with their compact JSON, and every other way to read them. Throws `Unreadable`. */
export function readingsOf(value: unknown): readonly Reading[] {
  const text = JSON.stringify(value)
  const sent = { value, text }
  if (PLAIN.test(text) && !ESCAPED_CONTROL.test(text)) return [sent]
  const readings: Reading[] = [sent]
  for (const write of text.search(TAG) === -1 ? [uncovered] : [uncovered, spelledOut]) {
    const read = rewritten(value, write)
    const readText = JSON.stringify(read)
    if (readings.every((known) => known.text !== readText)) readings.push({ value: read, text: readText })
  }
  return readings
}
