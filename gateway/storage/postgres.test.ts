// What the engines promise alike, on a real server, and what only a server can do.
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { appendAudit } from '../audit-log/chain.ts'
import { verifyAudit } from '../audit-log/verify.ts'
import { insertionOf } from './batch.ts'
import { aFolder, optionsFor } from './database.fixture.ts'
import type { Database } from './database.ts'
import { acquireLease, releaseLease, renewLease } from './lease.ts'
import { contains } from './like.ts'
import { hasPostgres, postgresHere, usePostgres } from './postgres.fixture.ts'
import { openPostgres } from './postgres.ts'
import type { Tx } from './schema.ts'

const address = usePostgres()
const META = insertionOf('meta', ['key', 'value'])

async function opened(url: string, more: object = {}): Promise<Database> {
  const database = await openPostgres({ ...optionsFor(':memory:'), dataDir: aFolder(), url, poolMax: 3, ...more })
  onTestFinished(() => database.close())
  return database
}
const aDatabase = async () => opened(await address())
const put = (tx: Tx, key: string) => tx.insertInto('meta').values({ key, value: key }).execute()
const keysOf = async ({ query }: Database) =>
  (await query.selectFrom('meta').select('key').orderBy('key').execute()).map(({ key }) => key)

describe.skipIf(!hasPostgres)(`a database on PostgreSQL (${postgresHere})`, () => {
  it('has the same schema as a file, and is migrated once, however many start at the same moment', async () => {
    const url = await address()
    const all = await Promise.all([opened(url), opened(url), opened(url)])
    const [first] = all
    expect(all.map(({ version }) => version)).toEqual(all.map(() => first?.version))
    const rows = await first?.query.selectFrom('schema_version').select('version').orderBy('version').execute()
    expect(rows?.map(({ version }) => version)).toEqual(Array.from({ length: first?.version ?? 0 }, (_n, at) => at + 1))
    expect((await opened(url)).migratedFrom).toBe(first?.version)
  })

  it('refuses to change rows through query, and to wait for itself inside a write', async () => {
    const database = await aDatabase()
    await expect(database.query.insertInto('meta').values({ key: 'a', value: 'b' }).execute()).rejects.toThrow(
      'reads only',
    )
    await expect(database.query.transaction().execute((tx) => put(tx, 'a'))).rejects.toThrow('reads only')
    for (const attempt of [
      () => database.meta.get('a'),
      () => database.write((tx) => put(tx, 'a')),
      () => database.burst([]),
    ])
      await expect(database.write<unknown>(attempt)).rejects.toThrow('inside a write')
    expect(await keysOf(database)).toEqual([])
  })

  it('rolls back what throws, shows nobody an open write, and writes all of a burst or nothing', async () => {
    const database = await aDatabase()
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const open = database.write(async (tx) => {
      await put(tx, 'mine')
      begun.resolve()
      await end.promise
    })
    await begun.promise
    expect(await keysOf(database)).toEqual([])
    await database.burst([
      { insertion: META, rows: [['beside', '']] },
      { sql: 'update meta set value = ? where key = ?', rows: [['1', 'beside']] },
    ])
    end.reject(new Error('changed my mind'))
    await expect(open).rejects.toThrow('changed my mind')
    const twice = database.burst([
      {
        insertion: META,
        rows: [
          ['c', ''],
          ['beside', ''],
        ],
      },
    ])
    await expect(twice).rejects.toThrow(/unique/)
    expect(await keysOf(database)).toEqual(['beside'])
    expect(await database.meta.get('beside')).toBe('1')
  })

  it('runs a query nobody awaited inside its own transaction or not at all', async () => {
    const database = await aDatabase()
    let stray: Promise<unknown> | undefined
    const released = Promise.withResolvers<void>()
    await database.write(async (tx) => {
      await put(tx, 'a')
      stray = released.promise.then(() => put(tx, 'b'))
    })
    released.resolve()
    await expect(stray).rejects.toThrow(/has ended|already committed/)
    expect(await keysOf(database)).toEqual(['a'])
  })

  it('has one writer at a time in all processes that share it [ct.13.1.shared]', async () => {
    const url = await address()
    const [one, other] = [await opened(url), await opened(url)]
    const event = (at: number) =>
      ({ actor: 'system', action: 'system.start', target: `n${at}`, detail: { at }, at }) as const
    await Promise.all(
      Array.from({ length: 40 }, (_none, at) => (at % 2 ? one : other).write((tx) => appendAudit(tx, event(at)))),
    )
    const verdict = await verifyAudit(one, Date)
    expect(verdict).toMatchObject({ valid: true, checked: 40 })
    const lease = { name: 'leader', durationMs: 1_000 }
    const held = await acquireLease(one, { ...lease, holder: 'one' }, 0)
    expect(await acquireLease(other, { ...lease, holder: 'other' }, 500)).toBeUndefined()
    expect(await acquireLease(other, { ...lease, holder: 'other' }, 1_001)).toMatchObject({ token: 2 })
    if (!held) throw new Error('the first takes it')
    expect(await renewLease(one, held, 1_000, 1_002)).toBe(false)
    await releaseLease(one, held)
  })

  it('keeps hostile text and large numbers as they are, but for NUL, which it has no place for', async () => {
    const database = await aDatabase()
    const text = `'; drop table meta; -- $1 ? "\\ \u{1F6A7} \uD800`
    await database.meta.set('text', text)
    await database.meta.set('nul', 'a\0b')
    expect(await database.meta.get('text')).toBe(text.toWellFormed())
    expect(await database.meta.get('nul')).toBe('a\uFFFDb')
    await database.write((tx) =>
      appendAudit(tx, { actor: 'a\0', action: 'system.start', target: '\0', detail: { nul: '\0' }, at: 0 }),
    )
    expect(await verifyAudit(database, Date)).toMatchObject({ valid: true, checked: 1 })
    const lease = { name: 'n', holder: 'h', expires_at_ms: 9e15, token: 2 ** 40 }
    await database.write((tx) => tx.insertInto('leases').values(lease).execute())
    expect(await database.query.selectFrom('leases').selectAll().execute()).toEqual([lease])
  })

  it('loses what was under way when its connection breaks, and nothing else', async () => {
    const url = await address()
    const [database, other] = [await opened(url), await opened(url)]
    const broken = database.write(async (tx) => {
      await put(tx, 'a')
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
    })
    await expect(broken).rejects.toMatchObject({ reason: 'away' })
    const held = database.write(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other.query)
      await put(tx, 'b')
    })
    await expect(held).rejects.toThrow()
    await database.write((tx) => put(tx, 'c'))
    expect(await keysOf(database)).toEqual(['c'])
  })

  it('orders and finds text as SQLite does', async () => {
    const database = await aDatabase()
    const names = ['b', 'B', 'a', '_', 'Z', 'ä', '10', '9', '\u{1F6A7}', '\uFFFD', 'a b', 'a_b', 'a%']
    await database.write(async (tx) => {
      for (const name of names) await put(tx, name)
    })
    const bytes = names.toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)))
    expect(await keysOf(database)).toEqual(bytes)
    const found = (q: string) =>
      database.query.selectFrom('meta').select('key').where(contains('key', q)).orderBy('key').execute()
    expect((await found('A_B')).map(({ key }) => key)).toEqual(['a_b'])
    expect((await found('%')).map(({ key }) => key)).toEqual(['a%'])
  })

  it('says what to do when its server is away, does not know the user or the database, and after its end', async () => {
    const url = new URL(await address())
    const database = await opened(url.href)
    url.pathname = '/nowhere'
    await expect(opened(url.href)).rejects.toMatchObject({
      reason: 'lost',
      message: expect.stringMatching(/create it/),
    })
    url.port = '1'
    url.password = 'hunter2'
    const away = opened(url.href)
    await expect(away).rejects.toMatchObject({ reason: 'away', message: expect.stringMatching(/check DATABASE_URL/) })
    await expect(away).rejects.not.toThrow('hunter2')
    await expect(database.backup('/tmp/x')).rejects.toMatchObject({ reason: 'elsewhere' })
    await database.close()
    await database.close()
    await expect(database.meta.get('a')).rejects.toMatchObject({ reason: 'closed' })
    expect(await database.ping()).toBe(false)
  })
})
