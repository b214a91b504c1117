// Consumers and what their keys used, month by month: SQL in, rows out.
import type { Selectable } from 'kysely'
import type { Query, Schema } from './schema.ts'

export type ConsumerRow = Selectable<Schema['consumers']>

export async function consumerById(query: Query, id: number): Promise<ConsumerRow | undefined> {
  return query.selectFrom('consumers').selectAll().where('id', '=', id).executeTakeFirst()
}
