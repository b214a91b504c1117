// Editors and snapshots of their graphs in the database: SQL in, stored records out.
import type { Insertable, Selectable } from 'kysely'
import { ownedRows } from './owned.ts'
import { countOf, rowsOf } from './rows.ts'
import type { Query, Schema, Tx } from './schema.ts'

export type EditorRow = Selectable<Schema['pcg_editors']>
export type SnapshotRow = Selectable<Schema['pcg_snapshots']>

export const { all: allEditors, byName: editorByName, update: updateEditor } = ownedRows('pcg_editors')
export const { insert: insertSnapshot } = rowsOf('pcg_snapshots')

export async function insertEditor(tx: Tx, row: Insertable<Schema['pcg_editors']>): Promise<void> {
  await tx.insertInto('pcg_editors').values(row).execute()
}

/** The address of an editor that has none yet. The revision stays: no user changed it. */
export async function pinEditor(tx: Tx, { id, url }: EditorRow, resolved: string): Promise<void> {
  await tx
    .updateTable('pcg_editors')
    .set({ resolved_url: resolved })
    .where('id', '=', id)
    .where('url', '=', url)
    .where('resolved_url', 'is', null)
    .execute()
}

export async function deleteEditor(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('pcg_snapshots').where('editor_id', '=', id).execute()
  await tx.deleteFrom('pcg_editors').where('id', '=', id).execute()
}

/** Without what they hold, which may be large. */
export async function snapshotsOf(
  query: Query,
  editorId: number,
  { graph, limit, before }: { readonly graph?: string; readonly limit: number; readonly before?: number | undefined },
): Promise<Omit<SnapshotRow, 'state'>[]> {
  return query
    .selectFrom('pcg_snapshots')
    .select(['id', 'editor_id', 'graph', 'label', 'node_count', 'edge_count', 'created_at', 'created_by'])
    .where('editor_id', '=', editorId)
    .$if(graph !== undefined, (wanted) => wanted.where('graph', '=', graph ?? ''))
    .$if(before !== undefined, (wanted) => wanted.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function snapshotById(query: Query, editorId: number, id: number): Promise<SnapshotRow | undefined> {
  return query
    .selectFrom('pcg_snapshots')
    .selectAll()
    .where('editor_id', '=', editorId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export const countSnapshots = (query: Query, editorId: number): Promise<number> =>
  countOf(query.selectFrom('pcg_snapshots').where('editor_id', '=', editorId))

export async function newestSnapshot(query: Query, editorId: number, graph: string): Promise<SnapshotRow | undefined> {
  return query
    .selectFrom('pcg_snapshots')
    .selectAll()
    .where('editor_id', '=', editorId)
    .where('graph', '=', graph)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Of those that one author made, only the newest stay. */
export async function forgetSnapshots(tx: Tx, editorId: number, author: string, keep: number): Promise<void> {
  const oldest = await tx
    .selectFrom('pcg_snapshots')
    .select('id')
    .where('editor_id', '=', editorId)
    .where('created_by', '=', author)
    .orderBy('id', 'desc')
    .offset(keep)
    .limit(1)
    .executeTakeFirst()
  if (oldest)
    await tx
      .deleteFrom('pcg_snapshots')
      .where('editor_id', '=', editorId)
      .where('created_by', '=', author)
      .where('id', '<=', oldest.id)
      .execute()
}
