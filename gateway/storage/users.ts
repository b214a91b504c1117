// Admin users in the database: SQL in, rows out.
import type { Insertable, Selectable, Updateable } from 'kysely'
import { countOf } from './rows.ts'
import type { Query, Schema, Tx } from './schema.ts'

export type UserRow = Selectable<Schema['users']>

export async function userByName(query: Query, username: string): Promise<UserRow | undefined> {
  return query.selectFrom('users').selectAll().where('username', '=', username).executeTakeFirst()
}

export async function userByInvitation(query: Query, hash: string): Promise<UserRow | undefined> {
  return query.selectFrom('users').selectAll().where('invitation_hash', '=', hash).executeTakeFirst()
}

/** An invited user without a password cannot sign in yet. */
export const awaitsPassword = ({ auth_method, password_hash }: UserRow): boolean =>
  auth_method === 'password' && password_hash === null

export async function usersAfter(query: Query, after: string | undefined, limit: number): Promise<UserRow[]> {
  return query
    .selectFrom('users')
    .selectAll()
    .$if(after !== undefined, (rows) => rows.where('username', '>', after ?? ''))
    .orderBy('username')
    .limit(limit)
    .execute()
}

export const countUsers = (query: Query): Promise<number> => countOf(query.selectFrom('users'))

/** The active admins beside this one who can sign in, and how many of them have no team. */
export async function otherAdmins(
  tx: Tx,
  username: string,
): Promise<{ readonly admins: number; readonly superadmins: number }> {
  const rows = await tx
    .selectFrom('users')
    .select('team_id')
    .where('role', '=', 'admin')
    .where('is_active', '=', 1)
    .where(({ eb, or }) => or([eb('auth_method', '!=', 'password'), eb('password_hash', 'is not', null)]))
    .where('username', '!=', username)
    .execute()
  return { admins: rows.length, superadmins: rows.filter(({ team_id }) => team_id === null).length }
}

export async function insertUser(tx: Tx, row: Omit<Insertable<Schema['users']>, 'revision'>): Promise<void> {
  await tx
    .insertInto('users')
    .values({ ...row, revision: 1 })
    .execute()
}

/** The revision moves with every change. */
export async function updateUser(tx: Tx, username: string, change: Updateable<Schema['users']>): Promise<void> {
  await tx
    .updateTable('users')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('username', '=', username)
    .execute()
}

/** Signing in is no change of the record: it moves no revision. */
export async function noteLogin(tx: Tx, username: string, at: string): Promise<void> {
  await tx.updateTable('users').set({ last_login_at: at }).where('username', '=', username).execute()
}

export async function deleteUser(tx: Tx, username: string): Promise<void> {
  await tx.deleteFrom('users').where('username', '=', username).execute()
}
