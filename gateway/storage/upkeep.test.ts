// Rollups and retention on a thread of their own, while the main thread writes and reads.
import { describe, expect, it, onTestFinished } from 'vitest'
import { anyExpired } from './call-retention.ts'
import { newestCall, rolledTo } from './call-rollups.ts'
import { DAY, END, withRows } from './calls.fixture.ts'
import { aDatabase, aFolder, optionsFor } from './database.fixture.ts'
import type { Database } from './database.ts'
import { hasPostgres, usePostgres } from './postgres.fixture.ts'
import { openPostgres } from './postgres.ts'
import { createUpkeep } from './upkeep.ts'
import { OF_CALLS } from './usage.ts'

const address = usePostgres()
async function onPostgres(): Promise<Database> {
  const place = { dataDir: aFolder(), url: await address('migrated'), poolMax: 3 }
  const database = await openPostgres({ ...optionsFor(':memory:'), ...place })
  onTestFinished(() => database.close())
  return database
}

function upkeepOf(database: Database) {
  const upkeep = createUpkeep(database)
  onTestFinished(() => upkeep.close())
  return upkeep
}

/** As the loop of the gateway does: a server may end the transaction of a thread that a busy machine kept waiting. */
async function addedUp(upkeep: ReturnType<typeof upkeepOf>, lastId: number): Promise<void> {
  for (;;)
    try {
      return await upkeep.do('rollUp', { lastId })
    } catch (error) {
      if (!String(error).includes('try again')) throw error
    }
}

const everything = { fromMs: END - 41 * DAY, toMs: END, teamId: null }

describe.each([
  { engine: 'SQLite', open: () => aDatabase() },
  { engine: 'SQLite in memory', open: () => aDatabase(':memory:') },
  ...(hasPostgres ? [{ engine: 'PostgreSQL', open: onPostgres }] : []),
])('upkeep on $engine', ({ open }) => {
  it('adds up all calls while others write, and counts each once', async () => {
    const database = await open()
    const upkeep = upkeepOf(database)
    await withRows(database, 9_000)
    const { calls } = await OF_CALLS.summary(database.query, everything)
    const progress = { isDone: false }
    const adding = addedUp(upkeep, 9_000).finally(() => void (progress.isDone = true))
    adding.catch(() => undefined)
    for (let value = 0; !progress.isDone; value++) {
      await database.meta.set('beside', String(value))
      expect((await OF_CALLS.summary(database.query, everything)).calls).toBe(calls)
    }
    await adding
    expect(await rolledTo(database)).toBe(9_000)
    expect((await OF_CALLS.summary(database.query, everything)).calls).toBe(calls)
  })

  it('removes what is older than its time, of rows and of sums', async () => {
    const database = await open()
    const upkeep = upkeepOf(database)
    await withRows(database, 2_000)
    await upkeep.do('rollUp', { lastId: 2_000 })
    const calls = END - 10 * DAY
    await upkeep.do('prune', { calls, traffic: 0, spans: 0, now: END })
    const old = { fromMs: 0, toMs: calls - DAY, teamId: null }
    expect(await OF_CALLS.calls(database.query, { ...old, limit: 1, before: undefined })).toEqual([])
    expect((await OF_CALLS.summary(database.query, old)).calls).toBe(0)
    expect(await newestCall(database.query)).toBeGreaterThan(0)
  })
})

it.each([
  { engine: 'SQLite', open: () => aDatabase() },
  { engine: 'SQLite in memory', open: () => aDatabase(':memory:') },
])('nothing is removed, and no thread started for it, where nothing is old on $engine', async ({ open }) => {
  const database = await open()
  await withRows(database, 2_000)
  await createUpkeep(database).do('rollUp', { lastId: 2_000 })
  const before = (ms: number) => ({ calls: ms, traffic: 0, spans: 0, now: END })
  expect(await anyExpired(database, before(END - 41 * DAY))).toBe(false)
  expect(await anyExpired(database, before(END - 10 * DAY))).toBe(true)
  const upkeep = upkeepOf(database)
  await upkeep.do('prune', before(END - 10 * DAY))
  expect(await anyExpired(database, before(END - 10 * DAY))).toBe(false)
  // Sums of a whole day go when that day has ended, also where its rows are gone.
  await database.write((tx) => tx.deleteFrom('call_rows').execute())
  expect(await anyExpired(database, before(END + DAY))).toBe(true)
})

it('a task that fails says why, and the next one runs', async () => {
  const database = await aDatabase()
  const upkeep = upkeepOf(database)
  await withRows(database, 10)
  await database.write((tx) => tx.schema.alterTable('call_series').renameTo('elsewhere').execute())
  await expect(upkeep.do('rollUp', { lastId: 10 })).rejects.toThrow('call_series')
  await database.write((tx) => tx.schema.alterTable('elsewhere').renameTo('call_series').execute())
  await upkeep.do('rollUp', { lastId: 10 })
  expect(await rolledTo(database)).toBe(10)
})

it('a task that is cut off by the end leaves sums that are exact, and is finished by the next start', async () => {
  const database = await aDatabase()
  await withRows(database, 9_000)
  const { calls } = await OF_CALLS.summary(database.query, everything)
  const first = createUpkeep(database)
  const cut = first.do('rollUp', { lastId: 9_000 })
  while ((await rolledTo(database)) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await first.close()
  await cut
  expect((await OF_CALLS.summary(database.query, everything)).calls).toBe(calls)
  await upkeepOf(database).do('rollUp', { lastId: 9_000 })
  expect(await rolledTo(database)).toBe(9_000)
  expect((await OF_CALLS.summary(database.query, everything)).calls).toBe(calls)
})
