// Brings a database forward, one migration per transaction (a new SQLite file: the first ones at once), and says who wrote it. Programs of two versions may use it side by side.

import { sql } from 'kysely'
import type { Clock } from '../telemetry/clock.ts'
import type { Engine, Migration } from './migrations/migration.ts'
import { SQUASHED, SQUASHED_VERSION } from './migrations/squashed.ts'
import type { Tx } from './schema.ts'
import { StorageError } from './storage-error.ts'

type Upgrade = {
  readonly write: (work: (tx: Tx) => Promise<void>) => Promise<void>
  readonly engine: Engine
  readonly appVersion: string
  readonly clock: Clock
  readonly migrations: readonly Migration[]
}

/** The oldest schema whose programs may use the database, in `meta`. */
export const OLDEST = 'schema_oldest'
/** Since then an instance states the schema of its program. */
const STATED_SINCE = 28

const isDone = async (tx: Tx, version: number): Promise<boolean> => {
  await tx.schema
    .createTable('schema_version')
    .ifNotExists()
    .addColumn('version', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('app_version', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'text', (column) => column.notNull())
    .execute()
  const done = await tx
    .selectFrom('schema_version')
    .select('version')
    .where('version', '>=', version)
    .limit(1)
    .execute()
  return done.length > 0
}

export async function migrate({ write, engine, appVersion, clock, migrations }: Upgrade): Promise<void> {
  const note = async (tx: Tx, done: readonly Migration[]): Promise<void> => {
    const oldest = done.findLast((each) => each.oldest !== undefined)?.oldest
    const value = String(oldest)
    if (oldest !== undefined)
      await tx
        .insertInto('meta')
        .values({ key: OLDEST, value })
        .onConflict((clash) => clash.column('key').doUpdateSet({ value }))
        .execute()
    const as = { app_version: appVersion, applied_at: new Date(clock.now()).toISOString() }
    const rows = done.map(({ version, name }) => ({ version, name, ...as }))
    await tx.insertInto('schema_version').values(rows).execute()
  }
  const squashed = engine === 'sqlite' ? migrations.filter(({ version }) => version <= SQUASHED_VERSION) : []
  let from = 0
  if (squashed.length === SQUASHED_VERSION)
    await write(async (tx) => {
      if (await isDone(tx, 1)) return
      for (const text of SQUASHED) await sql.raw(text).execute(tx)
      await note(tx, squashed)
      from = SQUASHED_VERSION
    })
  for (const each of migrations.filter(({ version }) => version > from))
    await write(async (tx) => {
      // Asked inside the transaction: another process may have been first.
      if (await isDone(tx, each.version)) return
      const { version, oldest } = each
      if (oldest !== undefined) await refuseBeside(tx, { engine, version, oldest, nowMs: clock.now() })
      await each.up(tx.schema, engine, tx)
      await note(tx, [each])
    })
}

type Contract = { readonly engine: Engine; readonly version: number; readonly oldest: number; readonly nowMs: number }

/** Instances that run now must not lose what their programs use. */
async function refuseBeside(tx: Tx, { engine, version, oldest, nowMs }: Contract): Promise<void> {
  // The table of instances is that of migration 23.
  if (version <= 23) return
  const stated = version > STATED_SINCE ? sql`version` : sql`null`
  const time = engine === 'sqlite' ? sql`${nowMs}` : sql`extract(epoch from clock_timestamp()) * 1000`
  const { rows } = await sql<{ id: string; host: string; schema: string | null }>`
    select id, host, ${stated} as schema from instances where expires_at_ms > ${time} order by id`.execute(tx)
  const older = rows.filter(({ schema }) => Number(schema ?? 0) < oldest)
  if (older.length === 0) return
  throw new StorageError(
    'in_use',
    `Instances of a version that cannot run beside this one use the database: ${older.map(({ id, host }) => `${id} on ${host}`).join(', ')}. ` +
      `Stop them, or upgrade to a version with schema ${oldest} first. An instance that crashed is forgotten when its lease ends.`,
  )
}

export type FoundSchema = {
  readonly version: number
  readonly appVersion: string
  /** Of the programs that may use it; 0 where all may. */
  readonly oldest: number
}
type Program = {
  readonly latest: number
  readonly appVersion: string
  /** Refuse every newer schema. */
  readonly strict: boolean
  readonly log: { warn(message: string, fields?: Readonly<Record<string, unknown>>): void }
}

/** A database that a newer program wrote is used as it is and never migrated down; refused when strict, or when it has moved too far. */
export function admitSchema(found: FoundSchema, { latest, appVersion, strict, log }: Program): void {
  if (found.version <= latest) return
  const apart = found.oldest > latest ? ` and needs one of schema ${found.oldest} or newer` : ''
  const error = new StorageError(
    'newer',
    `The database has schema ${found.version}, written by Gantry ${found.appVersion}${apart}; this is Gantry ${appVersion}, ` +
      `which supports schema ${latest}. Run the newer program, or restore a backup from before its upgrade.`,
  )
  if (strict || apart !== '') throw error
  log.warn(error.message, { schema: latest })
}
