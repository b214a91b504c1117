// What a writer wrote last, so that a repetition of it is seen: an answer that was lost says nothing about the commit.
import type { Mark } from './batch.ts'
import type { Query, Tx } from './schema.ts'

const KEPT_MS = 24 * 60 * 60 * 1000

/** False where the writer wrote this burst before. A repetition waits here for the transaction of the first attempt. */
export async function markOnce(tx: Tx, { writer, burst }: Mark, nowMs: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('burst_marks')
    .values({ writer, burst, at_ms: nowMs })
    .onConflict((clash) =>
      clash.column('writer').doUpdateSet({ burst, at_ms: nowMs }).where('burst_marks.burst', '<', burst),
    )
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** The last burst of a writer; 0 where it wrote none. */
export async function markOf(query: Query, writer: string): Promise<number> {
  const found = await query.selectFrom('burst_marks').select('burst').where('writer', '=', writer).executeTakeFirst()
  return found?.burst ?? 0
}

/** Those of processes that are gone. */
export async function forgetMarks(tx: Tx, nowMs: number): Promise<void> {
  await tx
    .deleteFrom('burst_marks')
    .where('at_ms', '<', nowMs - KEPT_MS)
    .execute()
}
