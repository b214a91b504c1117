// Cleaned texts of a source: the same description stands in many operations, and cleaning is most of what one costs.
import { cleanMetadata } from '../text/clean.ts'

const MOST_CHARACTERS = 16 * 1024 * 1024
const cleaned = new Map<string, string>()
let characters = 0

export function described(text: string, maxLength = 4096): string {
  const key = `${maxLength} ${text}`
  const known = cleaned.get(key)
  if (known !== undefined) return known
  const made = cleanMetadata(text, maxLength)
  characters += key.length + made.length
  if (characters > MOST_CHARACTERS) forgetDescriptions()
  cleaned.set(key, made)
  return made
}

/** After each source: a thread that waits for the next one keeps nothing of the last. */
export function forgetDescriptions(): void {
  cleaned.clear()
  characters = 0
}
