// The narrow form of call rows: what a reader sees does not change, rows of an older schema stay, and days expire as a whole.

import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { batchesOf, type CallRow, valuesOf } from '../pipeline/8-audit/call-rows.ts'
import { pruneCalls } from './call-retention.ts'
import { newestCall } from './call-rollups.ts'
import { DAY, END, withRows } from './calls.fixture.ts'
import { aDatabase, aFolder, optionsFor } from './database.fixture.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { jsonText } from './json-text.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { hasPostgres, usePostgres } from './postgres.fixture.ts'
import { openPostgres } from './postgres.ts'

const BEFORE_KINDS = MIGRATIONS.filter(({ version }) => version < 27)
const address = usePostgres()

type Reopen = (more?: Partial<DatabaseOptions>) => Promise<Database>
function aFile(): Reopen {
  const path = `${aFolder()}/gantry.db`
  return (more) => openDatabase(optionsFor(path, { backupBeforeMigrate: false, ...more }))
}
async function aServer(): Promise<Reopen> {
  const place = { dataDir: aFolder(), url: await address(), poolMax: 3 }
  return (more) => openPostgres({ ...optionsFor(':memory:'), ...place, ...more })
}
const ENGINES = [
  { engine: 'SQLite', place: async () => aFile() },
  ...(hasPostgres ? [{ engine: 'PostgreSQL', place: aServer }] : []),
]

async function opened(reopen: Reopen): Promise<Database> {
  const database = await reopen()
  onTestFinished(() => database.close())
  return database
}

const all = ({ query }: Database) => query.selectFrom('calls').selectAll().orderBy('id').execute()
const idsOf = async (database: Database) => (await all(database)).map(({ id }) => id)
const count = async ({ query }: Database, table: 'call_kinds' | 'call_rows') =>
  (
    await query
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow()
  ).rows

const call = (at_ms: number, more: Partial<CallRow> = {}): CallRow => ({
  request_id: `r${at_ms}`,
  at_ms,
  principal: 'ci',
  surface: 'shard',
  client: 'shop',
  tool: 'item',
  called_as: 'shop__item',
  outcome: 'success',
  status_class: '2xx',
  duration_ms: 4_000_000_000,
  attempts: 1,
  request_bytes: 2,
  response_bytes: 3,
  ...more,
})
const write = (database: Database, rows: readonly CallRow[]) => database.burst(batchesOf(rows.map(valuesOf)))

describe.each(ENGINES)('call rows on $engine', ({ place }) => {
  it('are read as they were written, and have one kind per day for what is alike', async () => {
    const database = await opened(await place())
    const rows = [
      ...Array.from({ length: 20 }, (_each, at) => call(END + at)),
      call(END, {
        outcome: 'refused',
        deny_code: 'quota',
        gate: 'quota',
        verdict: jsonText({ t: '', n: 1 }),
        session: 's',
        key_id: 3,
      }),
      call(END - DAY, { client: null, bundle: 'b', trace_id: 't', consumer_id: 9, cache: 'hit', target: 'primary' }),
      call(END - DAY),
      call(END, { failure_kind: 'timeout', outcome: 'error', method: 'tools/call', program: 'claude', attempts: 2 }),
    ]
    const ids = await write(database, rows)
    expect(ids).toHaveLength(rows.length)
    const stored = await all(database)
    expect(stored.map(({ id }) => id)).toEqual(ids)
    for (const [at, row] of rows.entries()) expect(stored[at]).toMatchObject(row)
    expect(await count(database, 'call_kinds')).toBe(5)
    await write(database, [call(END + 50)])
    expect(await count(database, 'call_kinds')).toBe(5)
  })

  it('that are refused by the database leave no kind behind that later rows refer to', async () => {
    const database = await opened(await place())
    const broken = { ...call(END), request_id: null } as unknown as CallRow // what a damaged journal holds
    await expect(write(database, [broken])).rejects.toThrow()
    await write(database, [call(END)])
    expect(await all(database)).toEqual([expect.objectContaining(call(END))])
  })

  it('of an older schema stay readable after the upgrade, in one list with new rows', async () => {
    const reopen = await place()
    const old = await reopen({ migrations: BEFORE_KINDS })
    await withRows(old, 300)
    const before = await all(old)
    await old.close()
    const database = await opened(reopen)
    expect(await all(database)).toEqual(before)
    const [id] = await write(database, [call(END + 1)])
    expect(id).toBe(301)
    expect(await newestCall(database.query)).toBe(301)
    const page = await database.query.selectFrom('calls').select('id').orderBy('id', 'desc').limit(3).execute()
    expect(page.map((row) => row.id)).toEqual([301, 300, 299])
  })

  it('of an older schema are removed by age, and their table with the last of them', async () => {
    const reopen = await place()
    const old = await reopen({ migrations: BEFORE_KINDS })
    await withRows(old, 300)
    await old.close()
    const database = await opened(reopen)
    await pruneCalls(database, END - 10 * DAY, END)
    const left = await all(database)
    expect(left.length).toBeGreaterThan(20)
    expect(left.filter(({ at_ms }) => at_ms < END - 10 * DAY)).toEqual([])
    expect(await database.meta.get('calls_before')).toBeDefined()
    await write(database, [call(END + DAY)])
    await pruneCalls(database, END + 1, END + DAY)
    expect(await database.meta.get('calls_before')).toBeUndefined()
    expect(await idsOf(database)).toEqual([301])
    await database.write((tx) =>
      tx
        .insertInto('calls')
        .values(call(END + DAY))
        .execute(),
    )
    expect(await idsOf(database)).toEqual([301, 302])
  })

  it('are taken from a program that writes the view', async () => {
    const database = await opened(await place())
    const rows = [
      call(END),
      call(END + 1, { deny_code: 'quota', outcome: 'refused', verdict: jsonText({ t: '' }), program: 'x' }),
    ]
    await database.write((tx) => tx.insertInto('calls').values(rows).execute())
    expect(await all(database)).toEqual(rows.map((row) => expect.objectContaining(row)))
  })

  it('of expired days go with their kinds', async () => {
    const database = await opened(await place())
    const now = Date.now()
    const rows = [0, 1, 2, 3, 40].map((ago) => call(now - ago * DAY))
    await write(database, rows)
    await pruneCalls(database, now - 2 * DAY, now)
    const left = await all(database)
    expect(left.map(({ at_ms }) => Math.round((now - at_ms) / DAY)).filter((ago) => ago > 2)).toEqual([])
    expect(left.length).toBe(3)
    expect(await count(database, 'call_kinds')).toBe(3)
    await pruneCalls(database, now + 1, now + 1)
    expect(await all(database)).toEqual([])
  })
})

describe.skipIf(!hasPostgres)('days on PostgreSQL', () => {
  it('have a table each, made ahead and dropped as a whole', async () => {
    const database = await opened(await aServer())
    const tables = async () => {
      const { rows } = await sql<{ relname: string }>`select relname from pg_inherits
        join pg_class on pg_class.oid = inhrelid where inhparent = 'call_rows'::regclass`.execute(database.query)
      return rows.flatMap(({ relname }) => /^call_rows_(\d+)$/.exec(relname)?.[1] ?? []).map(Number)
    }
    const today = Math.floor(Date.now() / DAY)
    const days = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_each, at) => from + at)
    const sorted = async () => (await tables()).toSorted((a, b) => a - b)
    expect(await sorted()).toEqual(days(today, today + 7))
    const later = (today + 3) * DAY + 5
    await write(database, [call(Date.now()), call(later)])
    await pruneCalls(database, later - DAY, later)
    expect(await sorted()).toEqual(days(today + 2, today + 10))
    expect((await all(database)).map(({ at_ms }) => at_ms)).toEqual([later])
  })

  it('whose rows came before their table keep them, and the rows go when they are old', async () => {
    const database = await opened(await aServer())
    const now = Date.now()
    const early = now + 9 * DAY
    await write(database, [call(early)])
    await pruneCalls(database, now - DAY, now + 5 * DAY)
    expect(await all(database)).toHaveLength(1)
    await pruneCalls(database, early + 3 * DAY, early + 5 * DAY)
    expect(await all(database)).toEqual([])
  })
})

it('finds the newest rows of the view by their ids, and those of a time by the index of times', async () => {
  const database = await aDatabase()
  const planOf = async (query: { compile(): { readonly sql: string; readonly parameters: readonly unknown[] } }) => {
    const { sql: text } = query.compile()
    const { rows } = await sql<{
      detail: string
    }>`${sql.raw(`explain query plan ${text.replaceAll('?', '1')}`)}`.execute(database.query)
    return rows.map(({ detail }) => detail).join('; ')
  }
  const newest = database.query
    .selectFrom('calls')
    .selectAll()
    .where('client', '=', 'x')
    .orderBy('id', 'desc')
    .limit(51)
  expect(await planOf(newest)).toBe('SCAN r; SEARCH k USING INTEGER PRIMARY KEY (rowid=?)')
  const recent = database.query.selectFrom('calls').select('tool').where('at_ms', '>=', 5).where('client', '=', 'x')
  expect(await planOf(recent)).toContain('SEARCH r USING INDEX call_rows_at')
  const refused = database.query.selectFrom('calls').selectAll().where(sql<boolean>`outcome != 'success'`)
  expect(await planOf(refused.orderBy('id', 'desc').limit(51))).toContain('call_rows_unsuccessful')
})
