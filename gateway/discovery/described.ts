// Cleaned texts of a source: the same description stands in many operations, and cleaning is most of what one costs.
import { cleanMetadata } from '../text/clean.ts'

const MOST_CHARACTERS = 16 * 1024 * 1024
/** By the longest that may be left, because a key made of both would be a copy of the text. */
const cleaned = new Map<number, Map<string, string>>()
let characters = 0

export function described(text: string, maxLength = 4096): string {
  const known = cleaned.get(maxLength)?.get(text)
  if (known !== undefined) return known
  const made = cleanMetadata(text, maxLength)
  characters += text.length + made.length
  if (characters > MOST_CHARACTERS) forgetDescriptions()
  const texts = cleaned.get(maxLength) ?? new Map<string, string>()
  cleaned.set(maxLength, texts.set(text, made))
  return made
}

/** After each source: a thread that waits for the next one keeps nothing of the last. */
export function forgetDescriptions(): void {
  cleaned.clear()
  characters = 0
}
