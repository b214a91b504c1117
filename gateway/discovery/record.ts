// Reading unchecked values.

export type JsonRecord = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Own entries only, and never the one name that would change a prototype. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (!isRecord(value)) return []
  const entries = Object.entries(value)
  return Object.hasOwn(value, '__proto__') ? entries.filter(([key]) => key !== '__proto__') : entries
}

export function get(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** The text of a string, number or boolean; an object has none, also with a `toString` of its own. */
export function scalarOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string')
}
