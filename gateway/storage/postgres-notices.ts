// Notices of changes over PostgreSQL, on a connection of their own. A lost notice delays a change until the next look, and loses nothing.
import { sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../telemetry/log.ts'
import { CONNECT_MS } from './postgres-limits.ts'
import type { Query } from './schema.ts'

/** The notice channels: what a listener reads after one. */
export type Notice = 'gantry_changes' | 'gantry_messages'
const AGAIN_MS = 2000

/** Sent after the commit: a notice inside a transaction would make all commits of the server wait for each other. */
export async function sendNotice(query: Query, notice: Notice): Promise<void> {
  await sql`select pg_notify(${notice}, '')`.execute(query)
}

/** A connection that is lost already. */
const endQuietly = (client: pg.Client): Promise<void> => client.end().catch(() => undefined)

/** `url`: without a pooler, which does not pass notices on. */
export function listenNotices(
  url: string,
  { onNotice, log }: { readonly onNotice: Readonly<Record<Notice, () => void>>; readonly log: Pick<Log, 'warn'> },
): { readonly close: () => Promise<void> } {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const looks = Object.entries(onNotice)

  function again(error?: unknown): void {
    const lost = client
    client = undefined
    if (closed || lost === undefined) return
    if (error !== undefined) log.warn('notices of changes are not received; changes are polled', { error })
    void endQuietly(lost)
    timer = setTimeout(() => void connect(), AGAIN_MS)
    timer.unref()
  }

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: CONNECT_MS,
      keepAlive: true,
      application_name: 'gantry notices',
    })
    client = fresh
    fresh.on('error', again)
    fresh.on('end', () => again())
    fresh.on('notification', ({ channel }) => {
      for (const [notice, look] of looks) if (notice === channel) look()
    })
    try {
      await fresh.connect()
      for (const [notice] of looks) await fresh.query(`listen ${notice}`)
      // What changed before it listened.
      for (const [, look] of looks) look()
    } catch (error) {
      again(error)
    }
  }

  void connect()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}
