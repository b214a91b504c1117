// Kysely over one better-sqlite3 connection: statements prepared once, writers in BEGIN IMMEDIATE, turns taken in order.
import type { Statement } from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type KyselyPlugin,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { beginImmediate, commit, type Raw, rollBack } from './connection.ts'
import type { Schema } from './schema.ts'
import { explain } from './storage-error.ts'

const STATEMENTS_MAX = 256

export type Lane = {
  readonly raw: Raw
  readonly writes: boolean
  /** Waits for the turn on this connection and returns how to give it up. */
  readonly enter: () => Promise<() => void>
}

/** One cache per connection, shared by every lane on it; the oldest statement leaves first. */
const caches = new WeakMap<Raw, Map<string, Statement>>()

export function prepared(raw: Raw, sql: string): Statement {
  let cache = caches.get(raw)
  if (!cache) caches.set(raw, (cache = new Map()))
  const known = cache.get(sql)
  if (known) {
    cache.delete(sql)
    cache.set(sql, known)
    return known
  }
  const statement = raw.prepare(sql)
  cache.set(sql, statement)
  if (cache.size > STATEMENTS_MAX) cache.delete(cache.keys().next().value ?? sql)
  return statement
}

/** One turn on the connection. A query that was not awaited and comes after the turn is refused, not run in another's. */
class Turn implements DatabaseConnection {
  readonly lane: Lane
  readonly leave: () => void
  ended = false
  constructor(lane: Lane, leave: () => void) {
    this.lane = lane
    this.leave = leave
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.ended) throw new Error('This transaction has ended: await every query inside it')
    const { raw, writes } = this.lane
    try {
      const statement = prepared(raw, query.sql)
      if (!writes && !statement.readonly) throw new Error('`query` reads only: change rows inside `write`')
      // The row type is Kysely's own inference; the driver cannot know it.
      if (statement.reader) return { rows: statement.all(...query.parameters) as R[] }
      const { changes } = statement.run(...query.parameters)
      return { rows: [], numAffectedRows: BigInt(changes) }
    } catch (error) {
      throw explain(error, raw.name)
    }
  }

  /** An open cursor would hold the one connection for as long as its reader likes. */
  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streams are not offered: read in pages')
  }
}

// Kysely's own lock is never freed when `enter` refuses, and the lanes already take turns.
class TurnAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

function createDriver(lane: Lane): Driver {
  return {
    async init() {},
    async acquireConnection() {
      return new Turn(lane, await lane.enter())
    },
    async beginTransaction() {
      if (!lane.writes) throw new Error('`query` reads only: open a transaction with `write`')
      await beginImmediate(lane.raw).catch((error: unknown) => {
        throw explain(error, lane.raw.name)
      })
    },
    async commitTransaction(connection) {
      if (connection instanceof Turn) connection.ended = true
      try {
        commit(lane.raw)
      } catch (error) {
        throw explain(error, lane.raw.name)
      }
    },
    async rollbackTransaction() {
      rollBack(lane.raw)
    },
    async releaseConnection(connection) {
      if (!(connection instanceof Turn)) return
      connection.ended = true
      connection.leave()
    },
    async destroy() {},
  }
}

/** Row locks have no meaning here: a writer has the whole file. */
const unlocked: KyselyPlugin = {
  transformQuery: ({ node }) =>
    node.kind === 'SelectQueryNode' && node.endModifiers ? { ...node, endModifiers: [] } : node,
  transformResult: async ({ result }) => result,
}

export function kyselyOver(lane: Lane): Kysely<Schema> {
  const dialect: Dialect = {
    createAdapter: () => new TurnAdapter(),
    createDriver: () => createDriver(lane),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
  return new Kysely<Schema>({ dialect, plugins: [unlocked] })
}
