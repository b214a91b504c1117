// Sums of the calls of a window: whole slots from the rollups, the rest from the rows, so that counts are exact.
import { type RawBuilder, sql } from 'kysely'
import { newestCall, ROLLED_TO, type Series, seriesOf, WIDTHS_MS } from './call-rollups.ts'
import { count, type Durations, eachBucket, middleOf, percentileOf } from './duration-histogram.ts'
import type { Query } from './schema.ts'
import { type CallFilters, callsOf, seriesLike } from './usage-rows.ts'

export type Slices = { readonly fromMs: number; readonly widthMs: number }

/** What is added up for one group. */
export type Sum = {
  calls: number
  errors: number
  refused: number
  cancelled: number
  duration: number
  max: number
  hits: number
  bytes: number
  lastMs: number
  lastId: number
  readonly durations: Durations
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

const noSum = (): Sum => ({
  calls: 0,
  errors: 0,
  refused: 0,
  cancelled: 0,
  duration: 0,
  max: 0,
  hits: 0,
  bytes: 0,
  lastMs: 0,
  lastId: 0,
  durations: new Map(),
})

export function totalsOf({ calls, errors, refused, cancelled, duration, max, durations }: Sum): Totals {
  return {
    calls,
    errors,
    refused,
    cancelled,
    avg_ms: calls === 0 ? 0 : duration / calls,
    p50_ms: Math.min(max, percentileOf(durations, 50)),
    p95_ms: Math.min(max, percentileOf(durations, 95)),
    max_ms: max,
  }
}

type Window = { readonly fromMs: number; readonly toMs: number }
/** Beyond the whole slots of a window, `toMs` excluded. */
type Span = Window & { readonly width: number }

export type Group = { readonly series: Series; readonly slice: number; readonly sum: Sum }

type Part = {
  readonly calls: number
  readonly duration_ms: number
  readonly max_ms: number
  readonly cache_hits: number
  readonly bytes_out: number
  readonly last_ms: number
  readonly last_id: number
}

const ATTEMPTS = 3
/** With more rows that are not added up yet, those of the window are found by their times. */
const BEHIND_ROWS = 50_000
/** A longer list of series is compared here instead of in the database. */
const SERIES_IN_QUERY = 200

/** Whole slots of these widths, the widest in the middle; what they leave of the window lies before and after them. */
export function cover({ fromMs, toMs }: Window, widths: readonly number[]): readonly Span[] {
  const [width, ...narrower] = widths
  if (width === undefined) return []
  const first = Math.ceil(fromMs / width) * width
  const end = Math.floor(toMs / width) * width
  if (first >= end) return cover({ fromMs, toMs }, narrower)
  return [
    ...cover({ fromMs, toMs: first }, narrower),
    { width, fromMs: first, toMs: end },
    ...cover({ fromMs: end, toMs }, narrower),
  ]
}

/** A slot must not lie in two slices. Slices that begin anywhere are met with a tolerance of a quarter of their width. */
function widthsFor(slices: Slices | undefined): readonly number[] {
  if (slices === undefined) return WIDTHS_MS
  const { fromMs, widthMs } = slices
  return WIDTHS_MS.filter((width) => (widthMs % width === 0 && fromMs % width === 0) || width * 4 <= widthMs)
}

type Asked = {
  /** The columns that identify a group, besides the slice. */
  readonly by: readonly (keyof Series)[]
  readonly slices?: Slices | undefined
  /** Without durations, which are most of the work. */
  readonly onlyCounts?: boolean
  readonly where?: ((series: Series) => boolean) | undefined
}

/** The calls of a window in groups; exact in number, with durations of whole slots within 2 %. */
export async function sumUp(query: Query, filters: CallFilters & Window, asked: Asked): Promise<readonly Group[]> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const mark = await watermark(query)
    const groups = await groupsAt(query, filters, asked, mark)
    // A portion that is added up in between would be missing or counted twice.
    if ((await watermark(query)) === mark) return groups
  }
  return groupsAt(query, filters, asked, 0)
}

async function watermark(query: Query): Promise<number> {
  const found = await query.selectFrom('meta').select('value').where('key', '=', ROLLED_TO).executeTakeFirst()
  return Number(found?.value ?? 0)
}

async function groupsAt(
  query: Query,
  filters: CallFilters & Window,
  asked: Asked,
  mark: number,
): Promise<readonly Group[]> {
  const { by, slices, where } = asked
  const groups = new Map<string, Group>()
  function groupOf(series: Series, slice: number): Group | undefined {
    if (where?.(series) === false) return undefined
    const key = JSON.stringify([slice, ...by.map((column) => series[column])])
    const known = groups.get(key)
    if (known) return known
    const group = { series, slice, sum: noSum() }
    groups.set(key, group)
    return group
  }

  const window = { fromMs: filters.fromMs, toMs: filters.toMs + 1 }
  const spans = mark === 0 ? [] : cover(window, widthsFor(slices))
  const found = spans.length === 0 ? [] : await seriesLike(query, filters).execute()
  const series = new Map(found.filter((each) => where?.(each) !== false).map(({ id, ...each }) => [id, each]))
  for (const span of series.size === 0 ? [] : spans)
    for (const part of await slotsOf(query, span, series, asked)) {
      const each = series.get(part.series_id)
      const group = each && groupOf(each, part.slice)
      if (each === undefined || group === undefined) continue
      addPart(group.sum, part, each.outcome)
      eachBucket(part.durations, (bucket, calls) => count(group.sum.durations, middleOf(bucket), calls))
    }
  const covered = { fromMs: spans.at(0)?.fromMs ?? window.toMs, toMs: spans.at(-1)?.toMs ?? window.toMs }
  const isBehind = spans.length > 0 && (await newestCall(query)) - mark > BEHIND_ROWS
  // A sum keeps the engines from walking the index of that column.
  const [id, at] = isBehind ? [sql`id + 0`, sql`at_ms`] : [sql`id`, sql`at_ms + 0`]
  const rest = [
    // One bound at each end: of two, SQLite walks its index to the first.
    callsOf(query, { ...filters, toMs: Math.min(filters.toMs, covered.fromMs - 1) }),
    callsOf(query, { ...filters, fromMs: Math.max(filters.fromMs, covered.toMs) }),
    callsOf(query, { ...filters, fromMs: undefined, toMs: undefined })
      .where(id, '>', mark)
      .where(at, '>=', covered.fromMs)
      .where(at, '<', covered.toMs),
  ]
  for (const rows of spans.length === 0 ? rest.slice(0, 1) : rest)
    for (const part of await partsOf(rows, slices)) {
      const group = groupOf(seriesOf(part), part.slice)
      if (group) addPart(group.sum, part, part.outcome)
      if (group) count(group.sum.durations, part.each_ms, part.calls)
    }
  return [...groups.values()]
}

/** Equal calls in one row: the fewest rows that still hold each duration. */
async function partsOf(rows: ReturnType<typeof callsOf>, slices: Slices | undefined) {
  const slice = sliceOf(sql.ref('at_ms'), slices)
  const columns = ['client', 'tool', 'principal', 'key_id', 'consumer_id', 'outcome', 'deny_code', 'gate'] as const
  return rows
    .select(columns)
    .select(({ fn }) => [
      'duration_ms as each_ms',
      slice.as('slice'),
      fn.countAll<number>().as('calls'),
      fn.sum<number>('duration_ms').as('duration_ms'),
      fn.max<number>('duration_ms').as('max_ms'),
      sql<number>`sum(case when cache = 'hit' then 1 else 0 end)`.as('cache_hits'),
      fn.sum<number>('response_bytes').as('bytes_out'),
      fn.max<number>('at_ms').as('last_ms'),
      fn.max<number>('id').as('last_id'),
    ])
    .groupBy([...columns, 'duration_ms', 'slice'])
    .execute()
}

/** The slots of a span, added up by series and slice: a window has many slots, its series are few. */
async function slotsOf(
  query: Query,
  { width, fromMs, toMs }: Span,
  series: ReadonlyMap<number, Series>,
  { slices, onlyCounts = false }: Asked,
) {
  const few = series.size <= SERIES_IN_QUERY ? [...series.keys()] : undefined
  return query
    .selectFrom('call_rollups')
    .select(['series_id', sliceOf(sql.ref('start_ms'), slices).as('slice')])
    .select(({ fn }) => [
      fn.sum<number>('calls').as('calls'),
      fn.sum<number>('duration_ms').as('duration_ms'),
      fn.max('max_ms').as('max_ms'),
      fn.sum<number>('cache_hits').as('cache_hits'),
      fn.sum<number>('bytes_out').as('bytes_out'),
      fn.max('last_ms').as('last_ms'),
      fn.max('last_id').as('last_id'),
      (onlyCounts ? sql<string>`''` : sql<string>`string_agg(durations, '')`).as('durations'),
    ])
    .where('width_ms', '=', width)
    .where('start_ms', '>=', fromMs)
    .where('start_ms', '<', toMs)
    .$if(few !== undefined, (slots) => slots.where('series_id', 'in', few ?? []))
    .groupBy(['series_id', 'slice'])
    .execute()
}

/** When the slice begins into which a moment falls. */
const sliceOf = (ms: RawBuilder<unknown>, slices: Slices | undefined): RawBuilder<number> =>
  slices ? sql<number>`${ms} - (${ms} - ${slices.fromMs}) % ${slices.widthMs}` : sql<number>`0`

function addPart(sum: Sum, part: Part, outcome: string): void {
  sum.calls += part.calls
  if (outcome === 'error') sum.errors += part.calls
  else if (outcome === 'refused') sum.refused += part.calls
  else if (outcome === 'cancelled') sum.cancelled += part.calls
  sum.duration += part.duration_ms
  sum.max = Math.max(sum.max, part.max_ms)
  sum.hits += part.cache_hits
  sum.bytes += part.bytes_out
  sum.lastMs = Math.max(sum.lastMs, part.last_ms)
  sum.lastId = Math.max(sum.lastId, part.last_id)
}

export function merged(groups: readonly Group[]): Sum {
  const all = noSum()
  for (const { sum } of groups) {
    for (const name of ['calls', 'errors', 'refused', 'cancelled', 'duration', 'hits', 'bytes'] as const)
      all[name] += sum[name]
    for (const name of ['max', 'lastMs', 'lastId'] as const) all[name] = Math.max(all[name], sum[name])
    for (const [ms, calls] of sum.durations) count(all.durations, ms, calls)
  }
  return all
}
