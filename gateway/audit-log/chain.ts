// Appends to the audit chain, inside the transaction of the change it records. Contract 13.1.
import type { AuditAction, AuditEntry } from '#contract'
import type { Schema, Tx } from '../storage/schema.ts'
import { type AuditDetail, canonicalDetail, entryHash } from './canonical.ts'

export type AuditEvent = {
  readonly actor: string
  readonly action: AuditAction
  /** The natural name of the record, `client__tool`, or an id as text. */
  readonly target: string
  readonly detail: AuditDetail | null
  /** Epoch milliseconds. */
  readonly at: number
  /** The team that may read it, besides users without a team. */
  readonly teamId?: number | null
}

/** Returns the row for the event stream and the sink. */
export async function appendAudit(tx: Tx, event: AuditEvent): Promise<AuditEntry> {
  const tip = await tx.selectFrom('audit_log').select(['id', 'hash']).orderBy('id', 'desc').limit(1).executeTakeFirst()
  const entry = {
    prev_hash: tip?.hash ?? '',
    actor: storable(event.actor),
    action: event.action,
    target: storable(event.target),
    detail: canonicalDetail(event.detail),
    created_at: new Date(event.at).toISOString(),
  }
  const row = { id: (tip?.id ?? 0) + 1, ...entry, hash: entryHash(entry), team_id: event.teamId ?? null }
  await tx.insertInto('audit_log').values(row).execute()
  return entryOf(row)
}

/** PostgreSQL cannot store NUL; both engines hash what is stored. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** SQLite cells have any type, so a tampered row need not contain text. */
export function entryOf(row: Readonly<Record<Exclude<keyof Schema['audit_log'], 'team_id'>, unknown>>): AuditEntry {
  return {
    id: Number(row.id),
    prev_hash: String(row.prev_hash),
    actor: String(row.actor),
    action: String(row.action),
    target: String(row.target),
    detail: row.detail === null ? null : detailOf(String(row.detail)),
    created_at: String(row.created_at),
    hash: String(row.hash),
  }
}

function detailOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    // Canonical details are objects; the copy satisfies the compiler.
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Only a tampered row fails to parse; it is shown unchanged, and `verify` reports it.
  }
  return { unreadable: text }
}
