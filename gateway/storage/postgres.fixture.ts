// A real PostgreSQL server for a test file, from the machine's own package, in a folder that goes with it.
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'

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

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

/** One server for the file; each call answers the address of a database of its own. */
export function usePostgres(): () => Promise<string> {
  let made = 0
  let port = 0
  let stop = async (): Promise<void> => undefined
  const address = (name: string): string => `postgres://gantry@127.0.0.1:${port}/${name}`

  async function asked(text: string, name = 'postgres'): Promise<void> {
    const client = new pg.Client({ connectionString: address(name) })
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }

  if (bin !== undefined) {
    beforeAll(async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'gantry-pg-'))
      if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
      const data = path.join(folder, 'data')
      const env = { PATH: bin, LC_ALL: 'C' }
      execFileSync(path.join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'gantry', '-E', 'UTF8', '-N'], {
        ...user,
        env,
        cwd: folder,
        stdio: 'ignore',
      })
      port = await freePort()
      const options = [
        '-D',
        data,
        '-p',
        String(port),
        '-k',
        folder,
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        'fsync=off',
      ]
      const server = spawn(path.join(bin, 'postgres'), options, { ...user, env, cwd: folder, stdio: 'ignore' })
      const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()))
      stop = async () => {
        // At once, in spite of open connections.
        server.kill('SIGQUIT')
        await gone
        rmSync(folder, { recursive: true, force: true })
      }
      for (let left = 200; ; left--)
        try {
          await asked('select 1')
          return
        } catch (error) {
          if (left === 0) throw error
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
    })
    afterAll(() => stop())
  }
  return async () => {
    const name = `of_test_${++made}`
    await asked(`create database ${name} template template0 encoding 'UTF8'`)
    return address(name)
  }
}
