// The statements about one row that tables with ids share: SQL in, rows out.
import type { Generated, Insertable, Selectable, SelectQueryBuilder, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

type TableWithIds = { [T in keyof Schema]: Schema[T] extends { id: Generated<number> } ? T : never }[keyof Schema]

export type Rows<T extends keyof Schema> = {
  readonly byId: (query: Query, id: number) => Promise<Selectable<Schema[T]> | undefined>
  readonly insert: (tx: Tx, row: Insertable<Schema[T]>) => Promise<number>
  readonly update: (tx: Tx, id: number, change: Updateable<Schema[T]>) => Promise<void>
  readonly delete: (tx: Tx, id: number) => Promise<void>
}

/** Kysely types no query for one of several tables, so the queries are typed as those of one of them. */
export function rowsOf<T extends TableWithIds>(table: T): Rows<T> {
  const shared = table as 'tool_examples'
  const rows: Rows<'tool_examples'> = {
    byId: (query, id) => query.selectFrom(shared).selectAll().where('id', '=', id).executeTakeFirst(),
    async insert(tx, row) {
      const { id } = await tx.insertInto(shared).values(row).returning('id').executeTakeFirstOrThrow()
      return id
    },
    async update(tx, id, change) {
      await tx.updateTable(shared).set(change).where('id', '=', id).execute()
    },
    async delete(tx, id) {
      await tx.deleteFrom(shared).where('id', '=', id).execute()
    },
  }
  return rows as unknown as Rows<T> // of this table
}

export async function countOf<T extends keyof Schema, Row>(rows: SelectQueryBuilder<Schema, T, Row>): Promise<number> {
  const { count } = await rows.select(({ fn }) => fn.countAll<number | string>().as('count')).executeTakeFirstOrThrow()
  return Number(count)
}
