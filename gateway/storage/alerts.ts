// Alert rules in the database.
import { type OwnedRow, ownedRows } from './owned.ts'
import type { Query, Tx } from './schema.ts'

export type AlertRow = OwnedRow<'alert_rules'>
export const alertRows = ownedRows('alert_rules')

export async function enabledAlerts(query: Query): Promise<AlertRow[]> {
  return query.selectFrom('alert_rules').selectAll().where('enabled', '=', 1).orderBy('id').execute()
}

type Outcome = Pick<AlertRow, 'state' | 'affected' | 'last_fired_at' | 'last_delivery'>

/** What became of a rule is no change of it: the revision stays. False where it was changed or moved since it was read. */
export async function moveAlert(tx: Tx, from: AlertRow, to: Partial<Outcome>): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('alert_rules')
    .set(to)
    .where('id', '=', from.id)
    .where('revision', '=', from.revision)
    .where('state', '=', from.state)
    .where('affected', '=', from.affected)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function noteDelivery(tx: Tx, id: number, delivery: AlertRow['last_delivery']): Promise<void> {
  await tx.updateTable('alert_rules').set({ last_delivery: delivery }).where('id', '=', id).execute()
}
