// Leadership by lease: one holder at a time, with a token that only grows, so that a leader who slept is fenced off.
import type { Database } from './database.ts'
import type { Tx } from './schema.ts'
import { StorageError } from './storage-error.ts'

export type Lease = { readonly name: string; readonly holder: string; readonly token: number }

/** Takes a free or expired lease; undefined while another holds it. A holder that asks again gets a new token. */
export function acquireLease(
  database: Database,
  wanted: { readonly name: string; readonly holder: string; readonly durationMs: number },
  nowMs: number,
): Promise<Lease | undefined> {
  const { name, holder, durationMs } = wanted
  return database.write(async (tx) => {
    const row = await tx.selectFrom('leases').selectAll().where('name', '=', name).executeTakeFirst()
    if (row && row.holder !== holder && row.expires_at_ms > nowMs) return undefined
    const next = { holder, expires_at_ms: nowMs + durationMs, token: (row?.token ?? 0) + 1 }
    await tx
      .insertInto('leases')
      .values({ name, ...next })
      .onConflict((clash) => clash.column('name').doUpdateSet(next))
      .execute()
    return { name, holder, token: next.token }
  })
}

/** False once the lease ran out or went to another; the caller then stops leading and acquires anew. */
export async function renewLease(
  database: Database,
  lease: Lease,
  durationMs: number,
  nowMs: number,
): Promise<boolean> {
  const { numUpdatedRows } = await database.write((tx) =>
    tx
      .updateTable('leases')
      .set({ expires_at_ms: nowMs + durationMs })
      .where('name', '=', lease.name)
      .where('holder', '=', lease.holder)
      .where('token', '=', lease.token)
      .where('expires_at_ms', '>', nowMs)
      .executeTakeFirst(),
  )
  return numUpdatedRows > 0n
}

/** The row stays, so that the next token is higher than every one before. */
export async function releaseLease(database: Database, lease: Lease): Promise<void> {
  await database.write((tx) =>
    tx
      .updateTable('leases')
      .set({ holder: '', expires_at_ms: 0 })
      .where('name', '=', lease.name)
      .where('token', '=', lease.token)
      .execute(),
  )
}

/** In the same transaction as what only a leader may write: a leader that lost its lease writes nothing. */
export async function requireLease(tx: Tx, lease: Lease, nowMs: number): Promise<void> {
  const held = await tx
    .selectFrom('leases')
    .select('token')
    .where('name', '=', lease.name)
    .where('token', '=', lease.token)
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst()
  if (!held) throw new StorageError('fenced', `The lease ${lease.name} is no longer held by ${lease.holder}`)
}
