// Adds rows of the call log up into slots of five minutes, one hour, six hours and a day, from a watermark on. See README.md.
import type { Selectable } from 'kysely'
import type { Database } from './database.ts'
import { bucketOf, count, type Durations, eachBucket, encode } from './duration-histogram.ts'
import type { Query, Schema, Tx } from './schema.ts'

const DAY_MS = 86_400_000
/** The widest first. */
export const WIDTHS_MS = [DAY_MS, 21_600_000, 3_600_000, 300_000] as const
/** In `meta`: the id of the last row that is added up. */
export const ROLLED_TO = 'calls_rolled_to'
const PORTION_ROWS = 2_000
/** An engine takes so many values in one statement. */
const ROWS_PER_STATEMENT = 200

type Row = Pick<Selectable<Schema['calls']>, (typeof READ)[number]>
const READ = [
  'id',
  'at_ms',
  'client',
  'tool',
  'principal',
  'key_id',
  'consumer_id',
  'outcome',
  'deny_code',
  'gate',
  'duration_ms',
  'cache',
  'response_bytes',
  'method',
] as const

/** The columns that identify a series of calls. */
export const SERIES = ['client', 'tool', 'principal', 'key_id', 'consumer_id', 'outcome', 'deny_code', 'gate'] as const
export type Series = Pick<Selectable<Schema['call_series']>, (typeof SERIES)[number]>
type Sum = Omit<Selectable<Schema['call_rollups']>, 'durations'> & { readonly durations: Durations }

export const seriesOf = (row: Pick<Row, (typeof SERIES)[number]>): Series => ({
  client: row.client ?? '',
  tool: row.tool,
  principal: row.principal,
  key_id: row.key_id ?? 0,
  consumer_id: row.consumer_id ?? 0,
  outcome: row.outcome,
  deny_code: row.deny_code ?? '',
  gate: row.gate ?? '',
})

export const rolledTo = async ({ meta }: Pick<Database, 'meta'>, tx?: Tx): Promise<number> =>
  Number((await meta.get(ROLLED_TO, tx)) ?? 0)

/** Adds up one portion of the rows up to `lastId`; false when there are no more. Only the sums are written under the lock. */
export async function rollUp(
  database: Pick<Database, 'query' | 'write' | 'meta'>,
  lastId: number,
  portion = PORTION_ROWS,
): Promise<boolean> {
  const from = await rolledTo(database)
  const rows = await database.query
    .selectFrom('calls')
    .select(READ)
    .where('id', '>', from)
    .where('id', '<=', lastId)
    .orderBy('id')
    .limit(portion)
    .execute()
  const last = rows.at(-1)
  if (last === undefined) return false
  const groups = grouped(rows.filter(({ method }) => method === null))
  return database.write(async (tx) => {
    // Another leader added them up first.
    if ((await rolledTo(database, tx)) !== from) return true
    const ids = await idsOf(tx, groups)
    for (const width of WIDTHS_MS) await add(tx, width, widened(groups, ids, width))
    await database.meta.set(ROLLED_TO, String(last.id), tx)
    return rows.length === portion
  }, ROLLED_TO)
}

const keyOf = (series: Series): string => JSON.stringify(SERIES.map((column) => series[column]))

function* chunks<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += ROWS_PER_STATEMENT) yield all.slice(at, at + ROWS_PER_STATEMENT)
}

/** Of one series, by the start of the narrowest slot; the id of the series comes later. */
type Group = { readonly series: Series; readonly slots: Map<number, Sum> }
type Groups = ReadonlyMap<string, Group>

/** The rows in their narrowest slots, which all wider ones are made of. */
function grouped(rows: readonly Row[]): Groups {
  const width = Math.min(...WIDTHS_MS)
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const series = seriesOf(row)
    const key = keyOf(series)
    let group = groups.get(key)
    if (group === undefined) groups.set(key, (group = { series, slots: new Map() }))
    const start_ms = row.at_ms - (row.at_ms % width)
    let sum = group.slots.get(start_ms)
    if (sum === undefined) group.slots.set(start_ms, (sum = noCalls(width, start_ms, 0)))
    sum.calls += 1
    sum.duration_ms += row.duration_ms
    sum.max_ms = Math.max(sum.max_ms, row.duration_ms)
    sum.cache_hits += row.cache === 'hit' ? 1 : 0
    sum.bytes_out += row.response_bytes
    sum.last_ms = Math.max(sum.last_ms, row.at_ms)
    sum.last_id = Math.max(sum.last_id, row.id)
    count(sum.durations, bucketOf(row.duration_ms), 1)
  }
  return groups
}

/** The ids of these series, by their keys. */
async function idsOf(tx: Tx, groups: Groups): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>()
  for (const part of chunks([...groups.values()])) {
    const found = await tx
      .insertInto('call_series')
      .values(part.map(({ series }) => series))
      // An update that changes nothing, so that the ids of known series are returned as well.
      .onConflict((clash) => clash.columns(SERIES).doUpdateSet(({ ref }) => ({ gate: ref('excluded.gate') })))
      .returningAll()
      .execute()
    for (const { id, ...each } of found) ids.set(keyOf(each), id)
  }
  return ids
}

/** By slot and series. */
function widened(groups: Groups, ids: ReadonlyMap<string, number>, width_ms: number): Map<string, Sum> {
  const sums = new Map<string, Sum>()
  for (const [group, { slots }] of groups) {
    const series_id = ids.get(group) ?? 0
    for (const slot of slots.values()) {
      const start_ms = slot.start_ms - (slot.start_ms % width_ms)
      const key = `${start_ms} ${series_id}`
      const sum = sums.get(key) ?? noCalls(width_ms, start_ms, series_id)
      sums.set(key, sum)
      addTo(sum, slot)
      for (const [bucket, calls] of slot.durations) count(sum.durations, bucket, calls)
    }
  }
  return sums
}

const noCalls = (width_ms: number, start_ms: number, series_id: number): Sum => ({
  width_ms,
  start_ms,
  series_id,
  calls: 0,
  duration_ms: 0,
  max_ms: 0,
  cache_hits: 0,
  bytes_out: 0,
  last_ms: 0,
  last_id: 0,
  durations: new Map(),
})

async function add(tx: Tx, width: number, sums: ReadonlyMap<string, Sum>): Promise<void> {
  const starts = [...new Set([...sums.values()].map(({ start_ms }) => start_ms))]
  for (const part of chunks(starts)) {
    const known = await tx
      .selectFrom('call_rollups')
      .selectAll()
      .where('width_ms', '=', width)
      .where('start_ms', 'in', part)
      .execute()
    for (const row of known) {
      const sum = sums.get(`${row.start_ms} ${row.series_id}`)
      if (sum === undefined) continue
      addTo(sum, row)
      eachBucket(row.durations, (bucket, calls) => count(sum.durations, bucket, calls))
    }
  }
  for (const part of chunks([...sums.values()]))
    await tx
      .insertInto('call_rollups')
      .values(part.map((sum) => ({ ...sum, durations: encode(sum.durations) })))
      .onConflict((clash) =>
        clash.columns(['width_ms', 'start_ms', 'series_id']).doUpdateSet(({ ref }) => ({
          calls: ref('excluded.calls'),
          duration_ms: ref('excluded.duration_ms'),
          max_ms: ref('excluded.max_ms'),
          cache_hits: ref('excluded.cache_hits'),
          bytes_out: ref('excluded.bytes_out'),
          last_ms: ref('excluded.last_ms'),
          last_id: ref('excluded.last_id'),
          durations: ref('excluded.durations'),
        })),
      )
      .execute()
}

/** All but the durations. */
function addTo(sum: Sum, row: Omit<Sum, 'durations'>): void {
  sum.calls += row.calls
  sum.duration_ms += row.duration_ms
  sum.max_ms = Math.max(sum.max_ms, row.max_ms)
  sum.cache_hits += row.cache_hits
  sum.bytes_out += row.bytes_out
  sum.last_ms = Math.max(sum.last_ms, row.last_ms)
  sum.last_id = Math.max(sum.last_id, row.last_id)
}

export async function newestCall(query: Query): Promise<number> {
  const newest = await query.selectFrom('calls').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return newest?.id ?? 0
}

/** Whether a slot ended before that. */
export async function anyRollupBefore(query: Query, beforeMs: number): Promise<boolean> {
  for (const width of WIDTHS_MS) {
    const slots = query.selectFrom('call_rollups').select('start_ms').where('width_ms', '=', width).limit(1)
    const found = await slots.where('start_ms', '<=', beforeMs - width).executeTakeFirst()
    if (found) return true
  }
  return false
}

/** Slots that ended before that. */
export async function pruneRollups({ write }: Pick<Database, 'write'>, beforeMs: number): Promise<void> {
  for (const width of WIDTHS_MS)
    await write((tx) =>
      tx
        .deleteFrom('call_rollups')
        .where('width_ms', '=', width)
        .where('start_ms', '<=', beforeMs - width)
        .execute(),
    )
}
