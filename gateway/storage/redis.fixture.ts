// A real Redis server for a test file, from the machine's own package, without a file on the disk.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll } from 'vitest'
import { serverPort } from './server-port.fixture.ts'

const SERVERS = ['/usr/bin/redis-server', '/usr/bin/valkey-server', '/usr/local/bin/redis-server']
const server = process.platform === 'win32' ? undefined : SERVERS.find((path) => existsSync(path))
export const hasRedis = server !== undefined
/** For the titles of the suites. */
export const redisHere = hasRedis ? 'a real server' : 'skipped: no Redis on this machine (Debian: redis-server)'

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('data', (data) => {
      resolve(data.toString().startsWith('+PONG'))
      socket.destroy()
    })
    socket.write('PING\r\n')
  })

export type RedisServer = {
  readonly url: string
  readonly signal: (signal: NodeJS.Signals) => void
  /** The same port, empty. */
  readonly again: () => Promise<void>
  readonly end: () => Promise<void>
}

export async function startRedis(): Promise<RedisServer> {
  if (server === undefined) throw new Error(redisHere)
  const port = await serverPort()
  let child: ChildProcess | undefined
  let gone: Promise<unknown> = Promise.resolve()
  async function start(path: string): Promise<void> {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    child = spawn(path, args, { stdio: 'ignore' })
    const started = child
    gone = new Promise((resolve) => started.once('exit', resolve))
    for (let left = 600; !(await answers(port)); left--) {
      if (left === 0) {
        started.kill('SIGKILL')
        throw new Error('redis-server does not answer')
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await start(server)
  return {
    url: `redis://127.0.0.1:${port}`,
    signal: (signal) => void child?.kill(signal),
    again: () => start(server),
    end: async () => {
      child?.kill('SIGKILL')
      await gone
    },
  }
}

/** One server for the file. */
export function useRedis(): () => Promise<RedisServer> {
  let running: Promise<RedisServer> | undefined
  afterAll(async () => (await running)?.end())
  return () => (running ??= startRedis())
}
