// Snapshots of the configuration: SQL in, rows out. The document is read only where it is asked for.
import type { Selectable } from 'kysely'
import { countOf, rowsOf } from './rows.ts'
import type { Query, Schema } from './schema.ts'

export type SnapshotRow = Selectable<Schema['config_snapshots']>
export type SnapshotHead = Omit<SnapshotRow, 'config'>

export const { byId: snapshotById, insert: insertSnapshot, delete: deleteSnapshot } = rowsOf('config_snapshots')

const HEAD = [
  'id',
  'label',
  'kind',
  'config_hash',
  'created_at',
  'created_by',
] as const satisfies readonly (keyof SnapshotHead)[]

/** Newest first. */
export async function snapshotsBefore(
  query: Query,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<SnapshotHead[]> {
  return query
    .selectFrom('config_snapshots')
    .select(HEAD)
    .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export const countSnapshots = (query: Query): Promise<number> => countOf(query.selectFrom('config_snapshots'))

/** The oldest that was not made on request. */
export async function oldestAutomatic(query: Query): Promise<number | undefined> {
  const row = await query
    .selectFrom('config_snapshots')
    .select('id')
    .where('kind', '!=', 'manual')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}
