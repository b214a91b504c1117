// Kysely over pg: numbers as numbers, text in the order of its characters, and reads that cannot write.
import {
  type ColumnDefinitionNode,
  DataTypeNode,
  Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  PostgresDialect,
  type PostgresPoolClient,
  type QueryId,
  RawNode,
} from 'kysely'
import pg from 'pg'
import { CONNECT_MS, limitSession, type TimedQuery } from './postgres-limits.ts'
import type { Schema } from './schema.ts'

/** As the server numbers them: 64-bit whole numbers, which sums and counts are, and decimals, which averages are. */
const NUMBERS: readonly number[] = [20, 1700]
const types: pg.CustomTypesConfig = {
  // Nothing we store passes 2^53; the driver gives these as text because others might.
  getTypeParser: (oid, format) => (NUMBERS.includes(oid) ? Number : pg.types.getTypeParser(oid, format)),
}

export type Server = { readonly url: string; readonly poolMax: number; readonly statementMs: number }

export function poolOf({ url, poolMax, statementMs }: Server): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolMax,
    types,
    // Bounds the wait for a free connection as well as the making of one.
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: CONNECT_MS,
    verify(client, ready) {
      limitSession(client, statementMs).then(() => ready(), ready)
    },
    application_name: 'gantry',
  })
  // One that breaks while in use fails the next query; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Whole numbers have 64 bits, and text compares by code point, under any server configuration: as in SQLite. */
class Columns extends OperationNodeTransformer {
  protected override transformColumnDefinition(node: ColumnDefinitionNode, queryId?: QueryId): ColumnDefinitionNode {
    const { dataType, ...rest } = super.transformColumnDefinition(node, queryId)
    return { ...rest, dataType: typeOf(dataType) }
  }
}

function typeOf(node: ColumnDefinitionNode['dataType']): ColumnDefinitionNode['dataType'] {
  if (!DataTypeNode.is(node)) return node
  if (node.dataType === 'integer') return DataTypeNode.create('bigint')
  if (node.dataType === 'text') return RawNode.createWithSql('text collate "C"')
  return node
}

const columns = new Columns()
const alike: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => columns.transformNode(node, queryId),
  transformResult: async ({ result }) => result,
}

const CHANGES: readonly string[] = ['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode', 'MergeQueryNode']
const READS_ONLY = '`query` reads only: change rows inside `write`'
const readsOnly: KyselyPlugin = {
  transformQuery({ node }) {
    if (CHANGES.includes(node.kind)) throw new Error(READS_ONLY)
    return node
  },
  transformResult: async ({ result }) => result,
}

/** PostgreSQL has no place for NUL in a text. */
export const storable = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value

type Lane = {
  readonly writes: boolean
  /** How long one statement may take, as seen from here. */
  readonly readTimeoutMs: number
  /** Waits for a turn, or throws where no statement may run now; returns how to give the turn up. */
  enter(): Promise<() => void>
  /** What an error of the server means. */
  explain(error: unknown): unknown
}

/** After an error that the server did not send itself, such as a timeout, a connection may still be busy with the statement. */
export const isServerError = (error: unknown): boolean => error instanceof pg.DatabaseError

/** One turn on a connection. A query that was not awaited and comes after the turn is refused, not run in another's. */
async function turnOf(pool: pg.Pool, { writes, readTimeoutMs, enter, explain }: Lane) {
  const leave = await enter()
  const client = await pool.connect().catch((error: unknown) => {
    leave()
    throw explain(error)
  })
  let ended = false
  let broken = false

  async function send(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const query: TimedQuery = { text, values, query_timeout: readTimeoutMs }
    try {
      return await client.query(query)
    } catch (error) {
      broken ||= !isServerError(error)
      throw explain(error)
    }
  }
  /** Never throws: the error that led here is the one to report. A connection that cannot roll back is closed, which does. */
  async function rollBack(): Promise<Pick<pg.QueryResult, 'command' | 'rows'>> {
    if (ended) broken = true
    ended = true
    if (!broken)
      await send('rollback', []).catch(() => {
        broken = true
      })
    return { command: 'ROLLBACK', rows: [] }
  }

  return {
    async query(text: string | object, parameters: readonly unknown[] = []) {
      if (typeof text !== 'string') throw new Error('Cursors are not offered: read in pages')
      if (text === 'rollback') return rollBack()
      if (ended) throw new Error('This transaction has ended: await every query inside it')
      if (text === 'begin' && !writes) throw new Error(READS_ONLY)
      if (text === 'commit') ended = true
      return send(text, parameters.map(storable))
    },
    release(destroy?: boolean) {
      ended = true
      client.release(destroy === true || broken)
      leave()
    },
  }
}

export function kyselyOf(pool: pg.Pool, lane: Lane): Kysely<Schema> {
  const dialect = new PostgresDialect({
    pool: {
      options: {},
      end: async () => undefined,
      // Of its two ways to ask, cursors are refused by the turn.
      connect: () => turnOf(pool, lane) as Promise<unknown> as Promise<PostgresPoolClient>,
    },
  })
  return new Kysely<Schema>({ dialect, plugins: [lane.writes ? alike : readsOnly] })
}
