// WebSocket targets: SQL in, rows out.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

export type WsTargetRow = Selectable<Schema['ws_targets']>

export async function wsTargetByName(query: Query, name: string): Promise<WsTargetRow | undefined> {
  return query.selectFrom('ws_targets').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function wsTargetsAfter(
  query: Query,
  {
    after,
    teamId,
    limit,
  }: { readonly after: string | undefined; readonly teamId: number | null; readonly limit: number },
): Promise<WsTargetRow[]> {
  return query
    .selectFrom('ws_targets')
    .selectAll()
    .$if(teamId !== null, (all) => all.where('team_id', '=', teamId ?? 0))
    .$if(after !== undefined, (all) => all.where('name', '>', after ?? ''))
    .orderBy('name')
    .limit(limit)
    .execute()
}

export async function allWsTargets(query: Query): Promise<WsTargetRow[]> {
  return query.selectFrom('ws_targets').selectAll().orderBy('name').execute()
}

export async function insertWsTarget(tx: Tx, row: Insertable<Schema['ws_targets']>): Promise<void> {
  await tx.insertInto('ws_targets').values(row).execute()
}

/** The revision moves with every change. */
export async function updateWsTarget(tx: Tx, id: number, change: Updateable<Schema['ws_targets']>): Promise<void> {
  await tx
    .updateTable('ws_targets')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function deleteWsTarget(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('ws_targets').where('id', '=', id).execute()
}
