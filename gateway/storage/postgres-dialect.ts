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
import type { Schema } from './schema.ts'

/** As the server numbers them: 64-bit whole numbers, which sums and counts are, and decimals, which averages are. */
const NUMBERS: readonly number[] = [20, 1700]
const types: pg.CustomTypesConfig = {
  // Nothing we store passes 2^53; the driver gives these as text because others might.
  getTypeParser: (oid, format) => (NUMBERS.includes(oid) ? Number : pg.types.getTypeParser(oid, format)),
}

export type Server = { readonly url: string; readonly poolMax: number }

export function poolOf({ url, poolMax }: Server, connectionTimeoutMillis: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolMax,
    types,
    connectionTimeoutMillis,
    application_name: 'gantry',
  })
  // One that breaks in somebody's hands fails what is asked of it next; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Whole numbers have 64 bits, and text compares by code point, whatever the server was set up for: as in SQLite. */
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
  /** Throws where nothing may be asked now. */
  enter(): void
  /** What an error of the server means. */
  explain(error: unknown): unknown
}

/** One turn on a connection. A query that was not awaited and comes after the turn is refused, not run in another's. */
async function turnOf(pool: pg.Pool, { writes, enter, explain }: Lane) {
  enter()
  const client = await pool.connect().catch((error: unknown) => {
    throw explain(error)
  })
  let ended = false
  return {
    async query(text: string | object, parameters: readonly unknown[] = []) {
      if (typeof text !== 'string') throw new Error('Cursors are not offered: read in pages')
      if (ended) throw new Error('This transaction has ended: await every query inside it')
      if (text === 'begin' && !writes) throw new Error(READS_ONLY)
      if (text === 'commit' || text === 'rollback') ended = true
      return client.query(text, parameters.map(storable)).catch((error: unknown) => {
        throw explain(error)
      })
    },
    release(destroy?: boolean) {
      ended = true
      client.release(destroy)
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
