// An administrator's own catalog templates.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

export type CatalogRow = Selectable<Schema['catalog_entries']>

export async function catalogRows(query: Query): Promise<CatalogRow[]> {
  return query.selectFrom('catalog_entries').selectAll().orderBy('slug').execute()
}

export async function catalogById(query: Query, id: number): Promise<CatalogRow | undefined> {
  return query.selectFrom('catalog_entries').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function catalogBySlug(query: Query, slug: string): Promise<CatalogRow | undefined> {
  return query.selectFrom('catalog_entries').selectAll().where('slug', '=', slug).executeTakeFirst()
}

export async function insertCatalogEntry(tx: Tx, row: Insertable<Schema['catalog_entries']>): Promise<number> {
  const { id } = await tx.insertInto('catalog_entries').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** The revision moves with every change. */
export async function updateCatalogEntry(
  tx: Tx,
  id: number,
  change: Updateable<Schema['catalog_entries']>,
): Promise<void> {
  await tx
    .updateTable('catalog_entries')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function deleteCatalogEntry(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('catalog_entries').where('id', '=', id).execute()
}
