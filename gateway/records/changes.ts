// A change and its audit entries are one transaction: both are committed, or neither.

import type { AuditDetail } from '../audit-log/canonical.ts'
import { appendAudit } from '../audit-log/chain.ts'
import { teamOfEntry } from '../audit-log/team.ts'
import type { AuditEntry } from '../contract/admin/audit-log.ts'
import type { AuditAction } from '../contract/audit-action.ts'
import { GatewayError } from '../contract/error.ts'
import type { Actor } from '../contract/role.ts'
import type { Mark } from '../storage/batch.ts'
import { markOnce } from '../storage/burst-marks.ts'
import { AUDIT_CHAIN, type Database } from '../storage/database.ts'
import type { Tx } from '../storage/schema.ts'
import type { Clock } from '../telemetry/clock.ts'

/** The actor and the request. */
export type By = { readonly actor: Actor; readonly requestId: string }

/** The parts for the audit entry. */
type Author = Pick<By, 'requestId'> & { readonly actor: Pick<Actor, 'name'> & Partial<Pick<Actor, 'teamId'>> }

export type Audit = (action: AuditAction, target: string, detail?: AuditDetail) => Promise<void>

export type Changes = {
  <T>(by: Author, work: (tx: Tx, audit: Audit) => Promise<T>): Promise<T>
}

/** Called for each entry after the commit. */
export type OnAppended = (entry: AuditEntry, teamId: number | null) => void

export const SYSTEM: Actor = { name: 'system', kind: 'system', role: 'admin', teamId: null }

export function createChanges(database: Database, clock: Clock, onAppended: OnAppended): Changes {
  return async (by, work) => {
    const appended: { readonly entry: AuditEntry; readonly teamId: number | null }[] = []
    const value = await database.write(
      (tx) =>
        work(tx, async (action, target, detail = {}) => {
          const teamId = await teamOfEntry(tx, action, target, by.actor.teamId ?? null)
          const entry = await appendAudit(tx, {
            actor: by.actor.name,
            action,
            target,
            detail: { request_id: by.requestId, ...detail },
            at: clock.now(),
            teamId,
          })
          appended.push({ entry, teamId })
        }),
      AUDIT_CHAIN,
    )
    for (const { entry, teamId } of appended) onAppended(entry, teamId)
    return value
  }
}

/** Appends standalone entries, such as those of calls, in one transaction; idempotent. */
export function createAppender(
  database: Pick<Database, 'write'>,
  clock: Clock,
  onAppended: OnAppended,
): (
  action: AuditAction,
  given: readonly {
    readonly actor: string
    readonly teamId: number | null
    readonly target: string
    readonly detail: AuditDetail
  }[],
  mark: Mark,
) => Promise<void> {
  return async (action, given, mark) => {
    const appended = await database.write(async (tx) => {
      const entries: AuditEntry[] = []
      if (!(await markOnce(tx, mark, clock.now()))) return entries
      for (const entry of given) entries.push(await appendAudit(tx, { ...entry, action, at: clock.now() }))
      return entries
    }, AUDIT_CHAIN)
    for (const [at, entry] of appended.entries()) onAppended(entry, given[at]?.teamId ?? null)
  }
}

/** `{ before, after }` of the changed fields; undefined without changes. */
export function difference(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): { before: Record<string, unknown>; after: Record<string, unknown> } | undefined {
  const changed = Object.keys(after).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
  if (changed.length === 0) return undefined
  const pick = (from: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(changed.map((key) => [key, from[key] ?? null]))
  return { before: pick(before), after: pick(after) }
}

/** The revision the caller last read; `*` only requires that the record exists. */
export type Revision = number | '*' | undefined

/** 412 if the caller last read another revision. */
export function requireRevision(current: number, expected: readonly Revision[]): void {
  if (expected.every((each) => each === undefined || each === '*' || each === current)) return
  throw new GatewayError('PRECONDITION_FAILED', 'This record has changed since you read it; read it again', {
    details: { currentRevision: current },
  })
}
