// Kept results: SQL in, rows out. A result is there once all its portions are.
import type { Selectable } from 'kysely'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'

export type KeptResult = Selectable<Schema['kept_results']>
const MOST_SHOWN = 500
export type KeptResultStore = ReturnType<typeof keptResultsOf>

export async function anyEnded({ query }: Pick<Database, 'query'>, nowMs: number): Promise<boolean> {
  const found = await query
    .selectFrom('kept_result_portions')
    .select('portion')
    .where('expires_ms', '<=', nowMs)
    .limit(1)
    .execute()
  return found.length > 0
}

/** Portions of a result that was never complete end as well. */
export async function dropEnded({ write }: Pick<Database, 'write'>, nowMs: number): Promise<void> {
  await write(async (tx) => {
    await tx.deleteFrom('kept_results').where('expires_ms', '<=', nowMs).execute()
    await tx.deleteFrom('kept_result_portions').where('expires_ms', '<=', nowMs).execute()
  })
}

export function keptResultsOf({ query, write }: Pick<Database, 'query' | 'write'>) {
  return {
    /** Bytes of all that have not ended, and of one principal. */
    async held(principal: string, nowMs: number): Promise<{ readonly all: number; readonly own: number }> {
      const rows = await query
        .selectFrom('kept_results')
        .select(['principal', ({ fn }) => fn.sum<number | string>('bytes').as('bytes')])
        .where('expires_ms', '>', nowMs)
        .groupBy('principal')
        .execute()
      const sums = rows.map((row) => ({ principal: row.principal, bytes: Number(row.bytes) }))
      return {
        all: sums.reduce((sum, { bytes }) => sum + bytes, 0),
        own: sums.find((sum) => sum.principal === principal)?.bytes ?? 0,
      }
    },

    /** One write for each portion, so that no other write waits for megabytes. */
    async put(result: KeptResult, portions: readonly string[]): Promise<void> {
      const { handle_hash, expires_ms } = result
      for (const [portion, sealed] of portions.entries())
        await write((tx) =>
          tx.insertInto('kept_result_portions').values({ handle_hash, portion, sealed, expires_ms }).execute(),
        )
      await write((tx) => tx.insertInto('kept_results').values(result).execute())
    },

    find: (hash: string): Promise<KeptResult | undefined> =>
      query.selectFrom('kept_results').selectAll().where('handle_hash', '=', hash).executeTakeFirst(),

    async portions({ handle_hash, portions }: KeptResult): Promise<readonly string[]> {
      const texts: string[] = []
      for (let portion = 0; portion < portions; portion += 1) {
        const row = await query
          .selectFrom('kept_result_portions')
          .select('sealed')
          .where('handle_hash', '=', handle_hash)
          .where('portion', '=', portion)
          .executeTakeFirstOrThrow()
        texts.push(row.sealed)
      }
      return texts
    },

    newest: (nowMs: number): Promise<KeptResult[]> =>
      query
        .selectFrom('kept_results')
        .selectAll()
        .where('expires_ms', '>', nowMs)
        .orderBy('expires_ms', 'desc')
        .limit(MOST_SHOWN)
        .execute(),

    /** Of one session, by its hash. */
    async ofSession(sessionHash: string, nowMs: number): Promise<{ readonly results: number; readonly bytes: number }> {
      const row = await query
        .selectFrom('kept_results')
        .select(({ fn }) => [fn.countAll().as('results'), fn.sum('bytes').as('bytes')])
        .where('session_hash', '=', sessionHash)
        .where('expires_ms', '>', nowMs)
        .executeTakeFirst()
      return { results: Number(row?.results ?? 0), bytes: Number(row?.bytes ?? 0) }
    },

    dropEnded: (nowMs: number): Promise<void> => dropEnded({ write }, nowMs),

    /** The oldest of a principal until so many bytes are gone. */
    async dropOldest(principal: string, bytes: number): Promise<void> {
      await write(async (tx) => {
        const own = await tx
          .selectFrom('kept_results')
          .select(['handle_hash', 'bytes'])
          .where('principal', '=', principal)
          .orderBy('expires_ms')
          .execute()
        let gone = 0
        const oldest = own.filter((row) => {
          const isDropped = gone < bytes
          if (isDropped) gone += row.bytes
          return isDropped
        })
        if (oldest.length === 0) return
        const hashes = oldest.map(({ handle_hash }) => handle_hash)
        await tx.deleteFrom('kept_results').where('handle_hash', 'in', hashes).execute()
        await tx.deleteFrom('kept_result_portions').where('handle_hash', 'in', hashes).execute()
      })
    },
  }
}
