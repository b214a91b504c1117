// A real PostgreSQL server from the machine's own package, in a folder that goes with the process that started it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
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

// It ends with the process that started it, however that ends, because then its input does.
const SERVE = `programs="$1" folder="$2" port="$3"; shift 3
"$programs/postgres" -D "$folder/data" -p "$port" -k "$folder" -c listen_addresses=127.0.0.1 -c jit=off "$@" &
server=$!; read ended; kill -QUIT $server; wait; rm -rf "$folder"`

export const addressOn = (port: number, name: string): string => `postgres://gantry@127.0.0.1:${port}/${name}`

export async function askServer(port: number, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: addressOn(port, 'postgres') })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

type PostgresServer = { readonly port: number; readonly child: ChildProcess }

/** `settings` as `name=value`. */
export async function startPostgres(settings: readonly string[]): Promise<PostgresServer> {
  if (bin === undefined) throw new Error(postgresHere)
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-pg-'))
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  const place = { ...user, env: { PATH: `${bin}:/usr/bin:/bin`, LC_ALL: 'C' }, cwd: folder }
  const data = path.join(folder, 'data')
  execFileSync(path.join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'gantry', '-E', 'UTF8', '-N'], {
    ...place,
    stdio: 'ignore',
  })
  const port = await serverPort()
  const options = settings.flatMap((each) => ['-c', each])
  const child = spawn('sh', ['-c', SERVE, 'sh', bin, folder, String(port), ...options], {
    ...place,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  child.unref()
  for (let left = 600; ; left--)
    try {
      await askServer(port, 'select 1')
      return { port, child }
    } catch (error) {
      if (left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
}
