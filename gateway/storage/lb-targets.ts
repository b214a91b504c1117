// The servers of the pools in the database.
import type { Selectable } from 'kysely'
import { rowsOf } from './rows.ts'
import type { Query, Schema, Tx } from './schema.ts'

export type LbTargetRow = Selectable<Schema['lb_targets']>

export const { insert: insertLbTarget, update: updateLbTarget, delete: deleteLbTarget } = rowsOf('lb_targets')

export async function lbTargetsOf(query: Query, backendId: number): Promise<LbTargetRow[]> {
  return query.selectFrom('lb_targets').selectAll().where('backend_id', '=', backendId).orderBy('id').execute()
}

export async function deleteLbTargets(tx: Tx, backendId: number): Promise<void> {
  await tx.deleteFrom('lb_targets').where('backend_id', '=', backendId).execute()
}
