// A database of either engine for one test: its file or server, and a way to look into it from outside the gateway.
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { aFolder, type Env } from './gateway.fixture.ts'
import { startProxy } from './tcp-proxy.fixture.ts'

type Row = Readonly<Record<string, unknown>>
export type Engine = {
  readonly folder: string
  /** What a gateway on this database needs; several processes may share a server. */
  readonly env: Env
  /** Delays each piece of data between gateway and server by so many milliseconds. */
  readonly slow: (ms: number) => void
  readonly query: (text: string) => Promise<readonly Row[]>
}

async function sqlite(): Promise<Engine> {
  const folder = aFolder()
  const query = async (text: string): Promise<readonly Row[]> => {
    const database = new SQLite(join(folder, 'gantry.db'))
    try {
      const statement = database.prepare<[], Row>(text)
      if (statement.reader) return statement.all()
      statement.run()
      return []
    } finally {
      database.close()
    }
  }
  return { folder, env: {}, slow: () => undefined, query }
}

async function postgres(address: ReturnType<typeof usePostgres>): Promise<Engine> {
  const url = new URL(await address('migrated'))
  const proxy = await startProxy(Number(url.port))
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await proxy.close()
  })
  const through = new URL(url)
  through.port = String(proxy.port)
  const env = { DATABASE_URL: through.href, ALLOW_SECOND_INSTANCE: 'true' }
  return { folder: aFolder(), env, slow: proxy.slow, query: async (text) => (await client.query<Row>(text)).rows }
}

/** For `describe.each`. */
export function bothEngines(): readonly { on: string; hasEngine: boolean; anEngine: () => Promise<Engine> }[] {
  const address = usePostgres()
  return [
    { on: 'SQLite', hasEngine: true, anEngine: sqlite },
    { on: `PostgreSQL (${postgresHere})`, hasEngine: hasPostgres, anEngine: () => postgres(address) },
  ]
}
