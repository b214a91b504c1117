// Rows that are old enough to go. In portions, so that no call waits for a large one.
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'

const PORTION = 2_000

/** The tables whose rows are kept for a time, each with the column that says when the row was made. */
const MADE_AT = {
  call_rows: 'at_ms',
  calls_before: 'at_ms',
  traffic: 'at_ms',
  spans: 'end_ms',
} as const satisfies Partial<Record<keyof Schema, string>>

type Pruned = keyof typeof MADE_AT

/** Whether there is any, by the index of its time. */
export async function anyBefore(
  { query }: Pick<Database, 'query'>,
  table: Exclude<Pruned, 'calls_before'>,
  beforeMs: number,
): Promise<boolean> {
  const found = await query.selectFrom(table).select('id').where(MADE_AT[table], '<', beforeMs).limit(1).execute()
  return found.length > 0
}

/** How many went. */
export async function prune(
  database: Pick<Database, 'write'>,
  table: Pruned,
  beforeMs: number,
  portion = PORTION,
): Promise<number> {
  let gone = 0
  for (;;) {
    const { numDeletedRows } = await database.write((tx) =>
      tx
        .deleteFrom(table)
        .where('id', 'in', (from) =>
          from
            .selectFrom(table)
            .select('id')
            .where(MADE_AT[table], '<', beforeMs)
            .orderBy(MADE_AT[table])
            .limit(portion),
        )
        .executeTakeFirstOrThrow(),
    )
    gone += Number(numDeletedRows)
    if (numDeletedRows < BigInt(portion)) return gone
  }
}
