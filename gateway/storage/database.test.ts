import { chmodSync, existsSync, readdirSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { insertionOf } from './batch.ts'
import { requireSqlite } from './connection.ts'
import { aConsumer, aDatabase, aFolder, keysOf, optionsFor, USED } from './database.fixture.ts'
import { type Database, openDatabase } from './database.ts'
import { OLDEST } from './migrate.ts'
import type { Tx } from './schema.ts'

const META = insertionOf('meta', ['key', 'value'])
const put = (tx: Tx, key: string) => tx.insertInto('meta').values({ key, value: key }).execute()
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)

/** A write that stays open until the test ends it. */
async function anOpenWrite(database: Database, key: string) {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const done = database.write(async (tx) => {
    await put(tx, key)
    begun.resolve()
    await end.promise
  })
  await begun.promise
  return { done, end: end.resolve, fail: () => end.reject(new Error('changed my mind')) }
}

const places = { file: () => join(aFolder(), 'gantry.db'), memory: () => ':memory:' }

describe.each(Object.entries(places))('a database in %s', (_name, place) => {
  it('refuses to change rows through query', async () => {
    const { query } = await aDatabase(place())
    const insert = query.insertInto('meta').values({ key: 'a', value: 'b' })
    await expect(insert.execute()).rejects.toThrow('reads only')
    await expect(query.transaction().execute((tx) => put(tx, 'a'))).rejects.toThrow('reads only')
  })

  it('refuses to wait for itself: query, write, burst and backup inside a write', async () => {
    const database = await aDatabase(place())
    const inside: (() => Promise<unknown>)[] = [
      () => database.meta.get('a'),
      () => database.write((tx) => put(tx, 'a')),
      () => database.burst([]),
      () => database.backup(join(aFolder(), 'copy')),
      () => database.close(),
    ]
    for (const attempt of inside) await expect(database.write(attempt)).rejects.toThrow('inside a write')
    expect(await keysOf(database)).toEqual([])
  })

  it('allows all of them again once the write is over, also for what it started', async () => {
    const database = await aDatabase(place())
    let later: (() => Promise<unknown>) | undefined
    const released = Promise.withResolvers<void>()
    await database.write(async (tx) => {
      await put(tx, 'a')
      const read = released.promise.then(() => keysOf(database))
      later = () => read
    })
    released.resolve()
    expect(await later?.()).toEqual(['a'])
  })

  it('rolls a write back when it throws, and goes on', async () => {
    const database = await aDatabase(place())
    const failing = database.write(async (tx) => {
      await put(tx, 'a')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await database.write((tx) => put(tx, 'b'))
    expect(await keysOf(database)).toEqual(['b'])
  })

  it('reports why a commit failed, not what came of it, and goes on', async () => {
    const database = await aDatabase(place())
    const broken = database.write(async (tx) => {
      await sql`pragma defer_foreign_keys = on`.execute(tx)
      await tx.insertInto('consumer_usage').values({ consumer_id: 9, period: '2026-11', used: 1 }).execute()
    })
    await expect(broken).rejects.toThrow('FOREIGN KEY constraint failed')
    await database.write((tx) => put(tx, 'b'))
    expect(await keysOf(database)).toEqual(['b'])
  })

  it('writes all of a burst or nothing of it', async () => {
    const database = await aDatabase(place())
    const [kept, gone] = [await aConsumer(database, 'kept'), 1_000_000]
    await database.burst([
      { insertion: META, rows: ['a', 'b'].map((key, at) => [key, `${at + 1}`]) },
      {
        addition: USED,
        rows: [
          [kept, '2026-11', 3],
          [gone, '2026-11', 1],
        ],
      },
    ])
    expect([await database.meta.get('a'), await database.meta.get('b')]).toEqual(['1', '2'])
    const twice = database.burst([
      { addition: USED, rows: [[kept, '2026-11', 4]] },
      { insertion: META, rows: ['c', 'b'].map((key) => [key, '']) },
    ])
    await expect(twice).rejects.toThrow(/unique/i)
    expect(await keysOf(database)).toEqual(['a', 'b'])
    await database.burst([{ addition: USED, rows: [[kept, '2026-11', 2]] }])
    const used = await database.query.selectFrom('consumer_usage').selectAll().execute()
    expect(used).toEqual([{ consumer_id: kept, period: '2026-11', used: 5 }])
    expect(await database.burst([])).toEqual([])
  })

  it('gives each row its own id and values where several are inserted in one statement', async () => {
    const database = await aDatabase(place())
    const columns = ['principal', 'surface', 'status_class', 'called_as', 'attempts', 'tool'] as const
    const own = ['request_id', 'at_ms', 'outcome', 'duration_ms', 'request_bytes', 'response_bytes'] as const
    const kinds = { table: 'call_kinds', reference: 'kind_id', at: 'at_ms' } as const
    const insertion = insertionOf('call_rows', [...columns, ...own], { ids: true, own: own.length, kinds })
    // Groups of one, of many and of more than a statement takes; what is beyond the columns is left out.
    const tools = ['a', ...Array<string>(30).fill('b'), 'c', 'b', 'b', 'd']
    const rows = tools.map((tool, at) => [
      'p',
      'shard',
      '2xx',
      tool,
      1,
      tool,
      `r${at}`,
      at,
      'success',
      1,
      2,
      3,
      'beyond',
    ])
    const ids = await database.burst([{ insertion, rows }])
    const stored = await database.query.selectFrom('calls').select(['id', 'request_id', 'tool', 'at_ms']).execute()
    expect(new Map(stored.map(({ id, ...row }) => [id, row]))).toEqual(
      new Map(tools.map((tool, at) => [ids[at], { request_id: `r${at}`, tool, at_ms: at }])),
    )
  })

  it('never rolls a burst back together with an open write', async () => {
    const database = await aDatabase(place())
    const open = await anOpenWrite(database, 'mine')
    const burst = database.burst([{ insertion: META, rows: [['burst', '']] }])
    open.fail()
    await expect(open.done).rejects.toThrow('changed my mind')
    await burst
    expect(await keysOf(database)).toEqual(['burst'])
  })

  it('never shows rows of an open write to a reader', async () => {
    const database = await aDatabase(place())
    const open = await anOpenWrite(database, 'mine')
    const reading = keysOf(database)
    open.fail()
    await expect(open.done).rejects.toThrow('changed my mind')
    expect(await reading).toEqual([])
  })

  it('runs writers one after another, in the order they came', async () => {
    const database = await aDatabase(place())
    const seen: number[] = []
    await Promise.all(
      Array.from({ length: 20 }, (_, turn) =>
        database.write(async (tx) => {
          await put(tx, `${turn}`)
          seen.push(turn)
        }),
      ),
    )
    expect(seen).toEqual(Array.from({ length: 20 }, (_, turn) => turn))
  })

  it('lets the event loop turn between the writes of a loop', async () => {
    const database = await aDatabase(place())
    let turns = 0
    const turning = setInterval(() => turns++, 0)
    for (let round = 0; round < 200; round++) await database.meta.set('round', `${round}`)
    clearInterval(turning)
    expect(turns).toBeGreaterThan(0)
  })

  it('runs a query that was not awaited inside its own transaction or not at all', async () => {
    const database = await aDatabase(place())
    const outcomes = new Set<boolean>()
    for (let delay = 0; delay < 12; delay++) {
      let stray: Promise<boolean> | undefined
      const late = async (tx: Tx) => {
        for (let tick = 0; tick < delay; tick++) await Promise.resolve()
        await put(tx, `${delay}`)
      }
      await database.write(async (tx) => {
        stray = late(tx).then(
          () => true,
          () => false,
        )
      })
      const ran = (await stray) ?? false
      outcomes.add(ran)
      expect((await keysOf(database)).includes(`${delay}`)).toBe(ran)
    }
    expect(outcomes).toEqual(new Set([true, false]))
  })

  it('refuses everything once closed, and closes twice without complaint', async () => {
    const database = await openDatabase(optionsFor(place()))
    await database.close()
    await database.close()
    await expect(database.write((tx) => put(tx, 'a'))).rejects.toMatchObject({ reason: 'closed' })
    await expect(database.burst([])).rejects.toMatchObject({ reason: 'closed' })
    await expect(database.meta.get('a')).rejects.toMatchObject({ reason: 'closed' })
    expect(await database.ping()).toBe(false)
  })

  it('keeps small facts in meta', async () => {
    const database = await aDatabase(place())
    expect(await database.meta.get('colour')).toBeUndefined()
    await database.meta.set('colour', 'red')
    await database.write(async (tx) => {
      await database.meta.set('colour', 'blue', tx)
      expect(await database.meta.get('colour', tx)).toBe('blue')
    })
    expect(await database.meta.get('colour')).toBe('blue')
  })

  it('copies itself privately while a write is open, without its rows, and never over another file (security case ST-09)', async () => {
    const database = await aDatabase(place())
    await database.meta.set('kept', 'yes')
    const copy = join(aFolder(), 'copy.db')
    const open = await anOpenWrite(database, 'mine')
    const copying = database.backup(copy)
    open.fail()
    await expect(open.done).rejects.toThrow()
    await copying
    expect(modeOf(copy)).toBe('600')
    await expect(database.backup(copy)).rejects.toMatchObject({ reason: 'backup' })
    const raw = new BetterSqlite3(copy)
    onTestFinished(() => void raw.close())
    expect(raw.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(raw.prepare('select key from meta where key != ?').pluck().all(OLDEST)).toEqual(['kept'])
  })

  it('copies itself through a file, never through serialize(): Electron allows no such buffer', async () => {
    const serialize = vi.spyOn(BetterSqlite3.prototype, 'serialize')
    onTestFinished(() => serialize.mockRestore())
    const database = await aDatabase(place())
    await database.backup(join(aFolder(), 'copy.db'))
    expect(serialize).not.toHaveBeenCalled()
  })

  it('stops copying itself when aborted, and leaves nothing', async () => {
    const database = await aDatabase(place())
    const folder = aFolder()
    await expect(database.backup(join(folder, 'copy.db'), AbortSignal.abort())).rejects.toMatchObject({
      reason: 'backup',
    })
    expect(readdirSync(folder)).toEqual([])
    await database.meta.set('after', 'yes')
  })
})

describe('a database file', () => {
  it('is refused by a SQLite that can corrupt it (security case ST-01)', () => {
    for (const old of ['3.7.0', '3.9.2', '3.51.2']) expect(() => requireSqlite(old)).toThrow(old)
    for (const good of ['3.51.3', '3.51.10', '3.100.0', '4.0']) expect(() => requireSqlite(good)).not.toThrow()
  })

  it('is read while a write is open', async () => {
    const database = await aDatabase()
    const open = await anOpenWrite(database, 'mine')
    expect(await keysOf(database)).toEqual([])
    open.end()
    await open.done
    expect(await keysOf(database)).toEqual(['mine'])
  })

  it.each([0o000, 0o022])('is private with umask %o, and so is its folder (security case ST-10)', async (umask) => {
    const before = process.umask(umask)
    onTestFinished(() => void process.umask(before))
    const folder = join(aFolder(), 'deep', 'data')
    const database = await aDatabase(join(folder, 'gantry.db'))
    await database.meta.set('a', 'b')
    await database.backup(join(folder, 'copy.db'))
    const files = readdirSync(folder)
    expect(files).toEqual(expect.arrayContaining(['gantry.db', 'gantry.db-wal', 'gantry.db-shm', 'copy.db']))
    expect(files.map((file) => modeOf(join(folder, file)))).toEqual(files.map(() => '600'))
    expect([modeOf(folder), modeOf(dirname(folder))]).toEqual(['700', '700'])
  })

  it('is made private when it was not, and a folder that was there is left alone', async () => {
    const folder = aFolder()
    const path = join(folder, 'gantry.db')
    await (await openDatabase(optionsFor(path))).close()
    chmodSync(path, 0o644)
    chmodSync(folder, 0o755)
    await aDatabase(path)
    expect([modeOf(path), modeOf(folder)]).toEqual(['600', '755'])
  })

  it('stops answering ping when it was deleted or replaced', async () => {
    const database = await aDatabase()
    expect(await database.ping()).toBe(true)
    renameSync(database.path, `${database.path}.moved`)
    expect(await database.ping()).toBe(false)
    await (await openDatabase(optionsFor(join(aFolder(), 'other.db')))).backup(database.path)
    expect(await database.ping()).toBe(false)
    unlinkSync(database.path)
  })

  it('leaves no log files behind after a clean close', async () => {
    const database = await openDatabase(optionsFor(join(aFolder(), 'gantry.db')))
    await database.meta.set('a', 'b')
    await database.close()
    expect(existsSync(`${database.path}-wal`)).toBe(false)
    const again = await aDatabase(database.path)
    expect(await again.meta.get('a')).toBe('b')
  })

  it('waits for another connection that holds the write lock, without stopping the event loop', async () => {
    const database = await aDatabase()
    const other = new BetterSqlite3(database.path)
    onTestFinished(() => void other.close())
    other.exec('BEGIN IMMEDIATE')
    let ticks = 0
    const ticking = setInterval(() => {
      if (++ticks === 10) other.exec('COMMIT')
    }, 5)
    await database.meta.set('a', 'b')
    clearInterval(ticking)
    expect(ticks).toBeGreaterThanOrEqual(10)
  })
})
