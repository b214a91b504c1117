// Admin sessions in the database: SQL in, rows out. Tokens come in hashed.
import type { Selectable } from 'kysely'
import { rowsOf } from './rows.ts'
import type { Query, Schema, Tx } from './schema.ts'

export type SessionRow = Selectable<Schema['admin_sessions']>
/** A session with what its user may do now. */
export type SessionWithUser = SessionRow & Pick<Schema['users'], 'role' | 'is_active' | 'team_id'>

export async function sessionByToken(query: Query, tokenHash: string): Promise<SessionWithUser | undefined> {
  return withUser(query).where('token_hash', '=', tokenHash).executeTakeFirst()
}

export async function sessionById(query: Query, id: number): Promise<SessionWithUser | undefined> {
  return withUser(query).where('admin_sessions.id', '=', id).executeTakeFirst()
}

function withUser(query: Query) {
  return query
    .selectFrom('admin_sessions')
    .innerJoin('users', 'users.username', 'admin_sessions.username')
    .selectAll('admin_sessions')
    .select(['users.role', 'users.is_active', 'users.team_id'])
}

/** Newest first. Expired ones are left out, even before their rows are removed. */
export async function sessionsBefore(
  query: Query,
  wanted: {
    readonly username: string
    readonly aliveAt: string
    readonly seenSince: string
    readonly before: number | undefined
    readonly limit: number
  },
): Promise<SessionRow[]> {
  const { username, aliveAt, seenSince, before, limit } = wanted
  return query
    .selectFrom('admin_sessions')
    .selectAll()
    .where('username', '=', username)
    .where('expires_at', '>', aliveAt)
    .where('last_seen_at', '>', seenSince)
    .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export const { insert: insertSession } = rowsOf('admin_sessions')

export async function noteSeen(tx: Tx, id: number, at: string): Promise<void> {
  await tx.updateTable('admin_sessions').set({ last_seen_at: at }).where('id', '=', id).execute()
}

/** Ends the sessions of a user: one, all but one, or all. Returns the ids that were there. */
export async function deleteSessions(
  tx: Tx,
  { username, only, except }: { readonly username: string; readonly only?: number; readonly except?: number },
): Promise<number[]> {
  const rows = await tx
    .deleteFrom('admin_sessions')
    .where('username', '=', username)
    .$if(only !== undefined, (gone) => gone.where('id', '=', only ?? 0))
    .$if(except !== undefined, (gone) => gone.where('id', '!=', except ?? 0))
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function deleteEnded(tx: Tx, { at, seenSince }: { at: string; seenSince: string }): Promise<void> {
  await tx
    .deleteFrom('admin_sessions')
    .where((ended) => ended.or([ended('expires_at', '<=', at), ended('last_seen_at', '<=', seenSince)]))
    .execute()
}
