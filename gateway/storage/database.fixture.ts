// A real database for a test, in a folder that goes away with it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Addition } from './batch.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { OLDEST } from './migrate.ts'

export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function optionsFor(path: string, more: Partial<DatabaseOptions> = {}): DatabaseOptions {
  const dataDir = path === ':memory:' ? tmpdir() : join(path, '..')
  const log = { warn: () => undefined }
  return { path, dataDir, appVersion: '1.0.0', strict: true, backupBeforeMigrate: true, log, clock: Date, ...more }
}

export async function aDatabase(
  path = join(aFolder(), 'gantry.db'),
  more: Partial<DatabaseOptions> = {},
): Promise<Database> {
  const database = await openDatabase(optionsFor(path, more))
  onTestFinished(() => database.close())
  return database
}

/** The facts in `meta` that a test wrote: not what the migrations leave there. */
export const keysOf = async ({ query }: Pick<Database, 'query'>): Promise<string[]> =>
  (await query.selectFrom('meta').select('key').where('key', '!=', OLDEST).orderBy('key').execute()).map(
    ({ key }) => key,
  )

export const USED: Addition = {
  table: 'consumer_usage',
  key: ['consumer_id', 'period'],
  amount: 'used',
  parents: 'consumers',
}

/** A consumer whose calls can be counted. */
export async function aConsumer(database: Pick<Database, 'write'>, name: string): Promise<number> {
  const at = '2026-01-01T00:00:00.000Z'
  const row = { name, monthly_quota: null, end_user_rate: null, team_id: null, revision: 1, created_by: null }
  const made = await database.write((tx) =>
    tx
      .insertInto('consumers')
      .values({ ...row, created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  return made.id
}
