// Alert rules: SQL in, rows out.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

export type AlertRow = Selectable<Schema['alert_rules']>

export async function alertById(query: Query, id: number): Promise<AlertRow | undefined> {
  return query.selectFrom('alert_rules').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function alertByName(query: Query, name: string): Promise<AlertRow | undefined> {
  return query.selectFrom('alert_rules').selectAll().where('name', '=', name).executeTakeFirst()
}

/** Newest first. */
export async function alertsBefore(
  query: Query,
  {
    before,
    teamId,
    limit,
  }: { readonly before: number | undefined; readonly teamId: number | null; readonly limit: number },
): Promise<AlertRow[]> {
  return query
    .selectFrom('alert_rules')
    .selectAll()
    .$if(teamId !== null, (all) => all.where('team_id', '=', teamId ?? 0))
    .$if(before !== undefined, (all) => all.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function allAlerts(query: Query): Promise<AlertRow[]> {
  return query.selectFrom('alert_rules').selectAll().orderBy('name').execute()
}

/** Those that are watched. */
export async function enabledAlerts(query: Query): Promise<AlertRow[]> {
  return query.selectFrom('alert_rules').selectAll().where('enabled', '=', 1).orderBy('id').execute()
}

export async function insertAlert(tx: Tx, row: Insertable<Schema['alert_rules']>): Promise<number> {
  const { id } = await tx.insertInto('alert_rules').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** The revision moves with every change. */
export async function updateAlert(tx: Tx, id: number, change: Updateable<Schema['alert_rules']>): Promise<void> {
  await tx
    .updateTable('alert_rules')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
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

export async function noteDelivery(tx: Tx, id: number, delivery: string): Promise<void> {
  await tx.updateTable('alert_rules').set({ last_delivery: delivery }).where('id', '=', id).execute()
}

export async function deleteAlert(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('alert_rules').where('id', '=', id).execute()
}
