// Consumers and what their keys used, month by month: SQL in, rows out.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

export type ConsumerRow = Selectable<Schema['consumers']>
export type ConsumerWithKeys = ConsumerRow & { readonly keys: number }

const withKeys = (query: Query) =>
  query
    .selectFrom('consumers')
    .selectAll()
    .select((row) =>
      row
        .selectFrom('mcp_keys')
        .whereRef('mcp_keys.consumer_id', '=', 'consumers.id')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .as('keys'),
    )

const counted = (row: ConsumerRow & { readonly keys: number | null }): ConsumerWithKeys => ({
  ...row,
  keys: row.keys ?? 0,
})

export async function consumerById(query: Query, id: number): Promise<ConsumerWithKeys | undefined> {
  const row = await withKeys(query).where('id', '=', id).executeTakeFirst()
  return row && counted(row)
}

export async function consumerByName(query: Query, name: string): Promise<ConsumerRow | undefined> {
  return query.selectFrom('consumers').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function consumersAfter(
  query: Query,
  {
    after,
    teamId,
    limit,
  }: { readonly after: string | undefined; readonly teamId: number | null; readonly limit: number },
): Promise<ConsumerWithKeys[]> {
  const rows = await withKeys(query)
    .$if(teamId !== null, (all) => all.where('team_id', '=', teamId ?? 0))
    .$if(after !== undefined, (all) => all.where('name', '>', after ?? ''))
    .orderBy('name')
    .limit(limit)
    .execute()
  return rows.map(counted)
}

export async function allConsumers(query: Query): Promise<ConsumerRow[]> {
  return query.selectFrom('consumers').selectAll().execute()
}

export async function usageOf(query: Query, period: string): Promise<ReadonlyMap<number, number>> {
  const rows = await query.selectFrom('consumer_usage').selectAll().where('period', '=', period).execute()
  return new Map(rows.map(({ consumer_id, used }) => [consumer_id, used]))
}

export async function insertConsumer(tx: Tx, row: Insertable<Schema['consumers']>): Promise<number> {
  const { id } = await tx.insertInto('consumers').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** The revision moves with every change. */
export async function updateConsumer(tx: Tx, id: number, change: Updateable<Schema['consumers']>): Promise<void> {
  await tx
    .updateTable('consumers')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Its keys stay, without a consumer; answers which they are. */
export async function deleteConsumer(tx: Tx, id: number): Promise<number[]> {
  const keys = await tx
    .updateTable('mcp_keys')
    .set((row) => ({ consumer_id: null, revision: row('revision', '+', 1) }))
    .where('consumer_id', '=', id)
    .returning('id')
    .execute()
  await tx.deleteFrom('consumer_usage').where('consumer_id', '=', id).execute()
  await tx.deleteFrom('consumers').where('id', '=', id).execute()
  return keys.map((key) => key.id)
}
