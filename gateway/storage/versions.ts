// Versions: that of the whole database, which is the last entry of the audit chain, and those of the records in it.
import type { Query } from './schema.ts'

/** By name or id. A record that was deleted and made again has another version. */
export type Versions = ReadonlyMap<string, string>

export const versionOf = ({ id, revision }: { readonly id: number; readonly revision: number }): string =>
  `${id}:${revision}`

/** Every change appends to the chain in its transaction, one after another: no entry appears before an older one. */
export async function databaseVersion(query: Query): Promise<number> {
  const tip = await query.selectFrom('audit_log').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return tip?.id ?? 0
}

/** The version, and the actions that led to it since an older one. */
export async function changesSince(
  query: Query,
  before: number,
): Promise<{ readonly version: number; readonly actions: readonly string[] }> {
  const rows = await query
    .selectFrom('audit_log')
    .select(({ fn }) => ['action', fn.max<number | string>('id').as('last')])
    .where('id', '>', before)
    .groupBy('action')
    .execute()
  return {
    version: Math.max(before, ...rows.map(({ last }) => Number(last))),
    actions: rows.map(({ action }) => action),
  }
}

export async function recordVersions(query: Query, table: 'bundles' | 'composites' | 'ws_targets'): Promise<Versions> {
  const shared = table as 'bundles' // Kysely types no query for one of several tables; these have the columns in common
  const rows = await query.selectFrom(shared).select(['id', 'name', 'revision']).execute()
  return new Map(rows.map((row) => [row.name, versionOf(row)]))
}

type Counted = { readonly id: number; readonly revision: number; readonly tools: number; readonly revisions: number }
export const backendVersion = ({ tools, revisions, ...row }: Counted): string =>
  `${versionOf(row)}:${tools}:${revisions}`

/** A backend with its tools. */
export async function backendVersions(query: Query): Promise<Versions> {
  const rows = await query
    .selectFrom('backends')
    .leftJoin('tools', 'tools.backend_id', 'backends.id')
    .select(({ fn }) => [
      'backends.id',
      'backends.name',
      'backends.revision',
      fn.count<number | string>('tools.id').as('tools'),
      fn.sum<number | string | null>('tools.revision').as('revisions'),
    ])
    .groupBy(['backends.id', 'backends.name', 'backends.revision'])
    .execute()
  // PostgreSQL sums into a wider type, which arrives as text.
  return new Map(
    rows.map((row) => [
      row.name,
      backendVersion({ ...row, tools: Number(row.tools), revisions: Number(row.revisions ?? 0) }),
    ]),
  )
}

/** What differs: changed, new, or gone. */
export function staleIn(live: Versions, stored: Versions): readonly string[] {
  const gone = [...live.keys()].filter((name) => !stored.has(name))
  return [...gone, ...[...stored].filter(([name, version]) => live.get(name) !== version).map(([name]) => name)]
}
