// Single sign-on in the database: its one row of settings, sign-ins under way, and its users.
import type { Insertable, Selectable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'
import type { UserRow } from './users.ts'

export type OidcRow = Selectable<Schema['oidc_settings']>
export type OidcSignInRow = Selectable<Schema['oidc_sign_ins']>

const ONLY = 1

export async function oidcRow(query: Query): Promise<OidcRow | undefined> {
  return query.selectFrom('oidc_settings').selectAll().where('id', '=', ONLY).executeTakeFirst()
}

export async function putOidcRow(tx: Tx, row: Omit<Insertable<Schema['oidc_settings']>, 'id'>): Promise<void> {
  await tx
    .insertInto('oidc_settings')
    .values({ id: ONLY, ...row })
    .onConflict((clash) => clash.column('id').doUpdateSet(row))
    .execute()
}

/** What ran out goes first; beyond `most`, what runs out next. */
export async function openOidcSignIn(tx: Tx, row: OidcSignInRow, now: string, most: number): Promise<void> {
  await tx.deleteFrom('oidc_sign_ins').where('expires_at', '<=', now).execute()
  await tx
    .deleteFrom('oidc_sign_ins')
    .where('state_hash', 'not in', (kept) =>
      kept
        .selectFrom('oidc_sign_ins')
        .select('state_hash')
        .orderBy('expires_at', 'desc')
        .limit(most - 1),
    )
    .execute()
  await tx.insertInto('oidc_sign_ins').values(row).execute()
}

/** Removed with the answer: no sign-in returns twice. */
export async function takeOidcSignIn(tx: Tx, stateHash: string): Promise<OidcSignInRow | undefined> {
  return tx.deleteFrom('oidc_sign_ins').where('state_hash', '=', stateHash).returningAll().executeTakeFirst()
}

export async function userBySubject(query: Query, issuer: string, subject: string): Promise<UserRow | undefined> {
  return query
    .selectFrom('users')
    .selectAll()
    .where('oidc_issuer', '=', issuer)
    .where('oidc_subject', '=', subject)
    .executeTakeFirst()
}
