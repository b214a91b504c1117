// Which rows of the call log a question is about.
import { sql } from 'kysely'
import { contains } from './like.ts'
import type { Query } from './schema.ts'

/** Calls of tools, relayed requests, or requests refused at the door; a row of the door has the surface `door`. */
export type CallKind = 'tool' | 'relayed' | 'door'
const DOOR = 'door'
const SEARCHED = [
  'called_as',
  'tool',
  'client',
  'principal',
  'program',
  'deny_code',
  'failure_kind',
  'request_id',
  'verdict',
] as const

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
  readonly gate?: string | undefined
  readonly principal?: string | undefined
  readonly program?: string | undefined
  readonly surface?: string | undefined
  /** Part of the tool, the name it was called by, the caller, the client program, the request id or the verdict. */
  readonly text?: string | undefined
  readonly kind?: CallKind | undefined
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
  gate: 'gate',
  principal: 'principal',
  program: 'program',
  surface: 'surface',
} as const satisfies Partial<Record<keyof CallFilters, string>>

/** Calls of tools only: relayed requests do not count as calls in summaries. */
export const callsOf = (query: Query, filters: CallFilters) => rowsOf(query, filters).where('method', 'is', null)

/** A team sees those of its own backends. */
export function rowsOf(query: Query, filters: CallFilters) {
  const { fromMs, toMs, teamId } = filters
  let calls = rowsFrom(query)
  if (fromMs !== undefined) calls = calls.where('at_ms', '>=', fromMs)
  if (toMs !== undefined) calls = calls.where('at_ms', '<=', toMs)
  if (teamId !== null)
    calls = calls.where('client', 'in', query.selectFrom('backends').select('name').where('team_id', '=', teamId))
  for (const [name, column] of Object.entries(EQUALS)) {
    const wanted = filters[name as keyof typeof EQUALS] // the keys of EQUALS
    if (wanted !== undefined) calls = calls.where(column, '=', wanted)
  }
  return narrowed(calls, filters)
}

/** In the words of the partial index `calls_unsuccessful`, which is used for no others. */
export const UNSUCCESSFUL = sql<boolean>`outcome != 'success'`

function narrowed(
  rows: ReturnType<typeof rowsFrom>,
  { outcome, gate, code, text, kind }: CallFilters,
): ReturnType<typeof rowsFrom> {
  let calls = rows
  if ((outcome ?? 'success') !== 'success' || (gate ?? code) !== undefined || kind === 'door')
    calls = calls.where(UNSUCCESSFUL)
  if (text !== undefined && text !== '')
    calls = calls.where(({ or }) => or(SEARCHED.map((column) => contains(column, text))))
  if (kind === 'tool') calls = calls.where('method', 'is', null)
  if (kind === 'relayed') calls = calls.where('method', 'is not', null).where('surface', '!=', DOOR)
  if (kind === 'door') calls = calls.where('surface', '=', DOOR)
  return calls
}

const rowsFrom = (query: Query) => query.selectFrom('calls')

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
