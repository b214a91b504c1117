// `gantry database copy <from> <to>`: moves a database between a SQLite file and PostgreSQL, and verifies the copy.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { walkChain } from './audit-log/walk.ts'
import { copyDatabase } from './storage/copy.ts'
import { type Database, openDatabase } from './storage/database.ts'
import { openPostgres } from './storage/postgres.ts'
import { VERSION } from './version.ts'

const USAGE = `Usage: gantry database copy <from> <to>

<from> and <to> are each a SQLite file, a postgres:// address, or env:NAME for a variable that holds one:
other programs of the computer can read arguments, and an address may hold a password. Stop the gateway first.
The target must be new or empty. Counts of all tables and the audit chain are verified.
`
const STATEMENT_MS = 600_000

const options = {
  appVersion: VERSION,
  strict: true,
  log: { warn: (message: string) => void process.stderr.write(`${message}\n`) },
  clock: Date,
}

function opened(place: string): Promise<Database> {
  if (/^postgres(?:ql)?:\/\//.test(place))
    return openPostgres({ ...options, url: place, poolMax: 3, statementMs: STATEMENT_MS, dataDir: null })
  return openDatabase({
    ...options,
    path: place,
    dataDir: path.dirname(path.resolve(place)),
    backupBeforeMigrate: true,
  })
}

async function copied(from: Database, to: Database): Promise<number> {
  const nowMs = Date.now()
  const all = await copyDatabase(from, to, {
    nowMs,
    onTable: ({ table, rows }) => void process.stderr.write(`${table}: ${rows}\n`),
  })
  const verdict = await walkChain(to.query, 'none', new Date(nowMs).toISOString())
  const source = await walkChain(from.query, 'none', new Date(nowMs).toISOString())
  const same = verdict.headHash === source.headHash && verdict.checked === source.checked
  if (!verdict.valid || !same) {
    process.stderr.write('The audit chain of the copy does not verify: do not use the copy.\n')
    return 1
  }
  const rows = all.reduce((sum, each) => sum + each.rows, 0)
  process.stdout.write(`Copied ${rows} rows. The audit chain is complete: ${verdict.checked} entries.\n`)
  return 0
}

type Environment = Readonly<Record<string, string | undefined>>

export async function runDatabase(args: readonly string[], env: Environment): Promise<number> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { help: { type: 'boolean' } } })
  const [verb, source, target] = positionals.map((each) =>
    each.startsWith('env:') ? (env[each.slice(4)] ?? '') : each,
  )
  if (verb !== 'copy' || !source || !target || positionals.length > 3) {
    process.stderr.write(USAGE)
    return 64
  }
  if (!/^postgres(?:ql)?:/.test(source) && !existsSync(source)) {
    process.stderr.write(`There is no file ${source}\n`)
    return 64
  }
  const from = await opened(source)
  try {
    const to = await opened(target)
    try {
      return await copied(from, to)
    } finally {
      await to.close()
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 74
  } finally {
    await from.close()
  }
}
