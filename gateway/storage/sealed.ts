// Every sealed secret in the database, in every table: for sealing them again.

import { sql } from 'kysely'
import { fromText, type JsonText } from './json-text.ts'
import type { Query, Tx } from './schema.ts'
import type { ToolConfig } from './stored.ts'

export type SealedPlace = {
  readonly place: 'upstream-auth' | 'oauth' | 'context-budget' | 'install-link' | 'oidc' | 'pcg-editor' | 'meta'
  readonly id: number
  /** What its reference is made of. */
  readonly name: string
  readonly sealed: string
}

/** The key check among the meta comes last: it moves to a new key after the secrets it stands for. */
export async function sealedPlaces(query: Query): Promise<SealedPlace[]> {
  const backends = await query.selectFrom('backends').select(['id', 'name', 'upstream_auth', 'oauth_secret']).execute()
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

/** Only over what was read: a secret that was changed in the meantime stays. */
export async function replaceSealed(
  tx: Tx,
  { place, id, name, sealed: before }: SealedPlace,
  sealed: string,
): Promise<void> {
  switch (place) {
    case 'upstream-auth':
      await tx
        .updateTable('backends')
        .set({ upstream_auth: sealed })
        .where('id', '=', id)
        .where('upstream_auth', '=', before)
        .execute()
      return
    case 'oauth':
      await tx
        .updateTable('backends')
        .set({ oauth_secret: sealed })
        .where('id', '=', id)
        .where('oauth_secret', '=', before)
        .execute()
      return
    case 'context-budget':
      // Its text has nothing that JSON would escape.
      await tx
        .updateTable('tools')
        .set({ config: sql<JsonText<ToolConfig>>`replace(config, ${before}, ${sealed})` })
        .where('id', '=', id)
        .execute()
      return
    case 'install-link':
      await tx
        .updateTable('install_links')
        .set({ sealed_key: sealed })
        .where('id', '=', id)
        .where('sealed_key', '=', before)
        .execute()
      return
    case 'oidc':
      await tx
        .updateTable('oidc_settings')
        .set({ client_secret: sealed })
        .where('id', '=', id)
        .where('client_secret', '=', before)
        .execute()
      return
    case 'pcg-editor':
      await tx
        .updateTable('pcg_editors')
        .set({ token: sealed })
        .where('id', '=', id)
        .where('token', '=', before)
        .execute()
      return
    case 'meta':
      await tx.updateTable('meta').set({ value: sealed }).where('key', '=', name).where('value', '=', before).execute()
  }
}
