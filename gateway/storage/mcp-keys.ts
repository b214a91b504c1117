// Managed keys in the database: SQL in, rows out. Values come in hashed.
import type { Selectable, Updateable } from 'kysely'
import { contains } from './like.ts'
import { ownedRows } from './owned.ts'
import type { Query, Schema, Tx } from './schema.ts'

export type KeyRow = Selectable<Schema['mcp_keys']>

export const { byId: keyById, insert: insertKey, update: updateKey, delete: deleteKey } = ownedRows('mcp_keys', null)

/** What every key needs in memory; scopes are long, and read when a key is first used. */
const LIVE_COLUMNS = [
  'id',
  'key_hash',
  'retired',
  'consumer_id',
  'elevated',
  'admin_role',
  'enabled',
  'expires_at',
  'revoked_at',
  'team_id',
  'last_used_client',
  'person',
  'names_people',
  'revision',
] as const satisfies readonly (keyof KeyRow)[]
export type LiveKeyRow = Pick<KeyRow, (typeof LIVE_COLUMNS)[number]>
export type KeyScopeRow = Pick<KeyRow, 'scopes' | 'allowed_tools'>

export async function liveKeyRows(query: Query): Promise<LiveKeyRow[]> {
  return query.selectFrom('mcp_keys').select(LIVE_COLUMNS).execute()
}

export async function liveKeyRow(query: Query, id: number): Promise<LiveKeyRow | undefined> {
  return query.selectFrom('mcp_keys').select(LIVE_COLUMNS).where('id', '=', id).executeTakeFirst()
}

export async function keyScopeRow(query: Query, id: number): Promise<KeyScopeRow | undefined> {
  return query.selectFrom('mcp_keys').select(['scopes', 'allowed_tools']).where('id', '=', id).executeTakeFirst()
}

type KeyQuery = {
  /** Undefined: of every team and of none. */
  readonly teamId: number | undefined
  readonly q: string | undefined
  readonly consumerId: number | undefined
  readonly active: boolean | undefined
  readonly at: string
  readonly before: number | undefined
  readonly limit: number
}

/** Newest first. */
export async function keysBefore(query: Query, wanted: KeyQuery): Promise<KeyRow[]> {
  const { teamId, q, consumerId, active, at, before, limit } = wanted
  return query
    .selectFrom('mcp_keys')
    .selectAll()
    .$if(teamId !== undefined, (rows) => rows.where('team_id', '=', teamId ?? 0))
    .$if(consumerId !== undefined, (rows) => rows.where('consumer_id', '=', consumerId ?? 0))
    .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? 0))
    .$if(q !== undefined, (rows) =>
      rows.where(({ or }) => or(['label', 'key_prefix'].map((column) => contains(column, q ?? '')))),
    )
    .$if(active !== undefined, (rows) =>
      rows.where(({ and, or, not, eb }) => {
        const stands = and([
          eb('enabled', '=', 1),
          eb('revoked_at', 'is', null),
          or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]),
        ])
        return active === true ? stands : not(stands)
      }),
    )
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Being used is no change of the record: it moves no revision. */
export async function noteKeyUse(
  tx: Tx,
  id: number,
  use: Pick<Updateable<Schema['mcp_keys']>, 'last_used_at' | 'last_used_client'>,
): Promise<void> {
  await tx.updateTable('mcp_keys').set(use).where('id', '=', id).execute()
}

/** Of every key there is, by id. */
export async function keyHashes(query: Query): Promise<ReadonlyMap<number, string>> {
  const rows = await query.selectFrom('mcp_keys').select(['id', 'key_hash']).execute()
  return new Map(rows.map(({ id, key_hash }) => [id, key_hash]))
}
