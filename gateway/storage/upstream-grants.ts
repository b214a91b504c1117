// OAuth clients, grants of people and connections under way in the database: SQL in, rows out. Tokens come in sealed.
import { hash } from 'node:crypto'
import type { Insertable, Selectable, Updateable } from 'kysely'
import { fromText, type JsonText } from './json-text.ts'
import type { Query, Schema, Tx } from './schema.ts'
import type { StoredUpstreamClient } from './stored.ts'

export type UpstreamClientRow = Selectable<Schema['upstream_clients']>
export type GrantRow = Selectable<Schema['upstream_grants']>
export type ConnectRow = Selectable<Schema['upstream_connects']>
type WithClient = { readonly row: UpstreamClientRow; readonly client: StoredUpstreamClient }
/** A grant with the client it was given to. */
export type Granted = WithClient & { readonly grant: GrantRow }

export const clientRef = (backendId: number, issuer: string, generation: number): string =>
  `upstream-clients/${backendId}/${issuer}/${generation}`
export const grantRef = (
  { backend_id, principal }: Pick<GrantRow, 'backend_id' | 'principal'>,
  issuer: string,
  generation: number,
): string => `upstream-grants/${backend_id}/${hash('sha256', principal)}/${issuer}/${generation}`

/** Of one person. */
const MOST_UNDER_WAY = 20

const read = (row: UpstreamClientRow): WithClient => ({ row, client: fromText(row.client) })

export async function latestClient(query: Query, backendId: number, issuer?: string): Promise<WithClient | undefined> {
  const row = await query
    .selectFrom('upstream_clients')
    .selectAll()
    .where('backend_id', '=', backendId)
    .$if(issuer !== undefined, (rows) => rows.where('issuer', '=', issuer ?? ''))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && read(row)
}

export async function clientById(query: Query, id: number): Promise<WithClient | undefined> {
  const row = await query.selectFrom('upstream_clients').selectAll().where('id', '=', id).executeTakeFirst()
  return row && read(row)
}

/** Of two instances that register at once, one has the generation. */
export async function insertUpstreamClient(
  tx: Tx,
  row: Omit<Insertable<Schema['upstream_clients']>, 'id'>,
): Promise<UpstreamClientRow> {
  const clash = ['backend_id', 'issuer', 'generation'] as const
  await tx
    .insertInto('upstream_clients')
    .values(row)
    .onConflict((on) => on.columns([...clash]).doNothing())
    .execute()
  return tx
    .selectFrom('upstream_clients')
    .selectAll()
    .where('backend_id', '=', row.backend_id)
    .where('issuer', '=', row.issuer)
    .where('generation', '=', row.generation)
    .executeTakeFirstOrThrow()
}

export async function updateUpstreamClient(tx: Tx, id: number, client: JsonText<StoredUpstreamClient>): Promise<void> {
  await tx.updateTable('upstream_clients').set({ client }).where('id', '=', id).execute()
}

export async function grantOf(query: Query, backendId: number, principal: string): Promise<Granted | undefined> {
  const grant = await query
    .selectFrom('upstream_grants')
    .selectAll()
    .where('backend_id', '=', backendId)
    .where('principal', '=', principal)
    .executeTakeFirst()
  const known = grant && (await clientById(query, grant.client_id))
  return grant && known && { ...known, grant }
}

export async function grantById(query: Query, id: number): Promise<Granted | undefined> {
  const grant = await query.selectFrom('upstream_grants').selectAll().where('id', '=', id).executeTakeFirst()
  const known = grant && (await clientById(query, grant.client_id))
  return grant && known && { ...known, grant }
}

export async function grantsOf(query: Query, of: { backendId?: number; principal?: string }): Promise<Granted[]> {
  const grants = await query
    .selectFrom('upstream_grants')
    .selectAll()
    .$if(of.backendId !== undefined, (rows) => rows.where('backend_id', '=', of.backendId ?? 0))
    .$if(of.principal !== undefined, (rows) => rows.where('principal', '=', of.principal ?? ''))
    .orderBy('id')
    .limit(1_000)
    .execute()
  const clients = new Map<number, WithClient>()
  for (const { client_id } of grants)
    if (!clients.has(client_id)) {
      const found = await clientById(query, client_id)
      if (found) clients.set(client_id, found)
    }
  return grants.flatMap((grant) => {
    const known = clients.get(grant.client_id)
    return known ? [{ ...known, grant }] : []
  })
}

/** A new connection is a new row: what was kept for the one before is not used again. */
export async function replaceGrant(tx: Tx, row: Omit<Insertable<Schema['upstream_grants']>, 'id'>): Promise<number> {
  await tx
    .deleteFrom('upstream_grants')
    .where('backend_id', '=', row.backend_id)
    .where('principal', '=', row.principal)
    .execute()
  const { id } = await tx.insertInto('upstream_grants').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** False where it changed since it was read. */
export async function updateGrant(
  tx: Tx,
  { id, version }: Pick<GrantRow, 'id' | 'version'>,
  change: Updateable<Schema['upstream_grants']>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('upstream_grants')
    .set({ ...change, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** With another setting there is no connection, and no registered client. */
export async function forgetIdentity(tx: Tx, backendId: number): Promise<void> {
  for (const table of ['upstream_connects', 'upstream_grants', 'upstream_clients'] as const)
    await tx.deleteFrom(table).where('backend_id', '=', backendId).execute()
}

/** What ran out goes first, then the oldest of the same person. */
export async function insertConnect(tx: Tx, row: Insertable<Schema['upstream_connects']>, now: string): Promise<void> {
  await tx.deleteFrom('upstream_connects').where('expires_at', '<=', now).execute()
  await tx
    .deleteFrom('upstream_connects')
    .where('principal', '=', row.principal)
    .where('link_hash', 'not in', (kept) =>
      kept
        .selectFrom('upstream_connects')
        .select('link_hash')
        .where('principal', '=', row.principal)
        .orderBy('expires_at', 'desc')
        .limit(MOST_UNDER_WAY),
    )
    .execute()
  await tx.insertInto('upstream_connects').values(row).execute()
}

export async function connectByLink(query: Query, linkHash: string): Promise<ConnectRow | undefined> {
  return query.selectFrom('upstream_connects').selectAll().where('link_hash', '=', linkHash).executeTakeFirst()
}

/** Removed with the answer: neither a link nor a state works twice. */
export async function takeConnect(
  tx: Tx,
  by: { readonly link: string } | { readonly state: string },
): Promise<ConnectRow | undefined> {
  return tx
    .deleteFrom('upstream_connects')
    .$if('link' in by, (rows) => rows.where('link_hash', '=', 'link' in by ? by.link : ''))
    .$if('state' in by, (rows) => rows.where('state_hash', '=', 'state' in by ? by.state : ''))
    .returningAll()
    .executeTakeFirst()
}

export async function toolScopes(query: Query, toolId: number): Promise<readonly string[]> {
  const row = await query
    .selectFrom('upstream_tool_scopes')
    .select('scopes')
    .where('tool_id', '=', toolId)
    .executeTakeFirst()
  return row === undefined || row.scopes === '' ? [] : row.scopes.split(' ')
}

export async function rememberToolScopes(tx: Tx, toolId: number, scopes: string): Promise<void> {
  await tx
    .insertInto('upstream_tool_scopes')
    .values({ tool_id: toolId, scopes })
    .onConflict((clash) => clash.column('tool_id').doUpdateSet({ scopes }))
    .execute()
}

/** Connections that their provider ended, and that were not made again. */
export async function lostConnections(query: Query): Promise<{ client: string; person: string }[]> {
  return query
    .selectFrom('upstream_grants')
    .innerJoin('backends', 'backends.id', 'upstream_grants.backend_id')
    .select(['backends.name as client', 'upstream_grants.person'])
    .where('upstream_grants.state', '=', 'reconnect')
    .orderBy('upstream_grants.id')
    .limit(1_000)
    .execute()
}
