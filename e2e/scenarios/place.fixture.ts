// Where scenarios run: on a SQLite file, or with GANTRY_SCENARIOS_ON on PostgreSQL, or on three instances behind a balancer.
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
