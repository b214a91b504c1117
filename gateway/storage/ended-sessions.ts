// MCP sessions that ended, by hash, for as long as their tokens would open. Contract 5.2, amendment 16.
import type { Database } from './database.ts'

export type EndedSession = { readonly hash: string; readonly createdAtMs: number }
export type EndedSessionStore = ReturnType<typeof endedSessionsOf>

/** Rows of one statement: a server takes 65,535 values. */
const PORTION = 5_000
/** In `meta`: no token from up to this time opens, because the rows about them were dropped. */
const FORGOTTEN = 'ended_sessions_forgotten_ms'

export function endedSessionsOf({ query, write, meta }: Pick<Database, 'query' | 'write' | 'meta'>) {
  return {
    async forgottenMs(): Promise<number> {
      return Number((await meta.get(FORGOTTEN)) ?? -1)
    },

    /** Those that ended at or after a time, whichever process ended them. */
    async since(endedAtMs: number, most: number): Promise<readonly EndedSession[]> {
      const rows = await query
        .selectFrom('ended_sessions')
        .select(['hash', 'created_at_ms'])
        .where('ended_at_ms', '>=', endedAtMs)
        .orderBy('created_at_ms', 'desc')
        .limit(most)
        .execute()
      return rows.map(({ hash, created_at_ms }) => ({ hash, createdAtMs: created_at_ms }))
    },

    /** Adds some, and drops those whose tokens no longer open by themselves. */
    async put(
      sessions: readonly EndedSession[],
      at: { readonly nowMs: number; readonly forgottenMs: number; readonly expiredMs: number },
    ): Promise<void> {
      await write(async (tx) => {
        for (let from = 0; from < sessions.length; from += PORTION)
          await tx
            .insertInto('ended_sessions')
            .values(
              sessions
                .slice(from, from + PORTION)
                .map(({ hash, createdAtMs }) => ({ hash, created_at_ms: createdAtMs, ended_at_ms: at.nowMs })),
            )
            .onConflict((clash) => clash.column('hash').doNothing())
            .execute()
        const before = Math.max(at.forgottenMs, at.expiredMs)
        await tx.deleteFrom('ended_sessions').where('created_at_ms', '<=', before).execute()
        const known = Number((await meta.get(FORGOTTEN, tx)) ?? -1)
        if (at.forgottenMs > known) await meta.set(FORGOTTEN, String(at.forgottenMs), tx)
      })
    },
  }
}
