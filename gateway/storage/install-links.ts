// Install links in the database: SQL in, rows out. Tokens come in hashed, keys sealed.
import type { Selectable } from 'kysely'
import { rowsOf } from './rows.ts'
import type { Query, Schema, Tx } from './schema.ts'

export type InstallLinkRow = Selectable<Schema['install_links']>

export async function linksBefore(
  query: Query,
  {
    bundleId,
    before,
    limit,
  }: { readonly bundleId: number; readonly before: number | undefined; readonly limit: number },
): Promise<InstallLinkRow[]> {
  return query
    .selectFrom('install_links')
    .selectAll()
    .where('bundle_id', '=', bundleId)
    .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function linkOf(query: Query, bundleId: number, id: number): Promise<InstallLinkRow | undefined> {
  return query
    .selectFrom('install_links')
    .selectAll()
    .where('bundle_id', '=', bundleId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function standingLinks(query: Query, bundleId: number): Promise<InstallLinkRow[]> {
  return query
    .selectFrom('install_links')
    .selectAll()
    .where('bundle_id', '=', bundleId)
    .where('revoked_at', 'is', null)
    .execute()
}

/** A link with what its bundle and its key are now. */
export type LinkByToken = InstallLinkRow & {
  readonly bundle: string
  readonly key_hash: string
  readonly key_enabled: 0 | 1
  readonly key_revoked_at: string | null
  readonly key_expires_at: string | null
}

export async function linkByToken(query: Query, tokenHash: string): Promise<LinkByToken | undefined> {
  return query
    .selectFrom('install_links')
    .innerJoin('bundles', 'bundles.id', 'install_links.bundle_id')
    .innerJoin('mcp_keys', 'mcp_keys.id', 'install_links.mcp_key_id')
    .selectAll('install_links')
    .select([
      'bundles.name as bundle',
      'mcp_keys.key_hash',
      'mcp_keys.enabled as key_enabled',
      'mcp_keys.revoked_at as key_revoked_at',
      'mcp_keys.expires_at as key_expires_at',
    ])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
}

export const { insert: insertLink } = rowsOf('install_links')

export async function setLinkKey(tx: Tx, id: number, keyId: number): Promise<void> {
  await tx.updateTable('install_links').set({ mcp_key_id: keyId }).where('id', '=', id).execute()
}

/** The key goes with the right to see it. */
export async function revokeLink(tx: Tx, id: number, at: string): Promise<void> {
  await tx.updateTable('install_links').set({ revoked_at: at, sealed_key: null }).where('id', '=', id).execute()
}

export async function noteLinkView(tx: Tx, id: number, at: string): Promise<void> {
  await tx
    .updateTable('install_links')
    .set((row) => ({ last_used_at: at, use_count: row('use_count', '+', 1) }))
    .where('id', '=', id)
    .execute()
}
