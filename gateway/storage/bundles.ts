// Bundles in the database: SQL in, stored records out. What they mean is the registry's.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

export type BundleRow = Selectable<Schema['bundles']>

export async function bundleRows(query: Query): Promise<BundleRow[]> {
  return query.selectFrom('bundles').selectAll().orderBy('name').execute()
}

export async function bundleRow(query: Query, name: string): Promise<BundleRow | undefined> {
  return query.selectFrom('bundles').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function insertBundle(tx: Tx, row: Insertable<Schema['bundles']>): Promise<void> {
  await tx.insertInto('bundles').values(row).execute()
}

/** The revision moves with every change. */
export async function updateBundle(tx: Tx, id: number, change: Updateable<Schema['bundles']>): Promise<void> {
  await tx
    .updateTable('bundles')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function deleteBundle(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('bundles').where('id', '=', id).execute()
}
