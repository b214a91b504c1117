// The canonical text that an audit entry hashes, reproducible by any verifier. Contract 13.1.
import { createHash } from 'node:crypto'

export type AuditDetail = Readonly<Record<string, unknown>>

/** The hashed columns. `detail` is already canonical text, or null. */
export type Hashed = {
  readonly prev_hash: string
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly detail: string | null
  readonly created_at: string
}

// Deeper than any of our records; a limit because details contain callers' input.
const DEPTH_MAX = 32

export function entryHash({ prev_hash, actor, action, target, detail, created_at }: Hashed): string {
  const [prev, who, what, where, when] = [prev_hash, actor, action, target, created_at].map((text) =>
    JSON.stringify(text),
  )
  return createHash('sha256')
    .update(`[${prev},${who},${what},${where},${detail ?? 'null'},${when}]`)
    .digest('hex')
}

/** Keys sorted by UTF-16 code unit at every level, no whitespace. Written as text: objects would reorder keys like "10". */
export function canonicalDetail(detail: AuditDetail | null): string | null {
  return detail === null ? null : record(detail, 0)
}

function text(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.toWellFormed())
    case 'boolean':
      return String(value)
    case 'number':
      // Languages print fractions and huge numbers differently, so they are hashed as text.
      return Number.isSafeInteger(value) ? String(value) : JSON.stringify(String(value))
    case 'bigint':
      return JSON.stringify(String(value))
    case 'object':
      return value === null ? 'null' : nested(value, depth)
    default:
      return undefined
  }
}

function nested(value: object, depth: number): string {
  if (value instanceof Date) return JSON.stringify(Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString())
  if (depth >= DEPTH_MAX) return '"[too deep]"'
  if (Array.isArray(value)) return `[${value.map((item) => text(item, depth + 1) ?? 'null').join(',')}]`
  return record(value, depth)
}

function record(value: object, depth: number): string {
  // A map, because two keys can become equal when made well-formed.
  const fields = new Map<string, string>()
  for (const [key, field] of Object.entries(value)) {
    const written = text(field, depth + 1)
    if (written !== undefined) fields.set(nameOf(key), written)
  }
  const keys = [...fields.keys()].sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${fields.get(key)}`).join(',')}}`
}

// JSON parsers drop or interpret a key `__proto__`; the entry would then not match its hash.
function nameOf(key: string): string {
  return key === '__proto__' ? '[__proto__]' : key.toWellFormed()
}
