// Permits in the database, for instances that share limits without Redis: a few short transactions per second and limit.

import { sql } from 'kysely'
import type { Database } from './database.ts'
import { fromText, jsonText } from './json-text.ts'
import { lastEnd, type PermitStore, type Runs, refundedRuns, takenRuns } from './permits.ts'
import type { Tx } from './schema.ts'

const TRIM_EVERY_MS = 60_000

/** A database file belongs to one machine, whose clock all of its processes share. */
async function clockOf(engine: Database['engine'], tx: Tx): Promise<number> {
  if (engine === 'sqlite') return Date.now()
  const { rows } = await sql<{
    now: number | string
  }>`select floor(extract(epoch from clock_timestamp()) * 1000) as now`.execute(tx)
  return Number(rows[0]?.now)
}

async function locked(tx: Tx, keys: readonly string[]): Promise<Map<string, Runs>> {
  const sorted = [...new Set(keys)].toSorted()
  await tx
    .insertInto('rate_permits')
    .values(sorted.map((key) => ({ key, runs: jsonText([]), ends_at_ms: 0 })))
    .onConflict((clash) => clash.column('key').doNothing())
    .execute()
  // In one order, so that two calls with two limits in common do not wait for each other.
  const rows = await tx
    .selectFrom('rate_permits')
    .selectAll()
    .where('key', 'in', sorted)
    .orderBy('key')
    .forUpdate()
    .execute()
  return new Map(rows.map(({ key, runs }) => [key, fromText(runs)]))
}

async function store(tx: Tx, key: string, runs: Runs): Promise<void> {
  await tx
    .updateTable('rate_permits')
    .set({ runs: jsonText(runs), ends_at_ms: lastEnd(runs) })
    .where('key', '=', key)
    .execute()
}

export function databasePermits(database: Pick<Database, 'write' | 'engine'>): PermitStore {
  let trimmedAtMs = 0
  return {
    take: (wants, refunds) =>
      database.write(async (tx) => {
        const held = await locked(
          tx,
          [...refunds, ...wants].map(({ key }) => key),
        )
        const nowMs = await clockOf(database.engine, tx)
        for (const refund of refunds) held.set(refund.key, refundedRuns(held.get(refund.key) ?? [], refund, nowMs))
        const taken = wants.map((want) => takenRuns(held.get(want.key) ?? [], want, nowMs))
        const grants: { readonly count: number; readonly run: number }[] = []
        for (const [at, each] of taken.entries()) if (each.ok) grants[at] = each
        const refused = taken.findIndex(({ ok }) => !ok)
        if (refused === -1) for (const [at, { runs }] of taken.entries()) held.set(wants[at]?.key ?? '', runs)
        for (const [key, runs] of held) await store(tx, key, runs)
        if (nowMs - trimmedAtMs > TRIM_EVERY_MS) {
          trimmedAtMs = nowMs
          await tx.deleteFrom('rate_permits').where('ends_at_ms', '<', nowMs).execute()
        }
        const first = taken[refused]
        if (first && !first.ok) return { ok: false, index: refused, retryAfterMs: first.retryAfterMs }
        return { ok: true, grants }
      }),
    // A database that does not answer refuses calls by itself.
    up: () => true,
    close: () => Promise.resolve(),
  }
}
