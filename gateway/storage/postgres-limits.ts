// How long anything asked of a PostgreSQL server may take. Every wait has a bound, on the server and on this side.
import type pg from 'pg'

/** For a free connection of the pool, and for the making of one. */
export const CONNECT_MS = 5_000
/** A transaction whose client is silent for longer is ended by the server: an instance that froze releases its locks. */
const IDLE_IN_TRANSACTION_MS = 5_000
/** Longer than the server takes to end a silent transaction, so that its locks are waited out and not given up. */
const LOCK_MS = 8_000
/** Longer than the pool keeps an idle connection: only a connection whose client is gone gets there. */
const IDLE_SESSION_MS = 300_000
/** As seen from the client, for the statements of a write and for a burst of call rows. */
export const WRITE_READ_MS = 15_000
export const BURST_READ_MS = 10_000
/** The server ends a statement first; the client's own bound is for a server that does not respond at all. */
export const CLIENT_GRACE_MS = 5_000
export const PING_MS = 2_000
/** Migrations rewrite tables and wait for those of another instance. */
export const MIGRATION_MS = 3_600_000
export const MIGRATION_LIMITS = `set local statement_timeout = ${MIGRATION_MS}; set local lock_timeout = ${MIGRATION_MS}`
/** A migration that waits for a table makes every other statement wait for it, so it gives up early and tries again. */
export const TABLE_LIMITS = `set local lock_timeout = 1000`
export const TABLE_PAUSE_MS = 2_000

/** Settings an older server does not have are left out; those of TCP have no effect on a local socket. */
const LIMITS = `select set_config(pg_settings.name, wanted.value, false)
  from json_each_text($1::json) as wanted(name, value) join pg_settings on pg_settings.name = wanted.name`

/** The driver bounds the wait for one statement by this field, which its types name for a whole connection only. */
export type TimedQuery = pg.QueryConfig & { readonly query_timeout: number }

export async function limitSession(client: pg.ClientBase, statementMs: number): Promise<void> {
  const limits = {
    statement_timeout: statementMs,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    idle_session_timeout: IDLE_SESSION_MS,
    // A transaction that waited for a lock must see what its holder wrote, also where the server has another default.
    default_transaction_isolation: 'read committed',
    // The server notices a client that is gone during a statement, and one that no longer reads its answer.
    client_connection_check_interval: 5_000,
    tcp_user_timeout: 15_000,
    tcp_keepalives_idle: 10,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 3,
  }
  const query: TimedQuery = { text: LIMITS, values: [JSON.stringify(limits)], query_timeout: CONNECT_MS }
  await client.query(query)
}
