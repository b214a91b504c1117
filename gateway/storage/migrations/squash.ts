// Writes `squashed.ts`, in which a new SQLite file finds its tables. Run it with: node gateway/storage/migrations/squash.ts
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '../database.ts'
import { MIGRATIONS } from './index.ts'

const dataDir = mkdtempSync(path.join(tmpdir(), 'gantry-squash-'))
const options = {
  path: path.join(dataDir, 'gantry.db'),
  dataDir,
  appVersion: '',
  strict: true,
  backupBeforeMigrate: false,
  log: { warn: () => undefined },
  clock: Date,
}
// From the second on, each runs by itself.
await (await openDatabase({ ...options, migrations: MIGRATIONS.slice(0, 1) })).close()
const database = await openDatabase(options)
const { rows } = await sql<{ text: string }>`select sql as text from sqlite_master
  where sql is not null and name <> 'schema_version' and name not like 'sqlite_%' order by rowid`.execute(
  database.query,
)
await database.close()
rmSync(dataDir, { recursive: true })
const statements = rows.map(({ text }) => `  '${text.replaceAll(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}',\n`)
writeFileSync(
  new URL('squashed.ts', import.meta.url),
  `// Written by squash.ts: what the first migrations leave in an empty SQLite file, of which each \`alter table\` reads the schema again.

export const SQUASHED_VERSION = ${MIGRATIONS.length}

export const SQUASHED: readonly string[] = [
${statements.join('')}]
`,
)
