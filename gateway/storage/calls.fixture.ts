// Rows of the call log for tests: many different calls, the same in each run.
import { sql } from 'kysely'
import type { Database } from './database.ts'

export const DAY = 86_400_000
export const END = Date.UTC(2026, 0, 31, 9, 17, 23, 456)

/** Always the same. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % below
  }
}

/** Calls of 40 days. */
export async function withRows(database: Database, count: number, firstId = 1): Promise<void> {
  const pick = random(firstId)
  const rows = Array.from({ length: count }, (_each, at) => {
    const outcome = (['success', 'success', 'success', 'error', 'refused', 'cancelled'] as const)[pick(6)] ?? 'success'
    const refused = outcome === 'refused'
    return {
      request_id: `r${firstId + at}`,
      at_ms: END - pick(40 * DAY),
      principal: `p${pick(3)}`,
      key_id: [null, 7, 8][pick(3)] ?? null,
      consumer_id: [null, 3][pick(2)] ?? null,
      surface: 'shard',
      client: ['pets', 'crm', null][pick(3)] ?? null,
      tool: ['list', 'get'][pick(2)] ?? '',
      called_as: 'x',
      outcome,
      deny_code: refused ? (['quota', 'key_scope'][pick(2)] ?? null) : null,
      gate: refused ? 'gate' : null,
      status_class: '2xx',
      duration_ms: pick(4) === 0 ? pick(60_000) : pick(90),
      attempts: 1,
      cache: pick(5) === 0 ? 'hit' : null,
      request_bytes: 1,
      response_bytes: pick(1_000),
      method: pick(10) === 0 ? 'resources/read' : null,
    }
  })
  await database.write(async (tx) => {
    for (let at = 0; at < rows.length; at += 500)
      await tx
        .insertInto('calls')
        .values(rows.slice(at, at + 500))
        .execute()
    // The server does this by itself, a minute later; without it, sums over these rows take seconds.
    if (database.engine === 'postgres') await sql`analyze`.execute(tx)
  })
}
