// The overview's counts that stand in tables: bundles, composites, keys, and what the call log of the last day adds up to.

import type { Overview } from '../../contract/admin/overview.ts'
import { jsonText } from '../../storage/json-text.ts'
import type { Query } from '../../storage/schema.ts'
import { OF_CALLS } from '../../storage/usage.ts'

const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS

/** What a user has done, for the first steps. */
export type StoredSteps = {
  readonly firstCall: boolean
  /** Not the editor that every gateway has. */
  readonly ownBackend: boolean
  readonly filledBundle: boolean
}
export type StoredCounts = Pick<Overview, 'bundles' | 'composites' | 'keys' | 'calls24h' | 'refusals24h'> & StoredSteps

/** A team sees its own bundles, and the calls of its own backends. */
export async function storedCounts(query: Query, nowMs: number, teamId: number | null): Promise<StoredCounts> {
  const calls = () =>
    query
      .selectFrom('calls')
      .where('method', 'is', null)
      .$if(teamId !== null, (rows) =>
        rows.where('client', 'in', query.selectFrom('backends').select('name').where('team_id', '=', teamId)),
      )
  const day = { fromMs: nowMs - DAY_MS, toMs: nowMs, teamId }
  const recent = await OF_CALLS.summary(query, day)
  const refusals = await OF_CALLS.refusals(query, { ...day, groupBy: 'code' })
  const bundles = await query
    .selectFrom('bundles')
    .$if(teamId !== null, (rows) => rows.where('team_id', '=', teamId))
    .select(({ fn }) => [fn.countAll<number>().as('total'), fn.sum<number | null>('enabled').as('enabled')])
    .executeTakeFirstOrThrow()
  const composites = await query
    .selectFrom('composites')
    .$if(teamId !== null, (rows) => rows.where('team_id', '=', teamId))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const keys = await query
    .selectFrom('mcp_keys')
    .select('expires_at')
    .$if(teamId !== null, (rows) => rows.where('team_id', '=', teamId))
    .where('enabled', '=', 1)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', new Date(nowMs).toISOString())]))
    .execute()
  const soon = new Date(nowMs + SOON_MS).toISOString()
  const first = await calls().select('id').where('surface', 'in', ['shard', 'bundle']).limit(1).executeTakeFirst()
  const own = await query
    .selectFrom('backends')
    .select('id')
    .where('kind', '!=', 'pcg')
    .$if(teamId !== null, (rows) => rows.where('team_id', '=', teamId))
    .limit(1)
    .executeTakeFirst()
  const filled = await query
    .selectFrom('bundles')
    .select('id')
    .$if(teamId !== null, (rows) => rows.where('team_id', '=', teamId))
    // Lists in JSON.
    .where(({ eb, or }) => or([eb('tools', '!=', jsonText([])), eb('composites', '!=', jsonText([]))]))
    .limit(1)
    .executeTakeFirst()
  return {
    bundles: { total: bundles.total, enabled: bundles.enabled ?? 0 },
    composites: { total: composites.total },
    keys: {
      active: keys.length,
      expiringSoon: keys.filter(({ expires_at: at }) => at !== null && at <= soon).length,
    },
    calls24h: {
      calls: recent.calls,
      errors: recent.errors,
      refused: recent.refused,
      avgMs: Math.round(recent.avg_ms),
      p95Ms: recent.p95_ms,
    },
    refusals24h: refusals.map(({ deny_code, count }) => ({ code: deny_code, count })),
    firstCall: first !== undefined,
    ownBackend: own !== undefined,
    filledBundle: filled !== undefined,
  }
}
