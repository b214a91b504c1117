// One hash for one call: the backend, the tool and what it is called with, however its keys are ordered. Contract 8.7, 13.3.
import { createHash } from 'node:crypto'

/** Keys sorted by UTF-16 code unit at every level, no whitespace. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`
}

export function argsHash(client: string, tool: string, args: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(canonical([client, tool, args]))
    .digest('hex')
}
