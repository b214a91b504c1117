// The call log, summed up: SQL in, rows out. Each question is one statement over the rows of a time.
import { type RawBuilder, sql } from 'kysely'
import type { Query } from './schema.ts'
import { trafficRows as traffic } from './traffic.ts'

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
type Most = CallFilters & { readonly limit: number }

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

/** Calls of tools, and no relayed requests: what is summed up is told as calls. */
const callsOf = (query: Query, filters: CallFilters) => rowsOf(query, filters).where('method', 'is', null)

/** A team sees those of its own backends. */
function rowsOf(query: Query, filters: CallFilters) {
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

/** What calls are told apart by; `slice` is when the part of a series begins that they fall into. */
type Keys = {
  readonly client: string | null
  readonly tool: string
  readonly principal: string
  readonly key_id: number | null
  readonly consumer_id: number | null
  readonly slice: number
}
export type Totals = {
  readonly calls: number
  readonly errors: number
  readonly refused: number
  readonly cancelled: number
  readonly avg_ms: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly max_ms: number
}
export type Slices = { readonly fromMs: number; readonly widthMs: number }

/** The calls of each group are numbered by how long they took, so that its percentiles are read off in the same statement. */
function totals(query: Query, calls: ReturnType<typeof callsOf>, groups: readonly (keyof Keys)[], slices?: Slices) {
  const { fromMs, widthMs } = slices ?? { fromMs: 0, widthMs: 1 }
  const seen = calls.select([
    'client',
    'tool',
    'principal',
    'key_id',
    'consumer_id',
    'outcome',
    'duration_ms',
    sql<number>`at_ms - (at_ms - ${fromMs}) % ${widthMs}`.as('slice'),
  ])
  const placed = query
    .selectFrom(seen.as('seen'))
    .select(groups)
    .select(({ fn }) => [
      'outcome',
      'duration_ms',
      fn
        .agg<number>('row_number')
        .over((all) => (groups.length > 0 ? all.partitionBy(groups) : all).orderBy('duration_ms'))
        .as('place'),
      fn
        .countAll<number>()
        .over((all) => (groups.length > 0 ? all.partitionBy(groups) : all))
        .as('size'),
    ])
  const ended = (outcome: string) => sql<number>`coalesce(sum(case when outcome = ${outcome} then 1 else 0 end), 0)`
  const percentile = (of: number) =>
    sql<number>`coalesce(max(case when place * 100 <= size * ${of} + 99 then duration_ms end), 0)`
  return query
    .selectFrom(placed.as('placed'))
    .$if(groups.length > 0, (rows) => rows.select(groups).groupBy(groups))
    .select(({ fn }) => [
      fn.countAll<number>().as('calls'),
      ended('error').as('errors'),
      ended('refused').as('refused'),
      ended('cancelled').as('cancelled'),
      sql<number>`coalesce(avg(duration_ms), 0)`.as('avg_ms'),
      percentile(50).as('p50_ms'),
      percentile(95).as('p95_ms'),
      sql<number>`coalesce(max(duration_ms), 0)`.as('max_ms'),
    ])
}

/** The groups of most calls, the first of equals by name. */
async function most<G extends keyof Keys>(
  query: Query,
  calls: ReturnType<typeof callsOf>,
  groups: readonly [G, ...G[]],
  limit: number,
): Promise<(Totals & Pick<Keys, G>)[]> {
  let rows = totals(query, calls, groups).orderBy('calls', 'desc')
  for (const group of groups) rows = rows.orderBy(group)
  const found: unknown = await rows.limit(limit).execute()
  return found as (Totals & Pick<Keys, G>)[] // the columns of the groups are those asked for
}

export type Sums = Totals & {
  readonly tools: number
  readonly keys: number
  readonly cache_hits: number
  readonly bytes_out: number
}

async function summary(query: Query, filters: CallFilters): Promise<Sums> {
  const sums = await totals(query, callsOf(query, filters), []).executeTakeFirstOrThrow()
  const beside = await callsOf(query, filters)
    .select([
      sql<number>`count(distinct coalesce(client, '') || '/' || tool)`.as('tools'),
      sql<number>`count(distinct key_id)`.as('keys'),
      sql<number>`coalesce(sum(case when cache = 'hit' then 1 else 0 end), 0)`.as('cache_hits'),
      sql<number>`coalesce(sum(response_bytes), 0)`.as('bytes_out'),
    ])
    .executeTakeFirstOrThrow()
  return { ...sums, ...beside }
}

async function series(query: Query, { slices, ...filters }: CallFilters & { readonly slices: Slices }) {
  const found: unknown = await totals(query, callsOf(query, filters), ['slice'], slices).execute()
  return found as (Totals & Pick<Keys, 'slice'>)[] // likewise
}

const topTools = (query: Query, { limit, ...filters }: Most) =>
  most(query, callsOf(query, filters).where('client', 'is not', null), ['client', 'tool'], limit)

const byKey = (query: Query, { limit, ...filters }: Most) =>
  most(query, callsOf(query, filters), ['principal', 'key_id'], limit)

const byConsumer = (query: Query, { limit, ...filters }: Most) =>
  most(query, callsOf(query, filters).where('consumer_id', 'is not', null), ['consumer_id'], limit)

export type OfClient = Totals & {
  readonly client: string | null
  readonly series: readonly { readonly slice: number; readonly calls: number }[]
  readonly failed?: { readonly at_ms: number; readonly failure_kind: string | null; readonly tool: string } | undefined
}

/** The backends of most calls, where slices are given each with its series and the last of its calls that failed. */
async function byClient(
  query: Query,
  { limit, slices, ...filters }: Most & { readonly slices?: Slices | undefined },
): Promise<OfClient[]> {
  const calls = () => callsOf(query, filters).where('client', 'is not', null)
  const rows = await most(query, calls(), ['client'], limit)
  if (slices === undefined || rows.length === 0) return rows.map((row) => ({ ...row, series: [] }))
  const names = rows.map(({ client }) => client)
  const parts = await query
    .selectFrom(
      calls()
        .where('client', 'in', names)
        .select(['client', sql<number>`at_ms - (at_ms - ${slices.fromMs}) % ${slices.widthMs}`.as('slice')])
        .as('seen'),
    )
    .select(({ fn }) => ['client', 'slice', fn.countAll<number>().as('calls')])
    .groupBy(['client', 'slice'])
    .execute()
  const newest = calls()
    .where('client', 'in', names)
    .where('outcome', '=', 'error')
    .select(({ fn }) => fn.max('id').as('id'))
    .groupBy('client')
  const failures = await query
    .selectFrom('calls')
    .select(['client', 'at_ms', 'failure_kind', 'tool'])
    .where('id', 'in', newest)
    .execute()
  const of = Map.groupBy(parts, ({ client }) => client)
  const failed = new Map(failures.map((failure) => [failure.client, failure]))
  return rows.map((row) => ({ ...row, series: of.get(row.client) ?? [], failed: failed.get(row.client) }))
}

const REFUSAL_GROUPS = { code: [], tool: ['client', 'tool'], key: ['key_id'] } as const
const REFUSALS_MOST = 200

export type Refused = {
  readonly deny_code: string
  readonly gate: string | null
  readonly count: number
  readonly last_ms: number
} & Partial<Pick<Keys, 'client' | 'tool' | 'key_id'>>

async function refusals(
  query: Query,
  { groupBy, ...filters }: CallFilters & { readonly groupBy: keyof typeof REFUSAL_GROUPS },
): Promise<Refused[]> {
  const groups = ['deny_code', 'gate', ...REFUSAL_GROUPS[groupBy]] as const
  const found: unknown = await callsOf(query, filters)
    .where('deny_code', 'is not', null)
    .select(groups)
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max<number>('at_ms').as('last_ms')])
    .groupBy(groups)
    .orderBy('count', 'desc')
    .orderBy('deny_code')
    .limit(REFUSALS_MOST)
    .execute()
  return found as Refused[] // only calls that have a code were read
}

/** One more than asked for, so that the last page is known without a count. */
const calls = (query: Query, { before, limit, ...filters }: Most & { readonly before: number | undefined }) =>
  rowsOf(query, filters)
    .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? 0))
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()

export type Since = { readonly errorsFromMs: number; readonly recentFromMs: number; readonly baselineFromMs: number }
export type Lately = {
  readonly client: string
  /** Since the first of the times, but for those that were refused or cancelled. */
  readonly made: number
  readonly errors: number
  /** Since the second. */
  readonly recent: number
  /** Between the third and the second. */
  readonly baseline: number
}

/** How many calls each backend had of late, and how they ended: everything that alert rules ask, in one reading. */
async function lately(query: Query, { errorsFromMs, recentFromMs, baselineFromMs }: Since): Promise<Lately[]> {
  const since = (fromMs: number) => sql`at_ms >= ${fromMs}`
  const number = (holds: RawBuilder<unknown>) => sql<number>`sum(case when ${holds} then 1 else 0 end)`
  const found = await callsOf(query, { fromMs: Math.min(errorsFromMs, recentFromMs, baselineFromMs), teamId: null })
    .where('client', 'is not', null)
    .groupBy('client')
    .select([
      'client',
      number(sql`${since(errorsFromMs)} and outcome not in ('refused', 'cancelled')`).as('made'),
      number(sql`${since(errorsFromMs)} and outcome = 'error'`).as('errors'),
      number(since(recentFromMs)).as('recent'),
      number(sql`${since(baselineFromMs)} and at_ms < ${recentFromMs}`).as('baseline'),
    ])
    .execute()
  return found.map(({ client, ...counts }) => ({ client: client ?? '', ...counts }))
}

export const OF_CALLS = {
  summary,
  series,
  topTools,
  byKey,
  byClient,
  byConsumer,
  refusals,
  calls,
  lately,
  traffic,
} as const
