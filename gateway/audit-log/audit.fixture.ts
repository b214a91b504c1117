// A filled audit log, direct access to its table, and an independent verifier.
import { createHash } from 'node:crypto'
import BetterSqlite3 from 'better-sqlite3'
import type { AuditEntry } from '#contract'
import type { Database } from '../storage/database.ts'
import { type AuditEvent, appendAudit } from './chain.ts'

export const AT = Date.UTC(2026, 0, 31, 9, 15)

export function anEvent(number: number, more: Partial<AuditEvent> = {}): AuditEvent {
  const detail = { request_id: `r-${number}`, before: { enabled: true }, after: { enabled: false, 10: 'ten', 9: null } }
  return { actor: 'ada', action: 'tool.enable', target: `pets__t${number}`, detail, at: AT + number, ...more }
}

export async function append(database: Database, count: number, more: Partial<AuditEvent> = {}): Promise<AuditEntry[]> {
  return database.write(async (tx) => {
    const entries: AuditEntry[] = []
    for (let number = 1; number <= count; number++) entries.push(await appendAudit(tx, anEvent(number, more)))
    return entries
  })
}

/** Changes the table as a database browser would. */
export function tamper(database: Database, change: (raw: BetterSqlite3.Database) => void): void {
  const raw = new BetterSqlite3(database.path)
  try {
    change(raw)
  } finally {
    raw.close()
  }
}

// Written from the contract, deliberately not from canonical.ts.
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${sorted(field)}`).join(',')}}`
}

/** A client-side verification over the API: counts entries with a valid hash and link. */
export function independentlyValid(entries: readonly AuditEntry[]): number {
  let previous = ''
  let valid = 0
  for (const { prev_hash, actor, action, target, detail, created_at, hash } of entries) {
    const image = sorted([prev_hash, actor, action, target, detail, created_at])
    if (prev_hash === previous && createHash('sha256').update(image, 'utf8').digest('hex') === hash) valid++
    previous = hash
  }
  return valid
}
