// Backends and their tools in the database: SQL in, stored records out. What they mean is the registry's.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

export type BackendRow = Selectable<Schema['backends']>
export type ToolRecord = Selectable<Schema['tools']>

export async function allBackends(query: Query): Promise<BackendRow[]> {
  return query.selectFrom('backends').selectAll().orderBy('name').execute()
}

export async function backendByName(query: Query, name: string): Promise<BackendRow | undefined> {
  return query.selectFrom('backends').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function toolsOf(query: Query, backendId: number): Promise<ToolRecord[]> {
  return query.selectFrom('tools').selectAll().where('backend_id', '=', backendId).orderBy('name').execute()
}

export async function toolById(query: Query, id: number): Promise<ToolRecord | undefined> {
  return query.selectFrom('tools').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function toolByName(query: Query, backendId: number, name: string): Promise<ToolRecord | undefined> {
  return query
    .selectFrom('tools')
    .selectAll()
    .where('backend_id', '=', backendId)
    .where('name', '=', name)
    .executeTakeFirst()
}

export async function insertBackend(tx: Tx, row: Insertable<Schema['backends']>): Promise<number> {
  const { id } = await tx.insertInto('backends').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** The revision moves with every change. */
export async function updateBackend(tx: Tx, id: number, change: Updateable<Schema['backends']>): Promise<void> {
  await tx
    .updateTable('backends')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Health is not configuration: it moves no revision. */
export async function noteHealth(
  tx: Tx,
  id: number,
  health: Pick<BackendRow, 'evicted_at' | 'last_seen_at' | 'last_error'>,
): Promise<void> {
  await tx.updateTable('backends').set(health).where('id', '=', id).execute()
}

export async function deleteBackend(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('tools').where('backend_id', '=', id).execute()
  await tx.deleteFrom('lb_targets').where('backend_id', '=', id).execute()
  await tx
    .deleteFrom('schedules')
    .where('client_name', '=', (from) => from.selectFrom('backends').select('name').where('id', '=', id))
    .execute()
  await tx.deleteFrom('backends').where('id', '=', id).execute()
}

export async function insertTools(tx: Tx, rows: readonly Insertable<Schema['tools']>[]): Promise<void> {
  // Bounded statements: SQLite has a limit of variables, and a backend may bring thousands of tools.
  for (let from = 0; from < rows.length; from += 500) {
    await tx
      .insertInto('tools')
      .values(rows.slice(from, from + 500))
      .execute()
  }
}

export async function updateTool(tx: Tx, id: number, change: Updateable<Schema['tools']>): Promise<void> {
  await tx
    .updateTable('tools')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function deleteTools(tx: Tx, ids: readonly number[]): Promise<void> {
  for (let from = 0; from < ids.length; from += 500) {
    await tx
      .deleteFrom('tools')
      .where('id', 'in', ids.slice(from, from + 500))
      .execute()
  }
}
