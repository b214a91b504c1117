// Composites in the database: SQL in, stored records out. What they mean is the registry's.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

export type CompositeRow = Selectable<Schema['composites']>

export async function compositeRows(query: Query): Promise<CompositeRow[]> {
  return query.selectFrom('composites').selectAll().orderBy('name').execute()
}

export async function compositeRow(query: Query, name: string): Promise<CompositeRow | undefined> {
  return query.selectFrom('composites').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function insertComposite(tx: Tx, row: Insertable<Schema['composites']>): Promise<void> {
  await tx.insertInto('composites').values(row).execute()
}

/** The revision moves with every change. */
export async function updateComposite(tx: Tx, id: number, change: Updateable<Schema['composites']>): Promise<void> {
  await tx
    .updateTable('composites')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function deleteComposite(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('composites').where('id', '=', id).execute()
}
