// The one database: reads on a connection of their own, writers one after another on a second. See README.md.

import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../telemetry/clock.ts'
import { copyFile, copyMemory } from './backup.ts'
import type { Batch, Mark } from './batch.ts'
import {
  beginImmediate,
  commit,
  keepPrivate,
  openReadOnly,
  openWriter,
  type Raw,
  rollBack,
  waitAsynchronously,
} from './connection.ts'
import { metaOf } from './meta.ts'
import { admitSchema, migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import type { Engine, Migration } from './migrations/migration.ts'
import { createMutex } from './mutex.ts'
import { dropUnborn, type Found, inspect, mark, markClosed } from './preflight.ts'
import type { Query, Tx } from './schema.ts'
import { createScope } from './scope.ts'
import { forgetKinds, markFirst, writeRows } from './sqlite-burst.ts'
import { kyselyOver } from './sqlite-dialect.ts'
import { explain } from './storage-error.ts'

/** The lock of every write that appends to the audit chain. */
export const AUDIT_CHAIN = 'audit chain'

export type Database = {
  readonly engine: Engine
  /** Reads committed rows only. Inside a `write`, read through its `tx`. */
  readonly query: Query
  /**
   * One transaction; rolled back when `work` throws. SQLite has one writer at a time. On PostgreSQL writes run beside
   * each other: those that name the same `lock` one after another, in all processes. `work` runs again after a deadlock,
   * but for `AUDIT_CHAIN`.
   */
  write<T>(work: (tx: Tx) => Promise<T>, lock?: string): Promise<T>
  /**
   * Rows written per call, all or none; answers the ids that the rows of the first batch were given, where it asks for
   * them and they were not written under this `mark` before.
   */
  burst(batches: readonly Batch[], mark?: Mark): Promise<readonly number[]>
  readonly version: number
  /** The schema that was found; 0 for a new database, `version` when nothing had to be done. */
  readonly migratedFrom: number
  /** As it is shown to people. */
  readonly path: string
  /** Where threads can open it for themselves; null where only this thread has it. */
  readonly file: string | null
  /** The same for threads that write. */
  readonly again: Again | null
  /** How the names of the files begin that are kept beside it; null where nothing is kept. */
  readonly beside: string | null
  /** Where the key lies that signs the head of the audit log; null where it lies beside the database. */
  readonly auditKeyFile: string | null
  /** False when the file no longer answers, was deleted or was replaced under us. */
  ping(): Promise<boolean>
  /** Nothing stays at `toPath` when the copy fails or `signal` aborts it. */
  backup(toPath: string, signal?: AbortSignal): Promise<void>
  readonly meta: {
    get(key: string, tx?: Tx): Promise<string | undefined>
    set(key: string, value: string, tx?: Tx): Promise<void>
  }
  close(): Promise<void>
}

/** Plain values, because they cross to a thread. */
export type Again =
  | { readonly path: string; readonly durable: boolean }
  | { readonly url: string; readonly statementMs: number }

export type DatabaseOptions = {
  /** A file, or `:memory:`. */
  readonly path: string
  readonly dataDir: string
  readonly appVersion: string
  /** Refuse a newer schema instead of warning about it. */
  readonly strict: boolean
  readonly backupBeforeMigrate: boolean
  readonly auditKeyFile?: string | null
  /** Commits survive a loss of power. */
  readonly durable?: boolean
  readonly log: { warn(message: string, fields?: Readonly<Record<string, unknown>>): void }
  readonly clock: Clock
  readonly migrations?: readonly Migration[]
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const path = options.path.trim()
  const { dataDir, appVersion, clock, migrations = MIGRATIONS } = options
  const latest = migrations.at(-1)?.version ?? 0
  const inMemory = path === ':memory:'
  const found = inMemory ? 'new' : inspect(path, dataDir)
  if (found !== 'new') admitSchema(found, { ...options, latest })
  if (options.backupBeforeMigrate && found !== 'new' && found.version < latest)
    await copyFile(path, upgradeCopy(path, options, found))

  const from = found === 'new' ? 0 : found.version
  const ahead = migrations.filter(({ version }) => version > from)
  const database = connect(options, Math.max(from, latest), from)
  try {
    await migrate({ write: database.write, engine: 'sqlite', appVersion, clock, migrations: ahead })
    if (inMemory) return database
    mark(path, dataDir)
    let closed: Promise<void> | undefined
    const close = async (): Promise<void> => {
      try {
        await database.close()
      } catch (error) {
        // Refused inside a write: it can be closed later.
        closed = undefined
        throw error
      }
      markClosed(path, dataDir)
    }
    return { ...database, close: () => (closed ??= close()) }
  } catch (error) {
    await database.close()
    throw explain(error, path)
  }
}

function upgradeCopy(path: string, { dataDir, clock }: DatabaseOptions, found: Found): string {
  const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '')
  // Two processes that start at the same moment each copy what they found.
  const once = randomBytes(3).toString('hex')
  return join(dataDir, `${basename(path)}.schema-${found.version}.${stamp}.${once}.backup`)
}

/** What a thread does with the database: it finds it open, and of this version. */
export type Opened = Pick<Database, 'engine' | 'query' | 'write' | 'meta' | 'close'>

/** Such a thread reads each row once. SQLite's own limit, 16 MB for each connection, would only hold pages that are not read again. */
const THREAD_CACHE_KIB = 2_048

/** For a thread beside the one that called `openDatabase`. */
export const openFileAgain = (path: string, durable: boolean): Opened =>
  connect({ path, durable, cacheKib: THREAD_CACHE_KIB }, 0, 0)

type Connecting = Pick<DatabaseOptions, 'path' | 'auditKeyFile' | 'durable'> & { readonly cacheKib?: number }

function connect(options: Connecting, version: number, migratedFrom: number): Database {
  const { auditKeyFile = null, durable = false, cacheKib } = options
  const path = options.path.trim()
  const inMemory = path === ':memory:'
  const { writer, reader } = openPair(path, durable)
  if (cacheKib !== undefined) for (const raw of [writer, reader]) raw.pragma(`cache_size = -${cacheKib}`)
  const identity = inMemory ? undefined : identityOf(path)
  const mutex = createMutex()
  const scope = createScope(path)
  const { check } = scope
  const noTurn = () => undefined
  const query = kyselyOver({
    raw: reader,
    writes: false,
    enter: async () => {
      check('query')
      return inMemory ? mutex.take() : noTurn
    },
  })
  const writes = kyselyOver({ raw: writer, writes: true, enter: () => mutex.take() })

  const write: Database['write'] = async (work) => {
    check('write')
    try {
      return await scope.inside(() => writes.transaction().execute(work))
    } finally {
      // SQLite answers at once, so a loop of writes would otherwise never let the event loop turn.
      await nextTurn()
    }
  }

  const burst: Database['burst'] = async ([first, ...more], named) => {
    check('burst')
    if (first === undefined) return []
    const leave = await mutex.take()
    try {
      await beginImmediate(writer)
      if (named && !markFirst(writer, named)) {
        rollBack(writer)
        return []
      }
      const ids = writeRows(writer, first)
      for (const batch of more) writeRows(writer, batch)
      commit(writer)
      return ids
    } catch (error) {
      rollBack(writer)
      forgetKinds(writer)
      throw explain(error, path)
    } finally {
      leave()
    }
  }

  return {
    engine: 'sqlite',
    query,
    write,
    burst,
    version,
    migratedFrom,
    path,
    file: inMemory ? null : path,
    again: inMemory ? null : { path, durable },
    beside: inMemory ? null : path,
    auditKeyFile,
    async ping() {
      try {
        if (identity !== undefined && identityOf(path) !== identity) return false
        await query.selectFrom('schema_version').select('version').limit(1).execute()
        return true
      } catch {
        // For every reason, the answer to "does it answer?" is no.
        return false
      }
    },
    async backup(toPath, signal) {
      check('backup')
      if (!inMemory) return copyFile(path, toPath, signal)
      const leave = await mutex.take()
      await copyMemory(writer, toPath, signal).finally(leave)
    },
    meta: metaOf({ query, write }),
    async close() {
      if (!scope.close()) return
      const leave = await mutex.take()
      if (!inMemory) reader.close()
      writer.close()
      leave()
    },
  }
}

function openPair(path: string, durable: boolean): { readonly writer: Raw; readonly reader: Raw } {
  let writer: Raw | undefined
  try {
    if (path !== ':memory:') keepPrivate(path)
    writer = openWriter(path, durable)
    waitAsynchronously(writer)
    return { writer, reader: path === ':memory:' ? writer : openReadOnly(path) }
  } catch (error) {
    writer?.close()
    if (path !== ':memory:') dropUnborn(path)
    throw explain(error, path)
  }
}

function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev}:${ino}`
}
