// The servers of the pools in the database.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

export type LbTargetRow = Selectable<Schema['lb_targets']>

export async function lbTargetsOf(query: Query, backendId: number): Promise<LbTargetRow[]> {
  return query.selectFrom('lb_targets').selectAll().where('backend_id', '=', backendId).orderBy('id').execute()
}

export async function insertLbTarget(tx: Tx, row: Insertable<Schema['lb_targets']>): Promise<number> {
  const { id } = await tx.insertInto('lb_targets').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateLbTarget(tx: Tx, id: number, change: Updateable<Schema['lb_targets']>): Promise<void> {
  await tx.updateTable('lb_targets').set(change).where('id', '=', id).execute()
}

export async function deleteLbTarget(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('lb_targets').where('id', '=', id).execute()
}

export async function deleteLbTargets(tx: Tx, backendId: number): Promise<void> {
  await tx.deleteFrom('lb_targets').where('backend_id', '=', backendId).execute()
}
