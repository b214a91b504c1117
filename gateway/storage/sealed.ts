// Every sealed secret in the database, in every table: for sealing them again.

import { sql } from 'kysely'
import { fromText, type JsonText } from './json-text.ts'
import type { Query, Tx } from './schema.ts'
import type { ToolConfig } from './stored.ts'
import { clientRef, grantRef } from './upstream-grants.ts'

export type SealedPlace = {
  readonly place:
    | 'upstream-auth'
    | 'oauth'
    | 'identity'
    | 'upstream-client'
    | 'upstream-grant'
    | 'context-budget'
    | 'install-link'
    | 'oidc'
    | 'pcg-editor'
    | 'meta'
  readonly id: number
  /** What its reference is made of. */
  readonly name: string
  readonly sealed: string
}

/** The key check among the meta comes last: it moves to a new key after the secrets it stands for. */
export async function sealedPlaces(query: Query): Promise<SealedPlace[]> {
  const backends = await query
    .selectFrom('backends')
    .select(['id', 'name', 'upstream_auth', 'oauth_secret', 'identity_secret'])
    .execute()
  const clients = await query
    .selectFrom('upstream_clients')
    .select(['id', 'backend_id', 'issuer', 'generation', 'secret'])
    .execute()
  const grants = await query
    .selectFrom('upstream_grants')
    .innerJoin('upstream_clients', 'upstream_clients.id', 'upstream_grants.client_id')
    .select(['upstream_grants.id', 'upstream_grants.backend_id', 'principal', 'issuer', 'generation', 'sealed'])
    .execute()
  const tools = await query
    .selectFrom('tools')
    .innerJoin('backends', 'backends.id', 'tools.backend_id')
    .select(['tools.id', 'tools.name', 'tools.config', 'backends.name as client'])
    .where(sql<boolean>`tools.config like '%"sealedKey":%'`)
    .execute()
  const links = await query.selectFrom('install_links').select(['id', 'token_hash', 'sealed_key']).execute()
  const sso = await query.selectFrom('oidc_settings').select(['id', 'settings', 'client_secret']).execute()
  const editors = await query.selectFrom('pcg_editors').select(['id', 'name', 'token']).execute()
  const meta = await query
    .selectFrom('meta')
    .selectAll()
    .where(({ eb, or }) => or([eb('value', 'like', 'local:%'), eb('value', 'like', 'kms:%')]))
    .execute()
  const found = [
    ...backends.map(
      ({ id, name, upstream_auth }) => ({ place: 'upstream-auth', id, name, sealed: upstream_auth }) as const,
    ),
    ...backends.map(({ id, name, oauth_secret }) => ({ place: 'oauth', id, name, sealed: oauth_secret }) as const),
    ...backends.map(
      ({ id, name, identity_secret }) => ({ place: 'identity', id, name, sealed: identity_secret }) as const,
    ),
    ...clients.map(
      (row) =>
        ({
          place: 'upstream-client',
          id: row.id,
          name: clientRef(row.backend_id, row.issuer, row.generation),
          sealed: row.secret,
        }) as const,
    ),
    ...grants.map(
      (row) =>
        ({
          place: 'upstream-grant',
          id: row.id,
          name: grantRef(row, row.issuer, row.generation),
          sealed: row.sealed,
        }) as const,
    ),
    ...tools.map(
      ({ id, name, client, config }) =>
        ({ place: 'context-budget', id, name: `${client}/tools/${name}`, sealed: modelKeyIn(config) }) as const,
    ),
    ...links.map(
      ({ id, token_hash, sealed_key }) =>
        ({ place: 'install-link', id, name: token_hash, sealed: sealed_key }) as const,
    ),
    ...sso.map(
      ({ id, settings, client_secret }) =>
        ({ place: 'oidc', id, name: issuerIn(settings), sealed: client_secret }) as const,
    ),
    ...editors.map(({ id, name, token }) => ({ place: 'pcg-editor', id, name, sealed: token }) as const),
    ...meta.map(({ key, value }) => ({ place: 'meta', id: 0, name: key, sealed: value }) as const),
  ]
  return found.flatMap((one) => (one.sealed === null ? [] : [{ ...one, sealed: one.sealed }]))
}

function modelKeyIn(config: JsonText<ToolConfig>): string | null {
  return fromText(config).contextBudget?.llm?.sealedKey ?? null
}

function issuerIn(settings: string): string {
  const stored: unknown = JSON.parse(settings)
  return typeof stored === 'object' && stored !== null && 'issuer' in stored ? String(stored.issuer) : ''
}

const COLUMNS: Readonly<Record<Exclude<SealedPlace['place'], 'context-budget' | 'meta'>, readonly [string, string]>> = {
  'upstream-auth': ['backends', 'upstream_auth'],
  oauth: ['backends', 'oauth_secret'],
  identity: ['backends', 'identity_secret'],
  'upstream-client': ['upstream_clients', 'secret'],
  'upstream-grant': ['upstream_grants', 'sealed'],
  'install-link': ['install_links', 'sealed_key'],
  oidc: ['oidc_settings', 'client_secret'],
  'pcg-editor': ['pcg_editors', 'token'],
}

/** Only over what was read: a secret that was changed in the meantime stays. */
export async function replaceSealed(
  tx: Tx,
  { place, id, name, sealed: before }: SealedPlace,
  sealed: string,
): Promise<void> {
  if (place === 'meta')
    await tx.updateTable('meta').set({ value: sealed }).where('key', '=', name).where('value', '=', before).execute()
  else if (place === 'context-budget')
    // Its text has nothing that JSON would escape.
    await tx
      .updateTable('tools')
      .set({ config: sql<JsonText<ToolConfig>>`replace(config, ${before}, ${sealed})` })
      .where('id', '=', id)
      .execute()
  else {
    const [table, column] = COLUMNS[place]
    const at = sql.ref(column)
    await sql`update ${sql.table(table)} set ${at} = ${sealed} where id = ${id} and ${at} = ${before}`.execute(tx)
  }
}
