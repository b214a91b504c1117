// Where scenarios run: on a SQLite file, or with GANTRY_SCENARIOS_ON on PostgreSQL, or on three instances behind a balancer.
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import pg from 'pg'
import { aDatabaseAddress, hasPostgres, postgresHere } from '../../gateway/storage/postgres.fixture.ts'

type Env = Readonly<Record<string, string>>

const ON = process.env.GANTRY_SCENARIOS_ON ?? 'sqlite'
if (!['sqlite', 'postgres', 'fleet'].includes(ON)) throw new Error('GANTRY_SCENARIOS_ON is sqlite, postgres or fleet')
if (ON !== 'sqlite' && !hasPostgres) throw new Error(`GANTRY_SCENARIOS_ON=${ON}: ${postgresHere}`)

/** A folder keeps its database: a gateway that starts there again continues on it. */
const databases = new Map<string, Promise<string>>()

/** What a gateway in the folder gets, unless it names a database itself. */
export async function placeOf(folder: string, env: Env): Promise<Env> {
  if (ON === 'sqlite' || 'DATABASE_URL' in env || 'DB_PATH' in env) return {}
  const address = databases.get(folder) ?? aDatabaseAddress('migrated')
  databases.set(folder, address)
  return { DATABASE_URL: await address }
}

type Row = Readonly<Record<string, unknown>>

/** Rows of the database of this folder, read beside its gateway. */
export async function rowsIn(folder: string, queries: readonly string[]): Promise<readonly (readonly Row[])[]> {
  const address = databases.get(folder)
  if (address === undefined) {
    const file = new SQLite(join(folder, 'gantry.db'), { readonly: true })
    try {
      return queries.map((query) => file.prepare<[], Row>(query).all())
    } finally {
      file.close()
    }
  }
  const client = new pg.Client({ connectionString: await address })
  await client.connect()
  try {
    const all: (readonly Row[])[] = []
    for (const query of queries) all.push((await client.query<Row>(query)).rows)
    return all
  } finally {
    await client.end()
  }
}
