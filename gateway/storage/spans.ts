// The spans that are kept: rows in, and traces out, as far as a team may know them.
import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import type { UsualStages } from '../contract/admin/traces.ts'
import { insertionOf } from './batch.ts'
import type { Database } from './database.ts'
import { fromText } from './json-text.ts'
import type { Query, Schema, Tx } from './schema.ts'

export type SpanRow = Omit<Insertable<Schema['spans']>, 'id'>

const COLUMNS = [
  'trace_id',
  'span_id',
  'parent_span_id',
  'name',
  'kind',
  'start_ms',
  'end_ms',
  'status_code',
  'status_message',
  'attributes',
  'events',
  'tool_name',
  'tool',
  'client',
  'composite',
  'session',
  'outcome',
  'deny_code',
  'stages',
] as const satisfies readonly (keyof SpanRow)[]

const INSERTION = insertionOf('spans', COLUMNS)

export async function insertSpans(database: Pick<Database, 'burst'>, rows: readonly SpanRow[]): Promise<void> {
  await database.burst([
    { insertion: INSERTION, rows: rows.map((row) => COLUMNS.map((column) => row[column] ?? null)) },
  ])
}

export type TraceFilters = {
  readonly tool?: string | undefined
  readonly client?: string | undefined
  readonly session?: string | undefined
  readonly outcome?: string | undefined
  /** Of the whole trace, and of when it began. */
  readonly minMs?: number | undefined
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** Null reads all. */
  readonly teamId: number | null
}

const EQUALS = ['tool', 'client', 'session', 'outcome'] as const satisfies readonly (keyof TraceFilters)[]

/** A team's are those of its backends and its composites. */
function isOf(teamId: number | null, alias = 'spans') {
  if (teamId === null) return sql<SqlBool>`1 = 1`
  return sql<SqlBool>`(${sql.ref(`${alias}.client`)} in (select name from backends where team_id = ${teamId})
    or ${sql.ref(`${alias}.composite`)} in (select name from composites where team_id = ${teamId}))`
}

/** The sum of a trace, as far as the team may see it. */
const ofTrace = (what: string, teamId: number | null) =>
  sql<number>`(select ${sql.raw(what)} from spans as seen where seen.trace_id = newest.trace_id and ${isOf(teamId, 'seen')})`

type Traces = TraceFilters & { readonly limit: number; readonly before: number | undefined }
export type TraceRow = {
  /** Of its newest span: its place in the list. */
  readonly id: number
  readonly trace_id: string
  readonly spans: number
  readonly start_ms: number
  readonly end_ms: number
  readonly failed: number
  readonly deny_code: string | null
  readonly tool_name: string | null
  readonly client: string | null
  readonly session: string | null
}

/** One more than asked for. They are walked from the newest span back, so that a page costs what it shows. */
async function traces(query: Query, { limit, before, ...filters }: Traces): Promise<TraceRow[]> {
  const { teamId, minMs, fromMs, toMs } = filters
  const begun = ofTrace('min(seen.start_ms)', teamId)
  const asked = EQUALS.filter((name) => filters[name] !== undefined)
  let newest = query
    .selectFrom('spans as newest')
    .select(['newest.id', 'newest.trace_id'])
    .where(isOf(teamId, 'newest'))
    .where(
      sql<SqlBool>`not exists (select 1 from spans as later where later.trace_id = newest.trace_id
        and later.id > newest.id and ${isOf(teamId, 'later')})`,
    )
  if (before !== undefined) newest = newest.where('newest.id', '<', before)
  if (asked.length > 0) {
    const same = asked.map((name) => sql`${sql.ref(`found.${name}`)} = ${filters[name]}`)
    newest = newest.where(
      sql<SqlBool>`exists (select 1 from spans as found where found.trace_id = newest.trace_id
        and ${isOf(teamId, 'found')} and ${sql.join(same, sql` and `)})`,
    )
  }
  if (minMs !== undefined) newest = newest.where(ofTrace('max(seen.end_ms) - min(seen.start_ms)', teamId), '>=', minMs)
  if (fromMs !== undefined) newest = newest.where(begun, '>=', fromMs)
  if (toMs !== undefined) newest = newest.where(begun, '<=', toMs)
  const found = await newest
    .orderBy('newest.id', 'desc')
    .limit(limit + 1)
    .execute()
  return Promise.all(found.map(({ id, trace_id: traceId }) => summed(query, id, traceId, teamId)))
}

async function summed(query: Query, id: number, traceId: string, teamId: number | null): Promise<TraceRow> {
  const spans = () => query.selectFrom('spans').where('trace_id', '=', traceId).where(isOf(teamId))
  const sums = await spans()
    .select(({ fn }) => [
      fn.countAll<number>().as('spans'),
      fn.min('start_ms').as('start_ms'),
      fn.max('end_ms').as('end_ms'),
      sql<number>`max(case when status_code = 2 then 1 else 0 end)`.as('failed'),
      fn.max('deny_code').as('deny_code'),
    ])
    .executeTakeFirstOrThrow()
  const first = await spans()
    .select(['tool_name', 'client', 'session'])
    .orderBy('start_ms')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return { id, trace_id: traceId, ...sums, tool_name: null, client: null, session: null, ...first }
}

/** The spans of one trace by their start, as many as a reader sees. */
const trace = (
  query: Query,
  { traceId, teamId, limit }: { readonly traceId: string; readonly teamId: number | null; readonly limit: number },
): Promise<Selectable<Schema['spans']>[]> =>
  query
    .selectFrom('spans')
    .selectAll()
    .where('trace_id', '=', traceId)
    .where(isOf(teamId))
    .orderBy('start_ms')
    .orderBy('id')
    .limit(limit)
    .execute()

type Sessions = Pick<TraceFilters, 'fromMs' | 'toMs' | 'teamId'> & { readonly limit: number }
export type SessionRow = {
  readonly session: string
  readonly calls: number
  readonly errors: number
  /** The one backend all of them went to. */
  readonly client: string | null
}

/** The sessions of most calls; the steps of a composite are calls, it itself is not. A relayed request has no tool. */
async function topSessions(query: Query, { fromMs, toMs, teamId, limit }: Sessions): Promise<SessionRow[]> {
  let spans = query
    .selectFrom('spans')
    .where('session', 'is not', null)
    .where('composite', 'is', null)
    .where('name', 'not like', 'relay %')
  if (fromMs !== undefined) spans = spans.where('start_ms', '>=', fromMs)
  if (toMs !== undefined) spans = spans.where('start_ms', '<=', toMs)
  const rows = await spans
    .where(isOf(teamId))
    .select(({ fn }) => [
      sql<string>`session`.as('session'),
      fn.countAll<number>().as('calls'),
      sql<number>`sum(case when status_code = 2 then 1 else 0 end)`.as('errors'),
      sql<string | null>`case when min(client) = max(client) then min(client) end`.as('client'),
    ])
    .groupBy('session')
    .orderBy('calls', 'desc')
    .orderBy('session')
    .limit(limit)
    .execute()
  return rows
}

/** How many traces there are, and up to which span. */
const traceExtent = (
  query: Query,
  { teamId }: { readonly teamId: number | null },
): Promise<{ readonly traces: number; readonly last: number | null }> =>
  query
    .selectFrom('spans')
    .where(isOf(teamId))
    .select(({ fn }) => [sql<number>`count(distinct trace_id)`.as('traces'), fn.max('id').as('last')])
    .executeTakeFirstOrThrow()

type UsualOf = { readonly client: string; readonly tool: string; readonly teamId: number | null }
const MOST_CALLS = 200
/** Older ones are not looked at, so that a tool that is called rarely does not cost a read of all spans. */
const MOST_LOOKED_AT = 50_000

/** The percentiles of each stage of a tool, over its latest calls. */
async function usualStages(query: Query, { client, tool, teamId }: UsualOf): Promise<UsualStages> {
  const newest = await query
    .selectFrom('spans')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst()
  const rows = await query
    .selectFrom('spans')
    .select('stages')
    .where('id', '>', (newest?.id ?? 0) - MOST_LOOKED_AT)
    .where('client', '=', client)
    .where('tool', '=', tool)
    .where('stages', 'is not', null)
    .where(isOf(teamId))
    .orderBy('id', 'desc')
    .limit(MOST_CALLS)
    .execute()
  const took = Map.groupBy(
    rows.flatMap(({ stages }) => (stages === null ? [] : fromText(stages))),
    ({ name }) => name,
  )
  const stages = [...took].map(([name, all]) => {
    const sorted = all.map(({ startMs, endMs }) => Math.round((endMs - startMs) * 1000) / 1000).sort((a, b) => a - b)
    const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
    return { name, samples: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95) }
  })
  return { calls: rows.length, stages }
}

export const OF_SPANS = { traces, trace, topSessions, traceExtent, usualStages } as const

/** Of those up to a span; how many went. */
export async function removeSpans(
  tx: Tx,
  { last, teamId, portion }: { readonly last: number; readonly teamId: number | null; readonly portion: number },
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('spans')
    .where('id', 'in', (from) =>
      from.selectFrom('spans').select('id').where('id', '<=', last).where(isOf(teamId)).limit(portion),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
