// Upstream text made fit to hand on: our own credential taken out, invisible and control characters removed. Contract 5.11.
import { cleanText as withoutInvisible } from '../../discovery/sanitize.ts'

const REMOVED = '[credential removed]'

function masked(text: string, secrets: readonly string[]): string {
  let rest = text
  for (const secret of secrets) if (rest.includes(secret)) rest = rest.replaceAll(secret, () => REMOVED)
  return rest
}

export function cleanText(text: string, secrets: readonly string[]): string {
  const rest = masked(text, secrets)
  const clean = withoutInvisible(rest)
  // What stood apart around a removed character, or was spelled by another one, may now be the secret.
  return clean === rest ? rest : masked(clean, secrets)
}

/** Every string of a JSON value, keys included; the value itself when there was nothing to clean. The depth was bounded when it was parsed. */
export function cleanValue(value: unknown, secrets: readonly string[]): unknown {
  // Most answers are clean, and finding that out makes nothing new.
  return isClean(value, secrets) ? value : cleaned(value, secrets)
}

function isClean(value: unknown, secrets: readonly string[]): boolean {
  if (typeof value === 'string') return cleanText(value, secrets) === value
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) {
    for (const each of value) if (!isClean(each, secrets)) return false
    return true
  }
  // One of its own keys.
  for (const key of Object.keys(value))
    if (cleanText(key, secrets) !== key || !isClean(value[key as keyof typeof value], secrets)) return false
  return true
}

function cleaned(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return cleanText(value, secrets)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: unknown) => cleaned(each, secrets))
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([key, inner]: [string, unknown]) => [cleanText(key, secrets), cleaned(inner, secrets)]),
  )
}

/** The same for bytes that are no text. */
export function cleanBytes(bytes: Buffer, secrets: readonly string[]): Buffer {
  if (!secrets.some((secret) => bytes.includes(secret))) return bytes
  return Buffer.from(
    masked(
      bytes.toString('latin1'),
      secrets.map((secret) => Buffer.from(secret).toString('latin1')),
    ),
    'latin1',
  )
}

/** At most this many bytes of UTF-8, never half a character. */
export function cutToBytes(text: string, most: number): string {
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return text
  const bytes = Buffer.from(text)
  let end = most
  // A continuation byte at the cut means that a character began before it.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end).toString()
}
