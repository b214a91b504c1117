import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { aDatabase, aFolder, optionsFor } from './database.fixture.ts'
import { type Database, openDatabase } from './database.ts'
import { type JsonText, jsonText } from './json-text.ts'
import { MIGRATIONS } from './migrations/index.ts'
import type { Migration } from './migrations/migration.ts'

/** In the form of an earlier version. */
type Earlier = JsonText<never>

const LATEST = MIGRATIONS.at(-1)?.version ?? 0
const next: Migration = {
  version: LATEST + 1,
  name: 'pets',
  async up(schema) {
    await schema.createTable('pets').addColumn('name', 'text').execute()
  },
}
const broken: Migration = {
  version: LATEST + 1,
  name: 'broken',
  async up(schema) {
    await schema.createTable('pets').addColumn('name', 'text').execute()
    throw new Error('half way')
  },
}

/** What a new file does not skip. */
const OLDER = MIGRATIONS.slice(0, 1)

function schemaOf(path: string): unknown {
  const raw = new BetterSqlite3(path, { readonly: true })
  try {
    return raw.prepare("select name, sql from sqlite_master where name not like 'sqlite_%' order by name").all()
  } finally {
    raw.close()
  }
}
/** Of all tables, but for when. */
function rowsOf(path: string): unknown {
  const raw = new BetterSqlite3(path, { readonly: true })
  const names = raw.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck().all()
  const rows = names.flatMap((name) =>
    raw
      .prepare<[], Record<string, unknown>>(`select * from "${name}"`)
      .all()
      .map((row) => ({ name, ...row, applied_at: '' })),
  )
  raw.close()
  return rows.map((row) => JSON.stringify(row)).toSorted()
}
const versionsOf = (path: string) => {
  const raw = new BetterSqlite3(path, { readonly: true })
  try {
    return raw.prepare('select version, name, app_version from schema_version order by version').all()
  } finally {
    raw.close()
  }
}
const copiesIn = (folder: string) => readdirSync(folder).filter((file) => file.endsWith('.backup'))

async function aClosedFile(more: Parameters<typeof optionsFor>[1] = {}): Promise<string> {
  const path = join(aFolder(), 'gantry.db')
  const database = await openDatabase(optionsFor(path, more))
  await database.meta.set('kept', 'yes')
  await database.close()
  return path
}

it('makes a new file as its migrations would, one by one', async () => {
  const [squashed, oneByOne] = [await aClosedFile(), await aClosedFile({ migrations: OLDER })]
  await (await openDatabase(optionsFor(oneByOne))).close()
  expect(schemaOf(squashed)).toEqual(schemaOf(oneByOne))
  expect(rowsOf(squashed)).toEqual(rowsOf(oneByOne))
})

describe('a newer schema (security case ST-03)', () => {
  it('is refused when strict, naming both versions, and stays untouched [gw.version.4-refuses gw.version.4-names-both]', async () => {
    const path = await aClosedFile({ migrations: [...MIGRATIONS, next], appVersion: '9.8.7' })
    const before = schemaOf(path)
    await expect(openDatabase(optionsFor(path))).rejects.toMatchObject({
      reason: 'newer',
      message: `The database has schema ${LATEST + 1}, written by Gantry 9.8.7; this is Gantry 1.0.0, which supports schema ${LATEST}. Run the newer program, or restore a backup from before its upgrade.`,
    })
    expect(schemaOf(path)).toEqual(before)
  })

  it('is used with a loud warning otherwise, and never taken down [gw.version.4-forward gw.version.4-names-both]', async () => {
    const path = await aClosedFile({ migrations: [...MIGRATIONS, next], appVersion: '9.8.7' })
    const before = schemaOf(path)
    const warnings: string[] = []
    const log = { warn: (message: string) => void warnings.push(message) }
    const database = await aDatabase(path, { strict: false, log })
    expect(warnings).toEqual([expect.stringContaining('9.8.7')])
    expect([database.version, await database.meta.get('kept')]).toEqual([LATEST + 1, 'yes'])
    expect([schemaOf(path), copiesIn(join(path, '..'))]).toEqual([before, []])
  })
})

describe('a migration', () => {
  it('that fails leaves the old schema and every row', async () => {
    const path = await aClosedFile()
    const before = schemaOf(path)
    await expect(openDatabase(optionsFor(path, { migrations: [...MIGRATIONS, broken] }))).rejects.toThrow('half way')
    expect(schemaOf(path)).toEqual(before)
    expect(await (await aDatabase(path)).meta.get('kept')).toBe('yes')
  })

  it('that fails on a first run leaves nothing that blocks the next', async () => {
    const path = join(aFolder(), 'gantry.db')
    await expect(openDatabase(optionsFor(path, { migrations: [{ ...broken, version: 1 }] }))).rejects.toThrow(
      'half way',
    )
    expect((await aDatabase(path)).version).toBe(LATEST)
  })

  it('copies the old database first, once, and says which program wrote which schema [ct.17.effect.backup_before_migrate ct.17.effect.data_dir]', async () => {
    const path = await aClosedFile()
    const folder = join(path, '..')
    const options = { migrations: [...MIGRATIONS, next], appVersion: '2.0.0' }
    expect((await aDatabase(path, options)).version).toBe(LATEST + 1)
    expect((await aDatabase(path, options)).version).toBe(LATEST + 1)
    expect(versionsOf(path)).toEqual([
      ...MIGRATIONS.map(({ version, name }) => ({ version, name, app_version: '1.0.0' })),
      { version: LATEST + 1, name: 'pets', app_version: '2.0.0' },
    ])
    const [copy, ...more] = copiesIn(folder)
    expect(more).toEqual([])
    expect(versionsOf(join(folder, copy ?? ''))).toHaveLength(MIGRATIONS.length)
  })

  it('copies nothing on a first run, nor when switched off [ct.17.effect.backup_before_migrate]', async () => {
    const path = await aClosedFile()
    await aDatabase(path, { migrations: [...MIGRATIONS, next], backupBeforeMigrate: false })
    expect(copiesIn(join(path, '..'))).toEqual([])
  })

  it('runs once when two processes start at the same time', async () => {
    const path = join(aFolder(), 'gantry.db')
    const exits = await Promise.all([aStart(path), aStart(path), aStart(path)].map((start) => once(start, 'exit')))
    expect(exits).toEqual(exits.map(() => [0, null]))
    expect(versionsOf(path)).toHaveLength(MIGRATIONS.length)
  })

  it('runs once when one start meets another half way, at any moment and on any clock', async () => {
    const path = join(aFolder(), 'gantry.db')
    const starts: Promise<Database>[] = []
    for (let turn = 0; turn < MIGRATIONS.length; turn++) {
      for (let pair = 0; pair < 2; pair++) starts.push(aDatabase(path, { clock: { now: () => 0 } }))
      await nextTurn()
    }
    expect(new Set((await Promise.all(starts)).map(({ version }) => version))).toEqual(new Set([LATEST]))
    expect(versionsOf(path)).toHaveLength(MIGRATIONS.length)
  })

  /** Of a new file, whose tables are made at once, and of an older one at a statement. */
  const KILLED = [['new', 'last'], ...[0, 1, 19, 40, 60].map((at) => ['older', String(at)] as const)] as const
  it.each(KILLED)(
    'of a file that is %s is done or undone, killed at its statement %s (security case ST-02)',
    async (which, killAt) => {
      const whole = schemaOf(await aClosedFile())
      const path = which === 'new' ? join(aFolder(), 'gantry.db') : await aClosedFile({ migrations: OLDER })
      const before = which === 'new' ? 0 : versionsOf(path).length
      const start = aStart(path, killAt)
      await once(start, 'exit')
      expect(start.signalCode).toBe('SIGKILL')
      if (which === 'new') expect(schemaOf(path)).toEqual([])
      else expect(versionsOf(path).length).toBeGreaterThanOrEqual(before)
      const database = await openDatabase(optionsFor(path))
      await database.close()
      expect(schemaOf(path)).toEqual(whole)
      expect(versionsOf(path)).toHaveLength(MIGRATIONS.length)
    },
  )
})

/** Opens the database in a separate process; killed from inside when the given statement is about to run, or the tables of a new file are made. */
function aStart(path: string, killAt = '') {
  const at = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)
  const script = `
    const { openDatabase } = await import(${at('./database.ts')})
    const { MIGRATIONS } = await import(${at('./migrations/index.ts')})
    const [path, dataDir, killAt] = process.argv.slice(1)
    let statements = 0
    const end = () => process.kill(process.pid, 'SIGKILL')
    const step = () => { if (statements++ === Number(killAt)) end() }
    const clock = killAt === 'last' ? { now: end } : Date
    const spied = (value) => typeof value !== 'object' || value === null ? value : new Proxy(value, { get(target, key) {
      const member = Reflect.get(target, key)
      if (typeof member !== 'function') return member
      return (...given) => { if (key === 'execute') step(); return spied(member.apply(target, given)) }
    } })
    const migrations = killAt === undefined ? MIGRATIONS : MIGRATIONS.map((one) => ({ ...one, up: (schema, engine, tx) => one.up(spied(schema), engine, tx) }))
    const log = { warn() {} }
    const database = await openDatabase({ path, dataDir, appVersion: '1.0.0', strict: true, backupBeforeMigrate: true, log, clock, migrations })
    await database.close()`
  const given = [path, join(path, '..'), ...(killAt === '' ? [] : [killAt])]
  return spawn(process.execPath, ['--input-type=module', '-e', script, ...given], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

describe('credentials from before they named their origins', () => {
  it('are bound to the addresses configured at the upgrade (security case KM-09)', async () => {
    const path = join(aFolder(), 'gantry.db')
    const at = '2026-01-01T00:00:00.000Z'
    const old = await openDatabase(optionsFor(path, { migrations: MIGRATIONS.filter(({ version }) => version < 21) }))
    await old.write(async (tx) => {
      const row = {
        kind: 'rest',
        source: 'manual',
        base_url: 'http://127.0.0.1:81/v1?x=1',
        input: null,
        enabled: 1,
        description: null,
        registration: null,
        health_url: null,
        pins: null,
        pinned_at: null,
        guards: null,
        team_id: null,
        upstream_auth: null,
        upstream_auth_info: null,
        oauth_secret: null,
        oauth_info: null,
        canary: null,
        lb: null,
        evicted_at: null,
        last_seen_at: null,
        last_error: null,
        revision: 1,
        created_by: null,
        tags: jsonText([]),
        discovered_at: at,
        created_at: at,
        updated_at: at,
      } as const
      const { id } = await tx
        .insertInto('backends')
        .values({
          ...row,
          name: 'a',
          upstream_auth: 'sealed',
          upstream_auth_info: JSON.stringify({ type: 'bearer', updatedAt: at }) as Earlier,
          oauth_secret: 'sealed',
          oauth_info: JSON.stringify({ tokenUrl: 'https://id.example/token', clientId: 'c' }) as Earlier,
          canary: JSON.stringify({ secondaryBaseUrl: 'http://127.0.0.1:82/' }) as Earlier,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const target = { addresses: jsonText([]), weight: 1, enabled: 1 } as const
      await tx
        .insertInto('lb_targets')
        .values({ ...target, backend_id: id, base_url: 'http://127.0.0.1:83' })
        .execute()
      await tx
        .insertInto('backends')
        .values({ ...row, name: 'b' })
        .execute()
    })
    await old.close()
    const rows = await (await aDatabase(path)).query
      .selectFrom('backends')
      .select(['upstream_auth_info', 'oauth_info'])
      .orderBy('name')
      .execute()
    const origins = ['http://127.0.0.1:81', 'http://127.0.0.1:82', 'http://127.0.0.1:83']
    expect(
      rows.map((row) => [row.upstream_auth_info, row.oauth_info].map((info) => JSON.parse(info ?? 'null'))),
    ).toEqual([
      [
        { type: 'bearer', updatedAt: at, origins },
        { tokenUrl: 'https://id.example/token', clientId: 'c', origins, secretOrigins: ['https://id.example'] },
      ],
      [null, null],
    ])
  })
})
