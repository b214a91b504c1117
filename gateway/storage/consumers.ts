// Consumers and the monthly use of their keys: SQL in, rows out.
import { type OwnedRow, type OwnedRows, ownedRows } from './owned.ts'
import type { Query, Tx } from './schema.ts'

export type ConsumerRow = OwnedRow<'consumers'>
export type ConsumerWithKeys = ConsumerRow & { readonly keys: number }

const rows = ownedRows('consumers')

/** With the number of keys of each. */
async function withKeys(query: Query, consumers: readonly ConsumerRow[]): Promise<ConsumerWithKeys[]> {
  const ids = consumers.map(({ id }) => id)
  if (ids.length === 0) return []
  const counts = await query
    .selectFrom('mcp_keys')
    .where('consumer_id', 'in', ids)
    .groupBy('consumer_id')
    .select(({ fn }) => ['consumer_id', fn.countAll<number>().as('keys')])
    .execute()
  const keys = new Map(counts.map((each) => [each.consumer_id, each.keys]))
  return consumers.map((row) => ({ ...row, keys: keys.get(row.id) ?? 0 }))
}

export const consumerRows: OwnedRows<'consumers', ConsumerWithKeys> = {
  ...rows,
  async byId(query, id) {
    const row = await rows.byId(query, id)
    return row && (await withKeys(query, [row]))[0]
  },
  page: async (query, page) => withKeys(query, await rows.page(query, page)),
  async delete(tx, id) {
    await tx.deleteFrom('consumer_usage').where('consumer_id', '=', id).execute()
    await rows.delete(tx, id)
  },
}

export async function usageOf(query: Query, period: string): Promise<ReadonlyMap<number, number>> {
  const used = await query.selectFrom('consumer_usage').selectAll().where('period', '=', period).execute()
  return new Map(used.map(({ consumer_id, used: calls }) => [consumer_id, calls]))
}

/** Removes the consumer from its keys, before it is deleted, and returns their ids. */
export async function detachKeys(tx: Tx, id: number): Promise<number[]> {
  const keys = await tx
    .updateTable('mcp_keys')
    .set((row) => ({ consumer_id: null, revision: row('revision', '+', 1) }))
    .where('consumer_id', '=', id)
    .returning('id')
    .execute()
  return keys.map((key) => key.id)
}
