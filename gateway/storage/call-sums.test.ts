// Sums over rollups are those over the rows: counts exact, percentiles within 2 %, for any window and however far it is added up.
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pruneRollups, rollUp, WIDTHS_MS } from './call-rollups.ts'
import { cover } from './call-sums.ts'
import { DAY, END, withRows } from './calls.fixture.ts'
import { aDatabase, aFolder, optionsFor } from './database.fixture.ts'
import type { Database } from './database.ts'
import { hasPostgres, usePostgres } from './postgres.fixture.ts'
import { openPostgres } from './postgres.ts'
import { OF_CALLS } from './usage.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const address = usePostgres()
async function onPostgres(): Promise<Database> {
  const place = { dataDir: aFolder(), url: await address('migrated'), poolMax: 3 }
  const database = await openPostgres({ ...optionsFor(':memory:'), ...place })
  onTestFinished(() => database.close())
  return database
}

async function rolledUp(database: Database, lastId: number, portion?: number): Promise<void> {
  while (await rollUp(database, lastId, portion));
}

/** What a person sees of both, with percentiles apart. */
const PERCENTILES = new Set(['p50_ms', 'p95_ms'])
function compare(rolled: unknown, exact: unknown): void {
  if (Array.isArray(rolled) && Array.isArray(exact)) {
    expect(rolled).toHaveLength(exact.length)
    for (const [at, row] of rolled.entries()) compare(row, exact[at])
  } else if (typeof rolled === 'object' && rolled !== null && typeof exact === 'object' && exact !== null)
    for (const [name, value] of Object.entries(exact)) {
      const mine = (rolled as Record<string, unknown>)[name] // of the same question
      if (PERCENTILES.has(name) && typeof value === 'number' && typeof mine === 'number')
        expect(Math.abs(mine - value), name).toBeLessThanOrEqual(value * 0.02)
      else compare(mine, value)
    }
  else expect(rolled).toEqual(exact)
}

describe('sums over rollups', () => {
  it.each([
    { engine: 'SQLite', open: () => aDatabase(), numRuns: 15 },
    ...(hasPostgres ? [{ engine: 'PostgreSQL', open: onPostgres, numRuns: 5 }] : []),
  ])('are those over the rows, for every question, window, filter and slice, on $engine', async ({ open, numRuns }) => {
    const [rolled, exact] = [await open(), await open()]
    for (const database of [rolled, exact]) await withRows(database, 6_000)
    await rolledUp(rolled, 2_500, 700)
    await rolledUp(rolled, 4_000)
    // Rows of long ago that are written late.
    for (const database of [rolled, exact]) await withRows(database, 1_000, 6_001)
    await rolledUp(rolled, 6_400)
    const about = fc.record({
      fromMs: fc.integer({ min: END - 41 * DAY, max: END }),
      lengthMs: fc.integer({ min: 0, max: 41 * DAY }),
      filter: fc.constantFrom(
        {},
        { client: 'pets' },
        { tool: 'get' },
        { keyId: 7 },
        { consumerId: 3 },
        { client: 'no' },
      ),
    })
    await fc.assert(
      fc.asyncProperty(about, async ({ fromMs, lengthMs, filter }) => {
        const window = { fromMs, toMs: fromMs + lengthMs, teamId: null, ...filter }
        const most = { ...window, limit: 3 }
        const [database, other] = [rolled.query, exact.query]
        compare(await OF_CALLS.summary(database, window), await OF_CALLS.summary(other, window))
        compare(await OF_CALLS.topTools(database, most), await OF_CALLS.topTools(other, most))
        compare(await OF_CALLS.byKey(database, most), await OF_CALLS.byKey(other, most))
        compare(await OF_CALLS.byConsumer(database, most), await OF_CALLS.byConsumer(other, most))
        const refusals = { ...window, groupBy: 'tool' } as const
        compare(sorted(await OF_CALLS.refusals(database, refusals)), sorted(await OF_CALLS.refusals(other, refusals)))
        for (const widthMs of [MINUTE * 5, HOUR, DAY]) {
          const slices = { fromMs: 0, widthMs }
          const series = { ...window, slices }
          compare(bySlice(await OF_CALLS.series(database, series)), bySlice(await OF_CALLS.series(other, series)))
        }
      }),
      { numRuns },
    )
    const since = { errorsFromMs: END - HOUR, recentFromMs: END - 10 * MINUTE, baselineFromMs: END - 9 * DAY }
    const names = (found: readonly { client: string }[]) => found.toSorted((a, b) => (a.client < b.client ? -1 : 1))
    compare(names(await OF_CALLS.lately(rolled.query, since)), names(await OF_CALLS.lately(exact.query, since)))
  })

  it('show the last failure of each backend, and slices that begin anywhere sum up to all of its calls', async () => {
    const [rolled, exact] = [await aDatabase(), await aDatabase()]
    for (const database of [rolled, exact]) await withRows(database, 3_000)
    await rolledUp(rolled, 3_000)
    const fromMs = END - 30 * DAY - 1_234
    const about = { fromMs, toMs: END, teamId: null, limit: 5, slices: { fromMs, widthMs: 30 * HOUR + 77 } }
    const [mine, other] = [await OF_CALLS.byClient(rolled.query, about), await OF_CALLS.byClient(exact.query, about)]
    expect(mine.map(({ client, failed }) => ({ client, failed }))).toEqual(
      other.map(({ client, failed }) => ({ client, failed })),
    )
    for (const { calls, series } of mine) expect(series.reduce((sum, part) => sum + part.calls, 0)).toBe(calls)
  })

  it('read few rows of the log: those at the edges and those not yet added up', async () => {
    const database = await aDatabase()
    await withRows(database, 3_000)
    await rolledUp(database, 3_000)
    // Rows that were added up are not read again, so their loss changes nothing.
    await database.write((tx) =>
      tx
        .deleteFrom('call_rows')
        .where('at_ms', '<', END - DAY)
        .execute(),
    )
    const window = { fromMs: END - (END % DAY) - 20 * DAY, toMs: END, teamId: null }
    const { calls } = await OF_CALLS.summary(database.query, window)
    const left = await database.query
      .selectFrom('calls')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(calls).toBeGreaterThan(left.count * 10)
  })

  it('name one time at each end of the rows that they read: of two, SQLite walks its index to the first', async () => {
    const database = await aDatabase()
    await withRows(database, 1_000)
    await rolledUp(database, 800)
    const ends: number[] = []
    const watched = database.query.withPlugin({
      transformQuery({ node }) {
        const text = JSON.stringify(node)
        if (text.includes('"name":"calls"'))
          for (const end of ['>=?', '<=?'])
            ends.push(
              [...text.matchAll(new RegExp(`"name":"at_ms"}*,"operator":{[^}]*"operator":"${end}"`, 'g'))].length,
            )
        return node
      },
      transformResult: async ({ result }) => result,
    })
    await OF_CALLS.summary(watched, { fromMs: END - 10 * DAY, toMs: END, teamId: null })
    expect(ends.length).toBeGreaterThan(4)
    expect(Math.max(...ends)).toBe(1)
  })
})

it('slots that ended before the retention time are removed', async () => {
  const database = await aDatabase()
  await withRows(database, 500)
  await rolledUp(database, 500)
  const before = END - 10 * DAY
  await pruneRollups(database, before)
  const left = await database.query.selectFrom('call_rollups').select(['width_ms', 'start_ms']).execute()
  expect(new Set(left.map(({ width_ms }) => width_ms))).toEqual(new Set(WIDTHS_MS))
  expect(left.filter(({ width_ms, start_ms }) => start_ms + width_ms <= before)).toEqual([])
})

const bySlice = <T extends { slice: number }>(rows: readonly T[]): T[] => rows.toSorted((a, b) => a.slice - b.slice)
const sorted = <T>(rows: readonly T[]): T[] => rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

it('a window is covered once, by the widest slots that fit', () => {
  const spans = cover({ fromMs: 1, toMs: 3 * DAY + 2 * HOUR + 7 * MINUTE }, WIDTHS_MS)
  expect(spans.map(({ width, fromMs, toMs }) => [width, fromMs, toMs])).toEqual([
    [5 * MINUTE, 5 * MINUTE, HOUR],
    [HOUR, HOUR, 6 * HOUR],
    [6 * HOUR, 6 * HOUR, DAY],
    [DAY, DAY, 3 * DAY],
    [HOUR, 3 * DAY, 3 * DAY + 2 * HOUR],
    [5 * MINUTE, 3 * DAY + 2 * HOUR, 3 * DAY + 2 * HOUR + 5 * MINUTE],
  ])
})

describe('the endings of a tool', () => {
  it('are all of its calls since then, and the newest that failed or were refused, however far rows are added up', async () => {
    const database = await aDatabase()
    await withRows(database, 6_000)
    const fromMs = END - 20 * DAY
    const about = { client: 'pets', tool: 'list', fromMs }
    const rows = await database.query
      .selectFrom('calls')
      .select(['id', 'outcome', 'at_ms'])
      .where('client', '=', 'pets')
      .where('tool', '=', 'list')
      .where('method', 'is', null)
      .where('at_ms', '>=', fromMs)
      .orderBy('id', 'desc')
      .execute()
    const times = (of: readonly { readonly at_ms: number }[]) => of.map(({ at_ms }) => at_ms)
    const ended = rows.filter(({ outcome }) => outcome === 'error' || outcome === 'refused')
    for (const lastId of [0, 3_000, 6_000]) {
      await rolledUp(database, lastId)
      const found = await OF_CALLS.endings(database.query, { ...about, limit: 10_000 })
      expect(found.calls).toBe(rows.length)
      const latest = (many: number) => times(ended.slice(0, many)).sort((a, b) => b - a)
      expect(times(found.rows)).toEqual(latest(ended.length))
      const few = await OF_CALLS.endings(database.query, { ...about, limit: 7 })
      expect(times(few.rows)).toEqual(latest(7))
    }
    expect(await OF_CALLS.endings(database.query, { ...about, tool: 'none', limit: 7 })).toEqual({ calls: 0, rows: [] })
  })
})
