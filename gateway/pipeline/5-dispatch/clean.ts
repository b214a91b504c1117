// Upstream text made safe to hand on: our own credential taken out, invisible and control characters removed. Contract 5.11.
const REMOVED = '[credential removed]'

// C0 and C1 controls but tab, line feed and carriage return; bidi overrides; zero-width; Unicode tags. ANSI sequences whole.
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|[@-Z\\-_])/g
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|\udb40[\udc00-\udc7f]/g
/** A cheap look: most answers hold nothing of the kind. Zero-width joiners inside emoji are rare enough to take the slow way. */
const SUSPECT =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\udb40]/

export function cleanText(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, REMOVED)
  if (SUSPECT.test(clean)) {
    clean = clean.replace(ANSI, '').replace(INVISIBLE, '')
    // What stood apart around a removed character may now spell the secret.
    for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, REMOVED)
  }
  return clean.isWellFormed() ? clean.normalize('NFC') : clean.toWellFormed().normalize('NFC')
}

/** Every string of a JSON value, keys included. Iterative in nothing: the depth was bounded when it was parsed. */
export function cleanValue(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return cleanText(value, secrets)
  if (Array.isArray(value)) return value.map((each) => cleanValue(each, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [cleanText(key, secrets), cleanValue(inner, secrets)]),
  )
}
