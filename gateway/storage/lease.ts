// Leadership by lease: one holder at a time, with a token that only grows, so that a leader who slept is fenced off.
import { sql } from 'kysely'
import type { Database } from './database.ts'
import type { Query, Tx } from './schema.ts'
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
    const expires_at_ms = nowMs + durationMs
    // One statement: of several instances that ask at the same moment, one finds the lease free.
    const taken = await tx
      .insertInto('leases')
      .values({ name, holder, expires_at_ms, token: 1 })
      .onConflict((clash) =>
        clash
          .column('name')
          .doUpdateSet({ holder, expires_at_ms, token: sql`leases.token + 1` })
          .where((row) => row.or([row('leases.holder', '=', holder), row('leases.expires_at_ms', '<=', nowMs)])),
      )
      .returning('token')
      .executeTakeFirst()
    return taken && { name, holder, token: taken.token }
  })
}

/** When the present holder's lease ends, unless it is renewed; undefined where there never was a holder. */
export async function leaseEnd({ query }: Pick<Database, 'query'>, name: string): Promise<number | undefined> {
  const row = await query.selectFrom('leases').select('expires_at_ms').where('name', '=', name).executeTakeFirst()
  return row?.expires_at_ms
}

/** Who holds the lease now. */
export async function leaseHolder(query: Query, name: string, nowMs: number): Promise<string | undefined> {
  const row = await query
    .selectFrom('leases')
    .select('holder')
    .where('name', '=', name)
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst()
  return row?.holder
}

/** False once the lease ran out or went to another; the caller then stops leading and acquires again. */
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

/**
 * In the same transaction as what only a leader may write: a leader that lost its lease writes nothing. The row stays
 * locked to the end, so that the lease cannot pass on between this look and the commit.
 */
export async function requireLease(tx: Tx, lease: Lease, nowMs: number): Promise<void> {
  const held = await tx
    .selectFrom('leases')
    .select('token')
    .where('name', '=', lease.name)
    .where('token', '=', lease.token)
    .where('expires_at_ms', '>', nowMs)
    .forShare()
    .executeTakeFirst()
  if (!held) throw new StorageError('fenced', `The lease ${lease.name} is no longer held by ${lease.holder}`)
}
