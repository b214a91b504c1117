// Backends and their tools in the database: SQL in, stored records out. What they mean is the registry's.
import type { Insertable, Selectable } from 'kysely'
import { ownedRows } from './owned.ts'
import type { Query, Schema, Tx } from './schema.ts'

export type BackendRow = Selectable<Schema['backends']>
export type ToolRecord = Selectable<Schema['tools']>

const rows = ownedRows('backends')
export const { all: allBackends, byName: backendByName, insert: insertBackend, update: updateBackend } = rows
export const { byId: toolById, update: updateTool } = ownedRows('tools')

export async function toolsOf(query: Query, backendId: number): Promise<ToolRecord[]> {
  return query.selectFrom('tools').selectAll().where('backend_id', '=', backendId).orderBy('name').execute()
}

export async function toolByName(query: Query, backendId: number, name: string): Promise<ToolRecord | undefined> {
  return query
    .selectFrom('tools')
    .selectAll()
    .where('backend_id', '=', backendId)
    .where('name', '=', name)
    .executeTakeFirst()
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
  await rows.delete(tx, id)
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

export async function deleteTools(tx: Tx, ids: readonly number[]): Promise<void> {
  for (let from = 0; from < ids.length; from += 500) {
    await tx
      .deleteFrom('tools')
      .where('id', 'in', ids.slice(from, from + 500))
      .execute()
  }
}
