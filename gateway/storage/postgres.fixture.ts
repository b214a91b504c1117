// A real PostgreSQL server for the tests of a worker, from the machine's own package, in a folder that goes with it.
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { beforeAll } from 'vitest'
import { optionsFor } from './database.fixture.ts'
import { openPostgres } from './postgres.ts'
import { serverPort } from './server-port.fixture.ts'

const DEBIAN = '/usr/lib/postgresql'
const UNPRIVILEGED = 65_534

function binaries(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => path.join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ]
  return folders.find((folder) => existsSync(path.join(folder, 'initdb')) && existsSync(path.join(folder, 'postgres')))
}

const bin = process.platform === 'win32' ? undefined : binaries()
export const hasPostgres = bin !== undefined
/** For the titles of the suites: on what, or why not. */
export const postgresHere = hasPostgres
  ? 'a real server'
  : 'skipped: no PostgreSQL on this machine (Debian: postgresql)'

// It refuses to run as root.
const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}

// It ends with the process of the worker, however that ends, because then its input does.
const SERVE = `"$1/postgres" -D "$2/data" -p "$3" -k "$2" -c listen_addresses=127.0.0.1 -c fsync=off -c jit=off &
server=$!; read ended; kill -QUIT $server; wait; rm -rf "$2"`

const address = (port: number, name: string): string => `postgres://gantry@127.0.0.1:${port}/${name}`

async function asked(port: number, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: address(port, 'postgres') })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

/** Answers its port. */
async function start(programs: string): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-pg-'))
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  const place = { ...user, env: { PATH: `${programs}:/usr/bin:/bin`, LC_ALL: 'C' }, cwd: folder }
  const data = path.join(folder, 'data')
  execFileSync(path.join(programs, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'gantry', '-E', 'UTF8', '-N'], {
    ...place,
    stdio: 'ignore',
  })
  const port = await serverPort()
  const server = spawn('sh', ['-c', SERVE, 'sh', programs, folder, String(port)], {
    ...place,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  server.unref()
  for (let left = 600; ; left--)
    try {
      await asked(port, 'select 1')
      return port
    } catch (error) {
      if (left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
}

let server: Promise<number> | undefined
let template: Promise<string> | undefined
let made = 0

async function aCopy(port: number, of: string): Promise<string> {
  const name = `of_test_${++made}`
  await asked(port, `create database ${name} template ${of} encoding 'UTF8'`)
  return name
}

/** A copy of it costs a tenth of the migrations. */
async function withTables(port: number): Promise<string> {
  const name = await aCopy(port, 'template0')
  const place = { dataDir: null, url: address(port, name), poolMax: 1 }
  await (await openPostgres({ ...optionsFor(':memory:'), ...place })).close()
  return name
}

/** One server for all files of the worker; each call answers the address of a database of its own. */
export function usePostgres(): (state?: 'empty' | 'migrated') => Promise<string> {
  const started = (): Promise<number> => {
    if (bin === undefined) throw new Error(postgresHere)
    return (server ??= start(bin))
  }
  if (bin !== undefined) beforeAll(started)
  return async (state = 'empty') => {
    const port = await started()
    const of = state === 'empty' ? 'template0' : await (template ??= withTables(port))
    return address(port, await aCopy(port, of))
  }
}
