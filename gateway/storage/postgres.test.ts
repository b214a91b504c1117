// What the engines promise alike, on a real server, and what only a server can do.
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { appendAudit } from '../audit-log/chain.ts'
import { verifyAudit } from '../audit-log/verify.ts'
import { insertionOf } from './batch.ts'
import { aConsumer, aFolder, keysOf, optionsFor, USED } from './database.fixture.ts'
import { AUDIT_CHAIN, type Database } from './database.ts'
import { acquireLease, releaseLease, renewLease, requireLease } from './lease.ts'
import { contains } from './like.ts'
import { OLDEST } from './migrate.ts'
import { hasPostgres, postgresHere, usePostgres } from './postgres.fixture.ts'
import { openPostgres } from './postgres.ts'
import type { Tx } from './schema.ts'

const address = usePostgres()
const META = insertionOf('meta', ['key', 'value'])
const TRAFFIC = [
  'request_id',
  'at_ms',
  'principal',
  'client',
  'tool',
  'called_as',
  'is_error',
  'args_redacted',
  'preview_truncated',
  'outcome',
  'duration_ms',
] as const

async function opened(url: string, more: object = {}): Promise<Database> {
  const database = await openPostgres({ ...optionsFor(':memory:'), dataDir: aFolder(), url, poolMax: 3, ...more })
  onTestFinished(() => database.close())
  return database
}
const aDatabase = async () => opened(await address('migrated'))
const put = (tx: Tx, key: string) => tx.insertInto('meta').values({ key, value: key }).execute()

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

  it('rolls back what throws, hides an open write, and writes all of a burst or nothing', async () => {
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
    await database.burst([{ insertion: META, rows: [['beside', '1']] }])
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

  it('runs a query that was not awaited inside its own transaction or not at all', async () => {
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

  it('has one writer of the audit chain at a time in all processes that share it [ct.13.1.shared]', async () => {
    const url = await address()
    const [one, other] = [await opened(url), await opened(url)]
    const event = (at: number) =>
      ({ actor: 'system', action: 'system.start', target: `n${at}`, detail: { at }, at }) as const
    await Promise.all(
      Array.from({ length: 40 }, (_none, at) =>
        (at % 2 ? one : other).write((tx) => appendAudit(tx, event(at)), AUDIT_CHAIN),
      ),
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

  it('reports why a commit failed, not what came of it, and goes on', async () => {
    const url = await address()
    const [database, other] = [await opened(url), await opened(url)]
    const broken = database.write(async (tx) => {
      await sql`create table later (id int unique deferrable initially deferred)`.execute(tx)
      await sql`insert into later values (1), (1)`.execute(tx)
    })
    await expect(broken).rejects.toThrow(/later_id_key/)
    const cut = database.write(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other.query)
    })
    await expect(cut).rejects.toMatchObject({ name: 'StorageError', reason: 'away' })
    await database.write((tx) => put(tx, 'b'))
    expect(await keysOf(database)).toEqual(['b'])
  })

  it('repeats a write that had to give way to another', async () => {
    const url = await address()
    const [one, other] = [await opened(url), await opened(url)]
    await one.write(async (tx) => {
      for (const key of ['a', 'b']) await put(tx, key)
    })
    const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    let runs = 0
    const crossing = (on: Database, [mine, theirs]: readonly [number, number], keys: readonly string[]) =>
      on.write(async (tx) => {
        runs += 1
        for (const key of keys) {
          await tx
            .updateTable('meta')
            .set({ value: `${mine}` })
            .where('key', '=', key)
            .execute()
          met[mine]?.resolve()
          await met[theirs]?.promise
        }
      })
    await Promise.all([crossing(one, [0, 1], ['a', 'b']), crossing(other, [1, 0], ['b', 'a'])])
    // One is chosen by the server and repeated; on a busy one, that may happen twice.
    expect(runs).toBeGreaterThan(2)
    const values = await one.query.selectFrom('meta').select('value').distinct().where('key', '!=', OLDEST).execute()
    expect(values).toHaveLength(1)
  })

  it('keeps every row of bursts that count for the same consumers in any order', async () => {
    const url = await address()
    const instances = [await opened(url), await opened(url)]
    const consumers: number[] = []
    for (let at = 0; at < 20; at++) consumers.push(await aConsumer(instances[0] as Database, `c${at}`))
    const bursts = Array.from({ length: 60 }, (_none, at) => {
      const mixed = consumers.toSorted((one, other) => ((one * 7 + at) % 20) - ((other * 7 + at) % 20))
      return (instances[at % 2] as Database).burst([
        { insertion: META, rows: [[`burst ${at}`, '']] },
        { addition: USED, rows: mixed.map((id) => [id, '2026-11', 1]) },
      ])
    })
    await Promise.all(bursts)
    const { query } = instances[0] as Database
    expect(await keysOf({ query })).toHaveLength(60)
    const used = await query.selectFrom('consumer_usage').select('used').distinct().execute()
    expect(used).toEqual([{ used: 60 }])
  })

  it('writes a burst once, however often it is repeated, also while the first attempt is under way', async () => {
    const url = await address()
    const [one, other] = [await opened(url), await opened(url)]
    const consumer = await aConsumer(one, 'c')
    const burst = (on: Database, number: number) =>
      on.burst(
        [
          {
            insertion: insertionOf('traffic', TRAFFIC, { ids: true }),
            rows: [[`r${number}`, 1, '', 'n', 't', 't', 0, 0, 0, 'ok', 1]],
          },
          { addition: USED, rows: [[consumer, '2026-11', 1]] },
        ],
        { writer: 'w', burst: number },
      )
    const answers = await Promise.all([burst(one, 1), burst(other, 1), burst(one, 1), burst(other, 1)])
    expect(answers.flat()).toHaveLength(1)
    expect(await burst(other, 1)).toEqual([])
    expect(await burst(one, 2)).toHaveLength(1)
    const kept = await one.query.selectFrom('traffic').select('request_id').orderBy('id').execute()
    expect(kept.map(({ request_id }) => request_id)).toEqual(['r1', 'r2'])
    expect(await one.query.selectFrom('consumer_usage').select('used').execute()).toEqual([{ used: 2 }])
  })

  it('waits for the lock of a client that froze in its transaction, and for no longer than the server lets it idle', async () => {
    const url = await address()
    const [frozen, other] = [await opened(url), await opened(url)]
    const begun = Promise.withResolvers<void>()
    const thawed = Promise.withResolvers<void>()
    const held = frozen.write(async (tx) => {
      await put(tx, 'frozen')
      begun.resolve()
      await thawed.promise
      await put(tx, 'late')
    }, AUDIT_CHAIN)
    await begun.promise
    const [lease] = await Promise.all([
      acquireLease(other, { name: 'leader', holder: 'other', durationMs: 1_000 }, 0),
      other.burst([{ insertion: META, rows: [['burst', '']] }]),
      other.write((tx) => put(tx, 'beside')),
    ])
    expect(lease).toMatchObject({ token: 1 })
    // Still held: nothing above waited for it.
    expect((await sql`select 1 from pg_locks where locktype = 'advisory'`.execute(other.query)).rows).toHaveLength(1)
    await other.write((tx) => put(tx, 'after'), AUDIT_CHAIN)
    thawed.resolve()
    await expect(held).rejects.toMatchObject({ reason: expect.stringMatching(/busy|away/) })
    expect(await keysOf(other)).toEqual(['after', 'beside', 'burst'])
  })

  it('fences a leader that froze between its look at the lease and its commit (security case ST-08)', async () => {
    const url = await address()
    const [frozen, other] = [await opened(url), await opened(url)]
    const lease = { name: 'leader', durationMs: 1_000 }
    const old = await acquireLease(frozen, { ...lease, holder: 'frozen' }, 0)
    if (!old) throw new Error('the first takes it')
    const looked = Promise.withResolvers<void>()
    const thawed = Promise.withResolvers<void>()
    const late = frozen.write(async (tx) => {
      await requireLease(tx, old, 999)
      looked.resolve()
      await thawed.promise
      await put(tx, 'late')
    })
    await looked.promise
    // Not before the transaction that looked at it is over, one way or the other.
    const next = await acquireLease(other, { ...lease, holder: 'other' }, 1_001)
    expect(next).toMatchObject({ holder: 'other', token: 2 })
    thawed.resolve()
    await expect(late).rejects.toMatchObject({ name: 'StorageError' })
    expect(await keysOf(other)).toEqual([])
    // And the other way: one that commits in time keeps the lease from passing on until it has.
    if (!next) throw new Error('the other takes it')
    const order: string[] = []
    const inTime = other.write(async (tx) => {
      await requireLease(tx, next, 1_500)
      order.push('looked')
      await pause(500)
      await put(tx, 'in time')
      order.push('wrote')
    })
    await vi.waitFor(() => expect(order).toEqual(['looked']))
    await acquireLease(frozen, { ...lease, holder: 'frozen' }, 3_000).then(() => order.push('acquired'))
    await inTime
    expect(order).toEqual(['looked', 'wrote', 'acquired'])
  })

  it.each(['repeatable read', 'serializable'])(
    'keeps the audit chain whole, and refuses no write, where the isolation of the database is %s',
    async (isolation) => {
      const url = await address()
      await (await opened(url)).write((tx) =>
        sql
          .raw(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_isolation = '${isolation}'`)
          .execute(tx),
      )
      const [one, other] = [await opened(url), await opened(url)]
      await Promise.all(
        Array.from({ length: 40 }, (_none, at) =>
          (at % 2 ? one : other).write(
            (tx) => appendAudit(tx, { actor: 'system', action: 'system.start', target: `n${at}`, detail: {}, at }),
            AUDIT_CHAIN,
          ),
        ),
      )
      expect(await verifyAudit(one, Date)).toMatchObject({ valid: true, checked: 40 })
    },
  )

  it('migrates a table that is read for long, and lets other statements pass while it waits', async () => {
    const url = await address()
    const old = await opened(url)
    const read = Promise.withResolvers<void>()
    const reader = { isDone: false }
    // As a dump of the server reads it.
    const dump = old.write(async (tx) => {
      await tx.selectFrom('meta').selectAll().execute()
      read.resolve()
      while (!reader.isDone) {
        await sql`select 1`.execute(tx)
        await pause(200)
      }
    })
    await read.promise
    let ended = false
    const upgraded = opened(url, {
      migrations: [
        {
          version: old.version + 1,
          name: 'more',
          up: (schema: Tx['schema']) => schema.alterTable('meta').addColumn('more', 'text').execute(),
        },
      ],
    }).then((database) => {
      ended = true
      return database
    })
    // The migration waits for the table by now, and everything after it would wait behind it.
    await vi.waitFor(async () =>
      expect((await sql`select 1 from pg_locks where not granted`.execute(old.query)).rows).toHaveLength(1),
    )
    await old.write((tx) => put(tx, 'passed'))
    expect(ended).toBe(false)
    reader.isDone = true
    await dump
    expect((await upgraded).version).toBe(old.version + 1)
    expect(await keysOf(old)).toEqual(['passed'])
  })

  it('ends a statement that takes too long, and gives its connection back', async () => {
    const database = await opened(await address(), { statementMs: 300, poolMax: 1 })
    const slow = sql`select pg_sleep(60)`.execute(database.query)
    await expect(slow).rejects.toMatchObject({ reason: 'busy', message: expect.stringMatching(/STATEMENT_TIMEOUT/) })
    expect(await keysOf(database)).toEqual([])
    expect(await database.ping()).toBe(true)
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
      database.query
        .selectFrom('meta')
        .select('key')
        .where('key', '!=', OLDEST)
        .where(contains('key', q))
        .orderBy('key')
        .execute()
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
