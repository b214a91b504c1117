// Which rows of the call log a question is about.
import type { Query } from './schema.ts'

export type CallFilters = {
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  readonly client?: string | undefined
  readonly tool?: string | undefined
  readonly bundle?: string | undefined
  readonly outcome?: string | undefined
  readonly code?: string | undefined
  readonly keyId?: number | undefined
  readonly consumerId?: number | undefined
  readonly sessionId?: string | undefined
  readonly requestId?: string | undefined
  /** Null reads the calls of all backends. */
  readonly teamId: number | null
}
const EQUALS = {
  client: 'client',
  tool: 'tool',
  bundle: 'bundle',
  outcome: 'outcome',
  code: 'deny_code',
  keyId: 'key_id',
  consumerId: 'consumer_id',
  sessionId: 'session',
  requestId: 'request_id',
} as const satisfies Partial<Record<keyof CallFilters, string>>

/** Calls of tools only: relayed requests do not count as calls in summaries. */
export const callsOf = (query: Query, filters: CallFilters) => rowsOf(query, filters).where('method', 'is', null)

/** A team sees those of its own backends. */
export function rowsOf(query: Query, filters: CallFilters) {
  const { fromMs, toMs, teamId } = filters
  let calls = query.selectFrom('calls')
  if (fromMs !== undefined) calls = calls.where('at_ms', '>=', fromMs)
  if (toMs !== undefined) calls = calls.where('at_ms', '<=', toMs)
  if (teamId !== null)
    calls = calls.where('client', 'in', query.selectFrom('backends').select('name').where('team_id', '=', teamId))
  for (const [name, column] of Object.entries(EQUALS)) {
    const wanted = filters[name as keyof typeof EQUALS] // the keys of EQUALS
    if (wanted !== undefined) calls = calls.where(column, '=', wanted)
  }
  return calls
}

/** The same filters for the series of the rollups. */
export function seriesLike(query: Query, { client, tool, keyId, consumerId, teamId }: CallFilters) {
  let series = query.selectFrom('call_series').selectAll()
  if (client !== undefined) series = series.where('client', '=', client)
  if (tool !== undefined) series = series.where('tool', '=', tool)
  if (keyId !== undefined) series = series.where('key_id', '=', keyId)
  if (consumerId !== undefined) series = series.where('consumer_id', '=', consumerId)
  if (teamId !== null)
    series = series.where('client', 'in', query.selectFrom('backends').select('name').where('team_id', '=', teamId))
  return series
}
