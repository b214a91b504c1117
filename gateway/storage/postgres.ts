// The same database on a PostgreSQL server. One writer at a time in all processes that share it, as with a file: what is
// read inside a `write` stays so until it is over.
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Batch } from './batch.ts'
import type { Database, DatabaseOptions } from './database.ts'
import { metaOf } from './meta.ts'
import { migrate, newerSchema } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { createMutex } from './mutex.ts'
import { kyselyOf, poolOf, storable } from './postgres-dialect.ts'
import { explainServer } from './postgres-error.ts'
import type { Query } from './schema.ts'
import { createScope } from './scope.ts'
import { StorageError } from './storage-error.ts'

type Options = Pick<DatabaseOptions, 'appVersion' | 'strict' | 'log' | 'clock' | 'migrations'> & {
  /** For what is kept outside it; null where nothing is. */
  readonly dataDir: string | null
  readonly url: string
  readonly poolMax: number
}

/** Of all locks of a server, the one our writers take: "Gantry" on the keys of a telephone. */
const WRITERS = 426_879
const CONNECT_MS = 10_000
/** What one message to the server may hold. */
const MOST_VALUES = 65_535

export async function openPostgres(options: Options): Promise<Database> {
  const { url, dataDir, appVersion, strict, log, clock, migrations = MIGRATIONS } = options
  const path = withoutPassword(url)
  const latest = migrations.at(-1)?.version ?? 0
  if (dataDir !== null) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const pool = poolOf(options, CONNECT_MS)
  // A connection that breaks while nobody uses it: the pool makes another.
  pool.on('error', (error) => log.warn('a connection to the database was lost', { error }))
  const database = connect(pool, path, dataDir === null ? null : join(dataDir, nameOf(path)))
  try {
    const found = await foundIn(database.query)
    const tooNew = newerSchema(found, latest, appVersion)
    if (tooNew && strict) throw tooNew
    if (tooNew) log.warn(tooNew.message, { schema: latest })
    const ahead = migrations.filter(({ version }) => version > found.version)
    const { write } = database
    await migrate({ write, engine: 'postgres', appVersion, now: () => clock.now(), migrations: ahead })
    return { ...database, version: Math.max(found.version, latest), migratedFrom: found.version }
  } catch (error) {
    await database.close()
    throw error
  }
}

function withoutPassword(url: string): string {
  const told = new URL(url)
  told.password = ''
  told.search = ''
  return told.href
}

async function foundIn(query: Query): Promise<{ readonly version: number; readonly appVersion: string }> {
  const { there } = await query
    .selectNoFrom(sql<boolean>`to_regclass('schema_version') is not null`.as('there'))
    .executeTakeFirstOrThrow()
  if (!there) return { version: 0, appVersion: '' }
  const newest = await query.selectFrom('schema_version').selectAll().orderBy('version', 'desc').limit(1).execute()
  return { version: newest[0]?.version ?? 0, appVersion: newest[0]?.app_version ?? '' }
}

/** A folder may serve several databases, one after another. */
const nameOf = (path: string): string => `postgres-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`

function connect(pool: pg.Pool, path: string, beside: string | null): Database {
  const scope = createScope(path)
  const { check } = scope
  const mutex = createMutex()
  const explain = (error: unknown): unknown => explainServer(error, path)
  const query = kyselyOf(pool, { writes: false, enter: () => check('query'), explain })
  const writes = kyselyOf(pool, { writes: true, enter: () => undefined, explain })

  const write: Database['write'] = async (work) => {
    check('write')
    // One connection for all writers of this process: the others are for who reads.
    const leave = await mutex.take()
    try {
      return await scope.inside(() =>
        writes.transaction().execute(async (tx) => {
          await sql`select pg_advisory_xact_lock(${WRITERS})`.execute(tx)
          return work(tx)
        }),
      )
    } finally {
      leave()
    }
  }

  return {
    query,
    write,
    async burst(batches) {
      check('burst')
      return batches.length === 0 ? [] : burst(pool, batches, explain)
    },
    version: 0,
    migratedFrom: 0,
    path,
    file: null,
    beside,
    async ping() {
      try {
        await query.selectFrom('schema_version').select('version').limit(1).execute()
        return true
      } catch {
        // Whatever the reason, the answer to "does it answer?" is no.
        return false
      }
    },
    async backup() {
      throw new StorageError(
        'elsewhere',
        `The database ${path} is copied by its own server, for instance with pg_dump.`,
      )
    },
    meta: metaOf({ query, write }),
    async close() {
      if (scope.close()) await pool.end()
    },
  }
}

async function burst(
  pool: pg.Pool,
  [first, ...more]: readonly Batch[],
  explain: (error: unknown) => unknown,
): Promise<readonly number[]> {
  try {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      await client.query('BEGIN')
      const ids = first === undefined ? [] : await run(client, first)
      for (const batch of more) await run(client, batch)
      await client.query('COMMIT')
      return ids
    } catch (error) {
      await client.query('ROLLBACK').catch((lost: Error) => {
        broken = lost
      })
      throw error
    } finally {
      client.release(broken)
    }
  } catch (error) {
    throw explain(error)
  }
}

async function run(client: pg.PoolClient, batch: Batch): Promise<number[]> {
  if ('sql' in batch) {
    const numbered = withNumbers(batch.sql)
    for (const row of batch.rows) await client.query(numbered, row.map(storable))
    return []
  }
  const { table, columns, ids: wanted } = batch.insertion
  const most = Math.floor(MOST_VALUES / columns.length)
  const ids: number[] = []
  for (let from = 0; from < batch.rows.length; from += most) {
    const rows = batch.rows.slice(from, from + most)
    const values = rows.map((_row, at) => `(${columns.map((_column, of) => `$${at * columns.length + of + 1}`)})`)
    const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values.join(', ')}${wanted ? ' RETURNING id' : ''}`
    const answer = await client.query<{ id: number }>(text, rows.flat().map(storable))
    for (const { id } of answer.rows) ids.push(id)
  }
  return ids
}

/** `?` is how both write a place, `$1` how the server reads it. */
function withNumbers(text: string): string {
  let at = 0
  return text.replaceAll('?', () => `$${++at}`)
}
