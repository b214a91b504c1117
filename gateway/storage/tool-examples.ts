// Examples of tools: SQL in, rows out.
import type { Insertable, Selectable } from 'kysely'
import { countOf, rowsOf } from './rows.ts'
import type { Query, Schema, Tx } from './schema.ts'

export type ExampleRow = Selectable<Schema['tool_examples']>

export const { update: updateExample, delete: deleteExample } = rowsOf('tool_examples')

/** Newest first. */
export async function examplesBefore(
  query: Query,
  toolId: number,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<ExampleRow[]> {
  return query
    .selectFrom('tool_examples')
    .selectAll()
    .where('tool_id', '=', toolId)
    .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Of this tool, or none. */
export async function exampleById(query: Query, toolId: number, id: number): Promise<ExampleRow | undefined> {
  return query
    .selectFrom('tool_examples')
    .selectAll()
    .where('id', '=', id)
    .where('tool_id', '=', toolId)
    .executeTakeFirst()
}

/** What the examples of these tools hold, by their ids. */
export async function argsOfExamples(
  query: Query,
  toolIds: readonly number[],
): Promise<ReadonlyMap<number, ExampleRow['args']>> {
  if (toolIds.length === 0) return new Map()
  const rows = await query.selectFrom('tool_examples').select(['id', 'args']).where('tool_id', 'in', toolIds).execute()
  return new Map(rows.map(({ id, args }) => [id, args]))
}

export const countExamples = (query: Query, toolId: number): Promise<number> =>
  countOf(query.selectFrom('tool_examples').where('tool_id', '=', toolId))

export async function insertExample(tx: Tx, row: Insertable<Schema['tool_examples']>): Promise<ExampleRow> {
  return tx.insertInto('tool_examples').values(row).returningAll().executeTakeFirstOrThrow()
}
