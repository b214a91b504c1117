// What a consumer's calls of a month have taken of its quota, over all instances. Instances take in batches and return what they do not use.
import type { Database } from './database.ts'
import type { Tx } from './schema.ts'

type Of = { readonly consumerId: number; readonly period: string }
export type QuotaTaken = {
  /** How many of `want` were granted, and what is left for others. */
  readonly granted: number
  readonly left: number
}

const rowOf = (tx: Tx, { consumerId, period }: Of) =>
  tx.selectFrom('quota_taken').select('taken').where('consumer_id', '=', consumerId).where('period', '=', period)

export function takeQuota(
  { write }: Pick<Database, 'write'>,
  of: Of,
  { quota, want }: { readonly quota: number; readonly want: number },
): Promise<QuotaTaken> {
  const { consumerId, period } = of
  return write(async (tx) => {
    await tx
      .insertInto('quota_taken')
      .values({ consumer_id: consumerId, period, taken: 0 })
      .onConflict((clash) => clash.columns(['consumer_id', 'period']).doNothing())
      .execute()
    const row = await rowOf(tx, of).forUpdate().executeTakeFirstOrThrow()
    const counted = await tx
      .selectFrom('consumer_usage')
      .select('used')
      .where('consumer_id', '=', consumerId)
      .where('period', '=', period)
      .executeTakeFirst()
    // Calls from before the consumer had a quota are counted, and took nothing.
    const taken = Math.max(row.taken, counted?.used ?? 0)
    const granted = Math.max(0, Math.min(want, quota - taken))
    await tx
      .updateTable('quota_taken')
      .set({ taken: taken + granted })
      .where('consumer_id', '=', consumerId)
      .where('period', '=', period)
      .execute()
    return { granted, left: Math.max(0, quota - taken - granted) }
  })
}

export async function returnQuota({ write }: Pick<Database, 'write'>, of: Of, count: number): Promise<void> {
  await write((tx) =>
    tx
      .updateTable('quota_taken')
      .set((row) => ({ taken: row('taken', '-', count) }))
      .where('consumer_id', '=', of.consumerId)
      .where('period', '=', of.period)
      .execute(),
  )
}

/** Where no other instance is alive, nothing is taken but what was counted: an instance that crashed returned nothing. */
export async function forgetTaken(tx: Tx): Promise<void> {
  await tx.deleteFrom('quota_taken').execute()
}
