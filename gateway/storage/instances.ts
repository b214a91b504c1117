// The processes that use one database. Each renews its row; one whose row ran out is gone.

import type { Clock } from '../telemetry/clock.ts'
import type { Database } from './database.ts'
import { fromText, jsonText } from './json-text.ts'
import { MIGRATIONS } from './migrations/index.ts'
import type { Query, Tx } from './schema.ts'
import { StorageError } from './storage-error.ts'

export type Instance = {
  readonly id: string
  readonly host: string
  readonly pid: number
  /** Distinguishes a process id of this machine and container from that of another. */
  readonly machine: string
  readonly started_at: string
}
type Row = Instance & { readonly expires_at_ms: number }

type Claim = {
  readonly me: Instance
  readonly durationMs: number
  readonly allowOthers: boolean
  readonly clock: Clock
  readonly monotonic: () => number
  readonly isRunning: (pid: number) => boolean
  readonly pause: (ms: number) => Promise<void>
}

const LOCK = 'instances'
/** Of this program: a migration that it cannot run beside is refused while it runs. */
const SCHEMA = { version: String(MIGRATIONS.at(-1)?.version ?? 0) }
const LOOK_EVERY_MS = 250

/**
 * Enters this instance. Another that renews its row is alive: unless several are allowed, the claim is refused. One that
 * does not renew for the time of a lease crashed or froze, and is forgotten; on this machine its process id shows it at once.
 */
export async function claimInstance(database: Database, claim: Claim): Promise<void> {
  const { durationMs, monotonic, pause } = claim
  const until = monotonic() + durationMs
  const seen = new Map<string, number>()
  for (;;) {
    const others = await entered(database, claim, monotonic() >= until ? seen : undefined)
    if (others.length === 0) return
    const alive = others.find(({ id, expires_at_ms }) => (seen.get(id) ?? expires_at_ms) < expires_at_ms)
    if (alive) throw inUse(database.path, alive, durationMs)
    for (const { id, expires_at_ms } of others) seen.set(id, expires_at_ms)
    await pause(LOOK_EVERY_MS)
  }
}

/** The instances that stand in the way; with none, this one is entered. `silent` rows that did not change are gone. */
function entered(
  database: Database,
  { me, durationMs, allowOthers, clock, isRunning }: Claim,
  silent: ReadonlyMap<string, number> | undefined,
): Promise<readonly Row[]> {
  const isGone = (row: Row): boolean =>
    row.expires_at_ms <= clock.now() ||
    silent?.get(row.id) === row.expires_at_ms ||
    (row.machine === me.machine && (row.pid === me.pid || !isRunning(row.pid)))
  return database.write(async (tx) => {
    const rows = await tx.selectFrom('instances').selectAll().orderBy('id').execute()
    const others: Row[] = []
    for (const row of rows)
      if (isGone(row) || (allowOthers && row.id === me.id)) await forget(tx, row.id)
      else others.push(row)
    if (others.length > 0 && !allowOthers) return others
    await tx
      .insertInto('instances')
      .values({ ...me, ...SCHEMA, expires_at_ms: clock.now() + durationMs })
      .execute()
    return []
  }, LOCK)
}

const forget = (tx: Tx, id: string) => tx.deleteFrom('instances').where('id', '=', id).execute()

function inUse(path: string, { id, host, pid, started_at }: Instance, durationMs: number): StorageError {
  return new StorageError(
    'in_use',
    `The database ${path} is in use by the instance ${id} on ${host} (process ${pid}), which started at ${started_at}. ` +
      'Stop that instance, or set ALLOW_SECOND_INSTANCE=true on all of them: each then counts limits and quotas for itself ' +
      `and sees configuration changes of the others after a restart, or at once with REGISTRY_SYNC=true. An instance that crashed is forgotten after ${Math.ceil(durationMs / 1000)} s.`,
  )
}

/** What an instance states of itself. */
export type Report = {
  readonly version: string
  readonly loadPercent: number
  readonly sessions: number
  readonly memoryBytes: number
  readonly limitsDegraded: 'share' | 'open' | 'closed' | null
}
export type InstanceRow = {
  readonly id: string
  readonly host: string
  readonly startedAt: string
  readonly applied: number | null
  readonly draining: boolean
  readonly report: Report | null
}
type Renewal = {
  readonly durationMs: number
  readonly nowMs: number
  readonly report: Report | undefined
  readonly applied: number | undefined
}

/** Renews the row and answers all that are alive, this one included. */
export async function renewInstance(
  database: Pick<Database, 'write'>,
  me: Instance,
  { durationMs, nowMs, report, applied }: Renewal,
): Promise<readonly InstanceRow[]> {
  const renewed = {
    expires_at_ms: nowMs + durationMs,
    ...(report && { report: jsonText(report) }),
    ...(applied !== undefined && { applied }),
  }
  return database.write(async (tx) => {
    await tx
      .insertInto('instances')
      .values({ ...me, ...SCHEMA, ...renewed })
      .onConflict((clash) => clash.column('id').doUpdateSet(renewed))
      .execute()
    return instanceRows(tx, nowMs)
  })
}

/** Those that are alive. */
export async function instanceRows(query: Query | Tx, nowMs: number): Promise<readonly InstanceRow[]> {
  const rows = await query
    .selectFrom('instances')
    .select(['id', 'host', 'started_at', 'applied', 'draining', 'report'])
    .where('expires_at_ms', '>', nowMs)
    .orderBy('started_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id, host, started_at, applied, draining, report }) => ({
    id,
    host,
    startedAt: started_at,
    applied,
    draining: draining === 1,
    report: fromText(report), // written above
  }))
}

/** The version of the configuration that the instance has applied. */
export async function setApplied({ write }: Pick<Database, 'write'>, id: string, applied: number): Promise<void> {
  await write((tx) => tx.updateTable('instances').set({ applied }).where('id', '=', id).execute())
}

/** False where there is no such instance. */
export async function setDraining(tx: Tx, id: string, draining: boolean): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('instances')
    .set({ draining: draining ? 1 : 0 })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function aliveInstances(query: Query, nowMs: number): Promise<readonly string[]> {
  const rows = await query.selectFrom('instances').select('id').where('expires_at_ms', '>', nowMs).execute()
  return rows.map(({ id }) => id)
}

export async function leaveInstance(database: Pick<Database, 'write'>, id: string): Promise<void> {
  await database.write((tx) => forget(tx, id))
}
