// The same database on a PostgreSQL server. Writes run beside each other, unless they ask for a lock; every wait is bounded.
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { AUDIT_CHAIN, type Database, type DatabaseOptions, type Opened } from './database.ts'
import { metaOf } from './meta.ts'
import { admitSchema, type FoundSchema, migrate, OLDEST } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { createMutex } from './mutex.ts'
import { burstOn } from './postgres-burst.ts'
import { kyselyOf, poolOf } from './postgres-dialect.ts'
import { explainServer, gaveWay, waitedForLock } from './postgres-error.ts'
import {
  CLIENT_GRACE_MS,
  CONNECT_MS,
  MIGRATION_LIMITS,
  MIGRATION_MS,
  PING_MS,
  TABLE_LIMITS,
  TABLE_PAUSE_MS,
  type TimedQuery,
  WRITE_READ_MS,
} from './postgres-limits.ts'
import type { Query, Tx } from './schema.ts'
import { createScope } from './scope.ts'
import { StorageError } from './storage-error.ts'

type Options = Pick<DatabaseOptions, 'appVersion' | 'strict' | 'log' | 'clock' | 'migrations' | 'auditKeyFile'> & {
  /** For what is kept outside it; null where nothing is. */
  readonly dataDir: string | null
  readonly url: string
  readonly poolMax: number
  /** The server ends a statement that takes longer. */
  readonly statementMs?: number
}

/** Of all locks of a server, those our writers take: "Gantry" on the keys of a telephone. */
const WRITERS = 426_879
const STATEMENT_MS = 30_000
/** For the audit chain within this process; its lock in the server is waited for besides. */
const TURN_MS = 15_000
/** For a write that had to give way to another, which wakes up later on a busy server and must get its locks first. */
const ATTEMPTS = 3
const GIVE_WAY_MS = 20
/** Reads leave connections to writes and to call rows. */
const NOT_FOR_READS = 2

export async function openPostgres(options: Options): Promise<Database> {
  const { url, dataDir, appVersion, log, clock, migrations = MIGRATIONS } = options
  const path = withoutPassword(url)
  const latest = migrations.at(-1)?.version ?? 0
  if (dataDir !== null) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const { statementMs = STATEMENT_MS } = options
  const sharesWithThread = options.poolMax > NOT_FOR_READS
  const poolMax = sharesWithThread ? options.poolMax - 1 : options.poolMax
  const pool = poolOf({ url, poolMax, statementMs })
  // A connection that breaks while unused: the pool makes another.
  pool.on('error', (error) => log.warn('a connection to the database was lost', { error }))
  const { migrating, ...database } = connect(pool, path, dataDir === null ? null : join(dataDir, nameOf(path)), {
    poolMax,
    statementMs,
  })
  try {
    const found = await foundIn(database.query)
    admitSchema(found, { ...options, latest })
    const ahead = migrations.filter(({ version }) => version > found.version)
    await migrate({ write: migrating, engine: 'postgres', appVersion, clock, migrations: ahead })
    const version = Math.max(found.version, latest)
    const again = sharesWithThread ? { url, statementMs } : null
    return { ...database, again, version, migratedFrom: found.version, auditKeyFile: options.auditKeyFile ?? null }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** For a thread beside the one that called `openPostgres`. */
export function openServerAgain(url: string, statementMs: number): Opened {
  const pool = poolOf({ url, poolMax: 1, statementMs })
  pool.on('error', () => undefined) // the pool makes another connection
  return connect(pool, withoutPassword(url), null, { poolMax: 1, statementMs })
}

function withoutPassword(url: string): string {
  const received = new URL(url)
  received.password = ''
  received.search = ''
  return received.href
}

async function foundIn(query: Query): Promise<FoundSchema> {
  const { there } = await query
    .selectNoFrom(sql<boolean>`to_regclass('schema_version') is not null`.as('there'))
    .executeTakeFirstOrThrow()
  if (!there) return { version: 0, appVersion: '', oldest: 0 }
  const newest = await query.selectFrom('schema_version').selectAll().orderBy('version', 'desc').limit(1).execute()
  const oldest = await query.selectFrom('meta').select('value').where('key', '=', OLDEST).executeTakeFirst()
  return {
    version: newest[0]?.version ?? 0,
    appVersion: newest[0]?.app_version ?? '',
    oldest: Number(oldest?.value ?? 0),
  }
}

/** A folder may serve several databases, one after another. */
const nameOf = (path: string): string => `postgres-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`

/** PostgreSQL names a lock by two numbers. */
const numberOf = (lock: string): number => createHash('sha256').update(lock).digest().readInt32BE()

function connect(
  pool: pg.Pool,
  path: string,
  beside: string | null,
  { poolMax, statementMs }: { readonly poolMax: number; readonly statementMs: number },
): Database & { readonly migrating: Database['write'] } {
  const scope = createScope(path)
  const { check } = scope
  const chain = createMutex()
  const readers = createMutex(Math.max(1, poolMax - NOT_FOR_READS))
  const explain = (error: unknown): unknown => explainServer(error, path)
  const late = (): Error => new StorageError('busy', `The database ${path} has no connection free; try again`)
  const noTurn = async () => () => undefined
  const query = kyselyOf(pool, {
    writes: false,
    readTimeoutMs: statementMs + CLIENT_GRACE_MS,
    enter() {
      check('query')
      return readers.take(CONNECT_MS, late)
    },
    explain,
  })
  const lane = { writes: true, enter: noTurn, explain }
  const writes = kyselyOf(pool, { ...lane, readTimeoutMs: WRITE_READ_MS })
  const migrations = kyselyOf(pool, { ...lane, readTimeoutMs: MIGRATION_MS })
  const texts = new Map<string, string>()

  function transaction<T>(on: Query, work: (tx: Tx) => Promise<T>, lock: string | undefined, limits = ''): Promise<T> {
    return scope.inside(() =>
      on.transaction().execute(async (tx) => {
        if (limits !== '') await sql.raw(limits).execute(tx)
        if (lock !== undefined) await sql`select pg_advisory_xact_lock(${WRITERS}, ${numberOf(lock)})`.execute(tx)
        return work(tx)
      }),
    )
  }

  const write: Database['write'] = async (work, lock) => {
    check('write')
    // One connection for all who wait for the chain: the others are for who does not.
    const leave = lock === AUDIT_CHAIN ? await chain.take(TURN_MS, late) : undefined
    try {
      for (let attempt = 1; ; attempt++)
        try {
          return await transaction(writes, work, lock)
        } catch (error) {
          // What comes with an audit entry also changes what this process holds in memory, so it does not run twice.
          if (!gaveWay(error) || lock === AUDIT_CHAIN || attempt === ATTEMPTS) throw error
          await pause(GIVE_WAY_MS * attempt)
        }
    } finally {
      leave?.()
    }
  }

  const migrating: Database['write'] = async (work) => {
    const until = performance.now() + MIGRATION_MS
    for (;;)
      try {
        return await transaction(
          migrations,
          async (tx) => {
            await sql.raw(TABLE_LIMITS).execute(tx)
            return work(tx)
          },
          'migrations',
          MIGRATION_LIMITS,
        )
      } catch (error) {
        if (!waitedForLock(error) || performance.now() > until) throw error
        await pause(TABLE_PAUSE_MS)
      }
  }

  return {
    engine: 'postgres',
    query,
    write,
    migrating,
    async burst(batches, mark) {
      check('burst')
      if (batches.length === 0) return []
      return burstOn(pool, batches, mark, texts).catch((error: unknown) => {
        throw explain(error)
      })
    },
    version: 0,
    migratedFrom: 0,
    path,
    file: null,
    again: null,
    beside,
    auditKeyFile: null,
    async ping() {
      try {
        check('ping')
        return await answers(pool)
      } catch {
        // For every reason, the answer to "does it answer?" is no.
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
      // A connection whose server is frozen ends with the process.
      if (scope.close()) await Promise.race([pool.end(), pause(CONNECT_MS, undefined, { ref: false })])
    },
  }
}

async function answers(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect()
  let broken = true
  try {
    const query: TimedQuery = { text: 'select version from schema_version limit 1', query_timeout: PING_MS }
    await client.query(query)
    broken = false
    return true
  } finally {
    client.release(broken)
  }
}
