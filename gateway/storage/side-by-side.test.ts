// Programs of two schemas on one database: what the older one writes and reads stays after the newer one has migrated, or one of them is refused.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { aFolder, optionsFor } from './database.fixture.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { claimInstance } from './instances.ts'
import { MIGRATIONS } from './migrations/index.ts'
import type { Engine, Migration } from './migrations/migration.ts'
import { hasPostgres, postgresHere, usePostgres } from './postgres.fixture.ts'
import { openPostgres } from './postgres.ts'
import type { Query } from './schema.ts'

const address = usePostgres()
const LATEST = MIGRATIONS.at(-1)?.version ?? 0
/** Of the programs that may run beside this one. */
const OLDEST = Math.max(...MIGRATIONS.map(({ oldest }) => oldest ?? 0))
const upTo = (version: number): readonly Migration[] => MIGRATIONS.filter((each) => each.version <= version)

type Reopen = (more?: Partial<DatabaseOptions>) => Promise<Database>
const PLACES: readonly { engine: Engine; here: boolean; on: string; place: () => Promise<Reopen> }[] = [
  {
    engine: 'sqlite',
    here: true,
    on: 'SQLite',
    place: async () => {
      const path = `${aFolder()}/gantry.db`
      return (more) => openDatabase(optionsFor(path, { backupBeforeMigrate: false, ...more }))
    },
  },
  {
    engine: 'postgres',
    here: hasPostgres,
    on: `PostgreSQL (${postgresHere})`,
    place: async () => {
      const place = { dataDir: aFolder(), url: await address(), poolMax: 3 }
      return (more) => openPostgres({ ...optionsFor(':memory:'), ...place, ...more })
    },
  },
]

type Column = { readonly place: string; readonly name: string; readonly type: string; readonly required: number }
type Shape = { readonly columns: readonly Column[]; readonly keys: readonly string[] }

/** Tables and views with their columns, and what rows are unique by. */
async function shapeOf(query: Query, engine: Engine): Promise<Shape> {
  const columns =
    engine === 'sqlite'
      ? sql<Column>`select m.name as place, c.name, lower(c.type) as type, c."notnull" = 1 and c.dflt_value is null and c.pk = 0 as required
          from sqlite_master as m, pragma_table_info(m.name) as c where m.type in ('table', 'view') and m.name not like 'sqlite%'`
      : sql<Column>`select table_name as place, column_name as name, data_type as type,
          case when is_nullable = 'NO' and column_default is null and is_identity = 'NO' then 1 else 0 end as required
          from information_schema.columns as c where table_schema = 'public'
          and not exists (select 1 from pg_class as p where p.relname = c.table_name and p.relispartition)`
  const keys =
    engine === 'sqlite'
      ? sql<{
          key: string
        }>`select m.name || ': ' || (select group_concat(name, ', ') from (select name from pragma_index_info(i.name) order by seqno)) as key
          from sqlite_master as m, pragma_index_list(m.name) as i where m.type = 'table' and i."unique" = 1`
      : sql<{ key: string }>`select c.relname || ': ' || string_agg(a.attname, ', ' order by k.at) as key
          from pg_index as i join pg_class as c on c.oid = i.indrelid join pg_namespace as n on n.oid = c.relnamespace and n.nspname = 'public',
          unnest(i.indkey) with ordinality as k(attnum, at) join pg_attribute as a on a.attnum = k.attnum
          where a.attrelid = i.indrelid and i.indisunique group by c.relname, i.indexrelid`
  const [found, unique] = [await columns.execute(query), await keys.execute(query)]
  return { columns: found.rows, keys: unique.rows.map(({ key }) => key) }
}

const columnsOf = ({ columns }: Shape, place: string): readonly Column[] =>
  columns.filter((each) => each.place === place)
const placesOf = ({ columns }: Shape): readonly string[] => [...new Set(columns.map(({ place }) => place))]
/** Programs only read it. */
const READ_ONLY = 'calls_by_kind'

/** What statements of the older program would fail at. */
function missed(older: Shape, newer: Shape): readonly string[] {
  return placesOf(older).flatMap((place) => {
    const now = new Map(columnsOf(newer, place).map((each) => [each.name, each]))
    if (now.size === 0) return [`${place} is gone`]
    const before = columnsOf(older, place)
    const names = new Set(before.map(({ name }) => name))
    const lost = before.filter(({ name, type }) => now.get(name)?.type !== type)
    const demanded = [...now.values()].filter(({ name, required }) => required === 1 && !names.has(name))
    const keysOf = ({ keys }: Shape): readonly string[] => keys.filter((key) => key.startsWith(`${place}: `))
    // An upsert names the columns that are unique; a row of the older program may repeat what was free to repeat.
    const goneKeys = keysOf(older).filter((key) => !newer.keys.includes(key))
    const addedKeys = keysOf(newer).filter((key) => {
      const columns = key.slice(place.length + 2).split(', ')
      return !older.keys.includes(key) && columns.every((name) => names.has(name))
    })
    return [
      ...lost.map(({ name, type }) => `${place}.${name} is no ${type}`),
      ...demanded.map(({ name }) => `${place}.${name} is demanded`),
      ...goneKeys.map((key) => `${key} is not unique`),
      ...addedKeys.map((key) => `${key} is unique`),
    ]
  })
}

/** A value that each column of the kind may have. */
const sampleOf = ({ type }: Column): unknown => (/int|numeric|double|real/.test(type) ? 1 : '1')

/** As a program writes: the columns of its schema, by name. Undone, so that no row is in the way of the next. */
async function useAll(database: Database, older: Shape, engine: Engine): Promise<readonly string[]> {
  const failed: string[] = []
  for (const place of placesOf(older)) {
    const columns = columnsOf(older, place)
    const names = sql.join(columns.map(({ name }) => sql.ref(name)))
    const undone = new Error('undone')
    await database
      .write(async (tx) => {
        // References are not the subject.
        if (engine === 'postgres' && place !== 'calls')
          await sql`set local session_replication_role = replica`.execute(tx)
        if (engine === 'sqlite') await sql`pragma defer_foreign_keys = on`.execute(tx)
        const { rows: before } = await sql`select ${names} from ${sql.table(place)}`.execute(tx)
        if (before.length === 0 && place !== READ_ONLY)
          await sql`insert into ${sql.table(place)} (${names}) values (${sql.join(columns.map(sampleOf))})`.execute(tx)
        const { rows } = await sql`select ${names} from ${sql.table(place)}`.execute(tx)
        expect(rows.length).toBeGreaterThan(place === READ_ONLY ? -1 : 0)
        throw undone
      })
      .catch((error: unknown) => {
        if (error !== undone) failed.push(`${place}: ${String(error)}`)
      })
  }
  return failed
}

describe.each(PLACES)('an older program on $on', ({ engine, here, place }) => {
  const versions = Array.from({ length: LATEST - OLDEST }, (_none, at) => OLDEST + at)

  it.skipIf(!here).each(versions)(
    'of schema %i runs on while this one migrates, and writes and reads its tables',
    async (version) => {
      const reopen = await place()
      const old = await reopen({ migrations: upTo(version), appVersion: '0.9.0' })
      const before = await shapeOf(old.query, engine)
      await old.meta.set('of the older', 'before')
      const newer = await reopen()
      expect([newer.migratedFrom, newer.version]).toEqual([version, LATEST])
      const after = await shapeOf(newer.query, engine)
      expect(missed(before, after)).toEqual([])
      expect(await useAll(old, before, engine)).toEqual([])
      await old.meta.set('of the older', 'after')
      expect(await newer.meta.get('of the older')).toBe('after')
      await old.close()

      const warnings: string[] = []
      const log = { warn: (message: string) => void warnings.push(message) }
      const again = await reopen({ migrations: upTo(version), appVersion: '0.9.0', strict: false, log })
      expect(warnings).toEqual([expect.stringContaining(`which supports schema ${version}`)])
      expect(await again.meta.get('of the older')).toBe('after')
      await again.close()
      await newer.close()
    },
  )

  it.skipIf(!here)('is refused where it is too old, strict or not', async () => {
    const reopen = await place()
    await (await reopen()).close()
    const old = { migrations: upTo(OLDEST - 1), appVersion: '0.8.0', strict: false }
    await expect(reopen(old)).rejects.toMatchObject({
      reason: 'newer',
      message: expect.stringContaining(`and needs one of schema ${OLDEST} or newer; this is Gantry 0.8.0`),
    })
  })

  it.skipIf(!here)('is not cut off: a migration that removes what it uses is refused while it runs', async () => {
    const reopen = await place()
    const old = await reopen()
    const nowMs = Date.now()
    const me = { id: 'running', host: 'here', pid: 1, machine: 'another', started_at: new Date(nowMs).toISOString() }
    const once = { allowOthers: true, monotonic: () => 0, isRunning: () => true, pause: () => Promise.resolve() }
    await claimInstance(old, { ...once, me, durationMs: 3_600_000, clock: { now: () => nowMs } })
    const expand: Migration = {
      version: LATEST + 1,
      name: 'expand',
      up: (schema) => schema.alterTable('teams').addColumn('title', 'text').execute(),
    }
    const contract: Migration = {
      version: LATEST + 2,
      name: 'contract',
      oldest: LATEST + 1,
      up: (schema) => schema.alterTable('spans').dropColumn('stages').execute(),
    }
    const migrations = [...MIGRATIONS, expand, contract]
    const before = await shapeOf(old.query, engine)
    await expect(reopen({ migrations })).rejects.toMatchObject({
      reason: 'in_use',
      message: expect.stringContaining(
        `running on here. Stop them, or upgrade to a version with schema ${LATEST + 1} first`,
      ),
    })
    // The step before it is done, and the older program does not notice.
    expect(await useAll(old, before, engine)).toEqual([])
    await old.write((tx) => tx.deleteFrom('instances').execute())
    await old.close()
    const newer = await reopen({ migrations })
    expect(missed(before, await shapeOf(newer.query, engine))).toEqual([expect.stringContaining('spans.stages')])
    await newer.close()
    await expect(reopen({ strict: false })).rejects.toMatchObject({ reason: 'newer' })
    const between = await reopen({ migrations: [...MIGRATIONS, expand], strict: false })
    expect(between.version).toBe(LATEST + 2)
    await between.close()
  })
})
