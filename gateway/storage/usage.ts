// The call log, summed up: SQL in, rows out.

import { type Group, merged, type Slices, sumUp, type Totals, totalsOf } from './call-sums.ts'
import type { Query } from './schema.ts'
import { trafficRows as traffic } from './traffic.ts'
import { type CallFilters, callsOf, rowsOf, UNSUCCESSFUL } from './usage-rows.ts'

type Windowed = CallFilters & { readonly fromMs: number; readonly toMs: number }
type Most = CallFilters & { readonly limit: number }
type MostOf = Windowed & { readonly limit: number }

const orNull = (id: number): number | null => (id === 0 ? null : id)

/** The groups of most calls, the first of equals by name. */
const most = (
  groups: readonly Group[],
  limit: number,
  nameOf: (group: Group) => string,
  rankOf = ({ sum }: Group): number => sum.calls,
): readonly Group[] =>
  groups
    .map((group) => ({ group, name: nameOf(group), rank: rankOf(group) }))
    .sort((a, b) => b.rank - a.rank || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ group }) => group)

export type Sums = Totals & {
  readonly tools: number
  readonly keys: number
  readonly cache_hits: number
  readonly bytes_out: number
}

async function summary(query: Query, filters: Windowed): Promise<Sums> {
  const groups = await sumUp(query, filters, { by: ['client', 'tool', 'key_id'] })
  const all = merged(groups)
  return {
    ...totalsOf(all),
    tools: new Set(groups.map(({ series }) => `${series.client}/${series.tool}`)).size,
    keys: new Set(groups.flatMap(({ series }) => orNull(series.key_id) ?? [])).size,
    cache_hits: all.hits,
    bytes_out: all.bytes,
  }
}

async function series(query: Query, { slices, ...filters }: Windowed & { readonly slices: Slices }) {
  const groups = await sumUp(query, filters, { by: [], slices })
  return groups.map(({ slice, sum }) => ({ slice, ...totalsOf(sum) }))
}

/** What the first of the tools has most of; a tool without it is not listed. */
const RANKS = {
  calls: ({ calls: many }: Totals) => many,
  slowest: ({ calls: many, refused: kept, p95_ms }: Totals) => (many > kept ? p95_ms : 0),
  failing: ({ errors }: Totals) => errors,
} as const

async function topTools(
  query: Query,
  { limit, order = 'calls', ...filters }: MostOf & { readonly order?: keyof typeof RANKS | undefined },
) {
  const all = await sumUp(query, filters, { by: ['client', 'tool'], where: ({ client }) => client !== '' })
  const rank = ({ sum }: Group): number => RANKS[order](totalsOf(sum))
  const groups = order === 'calls' ? all : all.filter((group) => rank(group) > 0)
  return most(groups, limit, ({ series: { client, tool } }) => `${client}\0${tool}`, rank).map(
    ({ series: of, sum }) => ({
      client: of.client,
      tool: of.tool,
      ...totalsOf(sum),
    }),
  )
}

async function byKey(query: Query, { limit, ...filters }: MostOf) {
  const groups = await sumUp(query, filters, { by: ['principal', 'key_id'] })
  return most(groups, limit, ({ series: of }) => `${of.principal}\0${String(of.key_id).padStart(16, '0')}`).map(
    ({ series: of, sum }) => ({
      principal: of.principal,
      key_id: orNull(of.key_id),
      ...totalsOf(sum),
    }),
  )
}

async function byConsumer(query: Query, { limit, ...filters }: MostOf) {
  const groups = await sumUp(query, filters, { by: ['consumer_id'], where: (of) => of.consumer_id !== 0 })
  return most(groups, limit, ({ series: of }) => String(of.consumer_id).padStart(16, '0')).map(
    ({ series: of, sum }) => ({ consumer_id: of.consumer_id, ...totalsOf(sum) }),
  )
}

export type OfClient = Totals & {
  readonly client: string
  readonly series: readonly { readonly slice: number; readonly calls: number }[]
  readonly failed?: { readonly at_ms: number; readonly failure_kind: string | null; readonly tool: string } | undefined
}

/** The backends of most calls, where slices are given each with its series and the last of its calls that failed. */
async function byClient(
  query: Query,
  { limit, slices, ...filters }: MostOf & { readonly slices?: Slices | undefined },
): Promise<OfClient[]> {
  const where = ({ client }: Group['series']): boolean => client !== ''
  const rows = most(
    await sumUp(query, filters, { by: ['client'], where }),
    limit,
    ({ series: { client } }) => client,
  ).map(({ series: { client }, sum }) => ({ client, ...totalsOf(sum), series: [] }))
  if (slices === undefined) return rows
  const parts = await sumUp(query, filters, { by: ['client', 'outcome'], where, slices, onlyCounts: true })
  const ofClient = Map.groupBy(parts, ({ series: { client } }) => client)
  const failures = await failuresOf(query, parts)
  return rows.map((row) => ({
    ...row,
    series: slicesOf(ofClient.get(row.client) ?? []),
    failed: failures.get(row.client),
  }))
}

function slicesOf(groups: readonly Group[]): OfClient['series'] {
  const calls = new Map<number, number>()
  for (const { slice, sum } of groups) calls.set(slice, (calls.get(slice) ?? 0) + sum.calls)
  return [...calls].map(([slice, many]) => ({ slice, calls: many }))
}

async function failuresOf(query: Query, groups: readonly Group[]): Promise<Map<string, OfClient['failed']>> {
  const newest = new Map<string, number>()
  for (const { series: of, sum } of groups)
    if (of.outcome === 'error') newest.set(of.client, Math.max(newest.get(of.client) ?? 0, sum.lastId))
  if (newest.size === 0) return new Map()
  const rows = await query
    .selectFrom('calls')
    .select(['client', 'at_ms', 'failure_kind', 'tool'])
    .where('id', 'in', [...newest.values()])
    .execute()
  return new Map(rows.map((row) => [row.client ?? '', row]))
}

const REFUSAL_GROUPS = { code: [], tool: ['client', 'tool'], key: ['key_id'] } as const
const REFUSALS_MOST = 200

export type Refused = {
  readonly deny_code: string
  readonly gate: string | null
  readonly count: number
  readonly last_ms: number
  readonly client?: string | null
  readonly tool?: string
  readonly key_id?: number | null
}

async function refusals(
  query: Query,
  { groupBy, ...filters }: Windowed & { readonly groupBy: keyof typeof REFUSAL_GROUPS },
): Promise<Refused[]> {
  const by = ['deny_code', 'gate', ...REFUSAL_GROUPS[groupBy]] as const
  const groups = await sumUp(query, filters, { by, where: (of) => of.deny_code !== '' })
  return most(groups, REFUSALS_MOST, ({ series: of }) => of.deny_code).map(({ series: of, sum }) => ({
    deny_code: of.deny_code,
    gate: of.gate || null,
    ...(groupBy === 'tool' ? { client: of.client || null, tool: of.tool } : {}),
    ...(groupBy === 'key' ? { key_id: orNull(of.key_id) } : {}),
    count: sum.calls,
    last_ms: sum.lastMs,
  }))
}

type OfTool = { readonly client: string; readonly tool: string; readonly fromMs: number; readonly limit: number }

/** How many calls a tool had since then, and how the newest that failed or were refused ended. */
async function endings(query: Query, { limit, ...of }: OfTool) {
  const { calls: many, errors, refused } = await summary(query, { ...of, toMs: FAR_MS, teamId: null })
  // No more than there are, so that the search ends with the last of them.
  const rows = await callsOf(query, { ...of, teamId: null })
    .where(UNSUCCESSFUL)
    .where('outcome', 'in', ['error', 'refused'])
    .select(['at_ms', 'outcome', 'deny_code', 'failure_kind'])
    .orderBy('id', 'desc')
    .limit(Math.min(limit, errors + refused))
    .execute()
  return { calls: many, rows: rows.sort((a, b) => b.at_ms - a.at_ms) }
}

type CallsPage = {
  readonly before: number | undefined
  /** With the requests that were refused at the door. */
  readonly all?: boolean | undefined
}

/** One more than asked for, so that the last page is known without a count. */
const calls = (query: Query, { before, limit, all, ...filters }: Most & CallsPage) =>
  rowsOf(query, filters)
    .$if(all !== true && filters.kind === undefined && filters.surface === undefined, (rows) =>
      rows.where('surface', '!=', 'door'),
    )
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

/** How many calls each backend had of late, and how they ended: everything that alert rules ask. */
async function lately(query: Query, { errorsFromMs, recentFromMs, baselineFromMs }: Since): Promise<Lately[]> {
  const counts = new Map<string, { made: number; errors: number; recent: number; baseline: number }>()
  const since = async (fromMs: number, toMs: number, note: (of: typeof NONE, sum: Group['sum']) => void) => {
    const where = ({ client }: Group['series']): boolean => client !== ''
    for (const { series: of, sum } of await sumUp(query, { fromMs, toMs, teamId: null }, { by: ['client'], where })) {
      const known = counts.get(of.client) ?? { ...NONE }
      counts.set(of.client, known)
      note(known, sum)
    }
  }
  await since(errorsFromMs, FAR_MS, (of, sum) => {
    of.made = sum.calls - sum.refused - sum.cancelled
    of.errors = sum.errors
  })
  await since(recentFromMs, FAR_MS, (of, { calls: many }) => void (of.recent = many))
  await since(baselineFromMs, recentFromMs - 1, (of, { calls: many }) => void (of.baseline = many))
  return [...counts].map(([client, of]) => ({ client, ...of }))
}

const NONE = { made: 0, errors: 0, recent: 0, baseline: 0 }
/** After every call there is, and at the end of a slot of each width. */
const FAR_MS = 86_400_000 * 100_000_000

export const OF_CALLS = {
  summary,
  series,
  topTools,
  byKey,
  byClient,
  byConsumer,
  refusals,
  calls,
  endings,
  lately,
  traffic,
} as const
