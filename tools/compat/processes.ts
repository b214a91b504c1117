// The processes of the compatibility run: a gateway that restarts on its port, one client, one server of a package.
import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { endedWithUs } from '../ended-with.ts'
import { isStale } from '../stale.mjs'

const ROOT = path.resolve(import.meta.dirname, '../..')
const START_MS = 60_000
const STEP_MS = 45_000
export const ADMIN_KEY = 'admin-key-of-the-compatibility-run'

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (typeof address !== 'object' || address === null) throw new Error('There is no free port')
  return address.port
}

async function answers(url: string): Promise<void> {
  const until = Date.now() + START_MS
  while (Date.now() < until) {
    if (await fetch(url).catch(() => undefined)) return
    await pause(200)
  }
  throw new Error(`Nothing answers at ${url}`)
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

export type Running = { readonly url: string; restart(): Promise<void>; stop(): Promise<void> }

/** A program that listens on a port, and listens there again after a restart. */
async function running(start: () => ChildProcess, url: string, probe: string): Promise<Running> {
  let child = start()
  await answers(probe)
  return {
    url,
    async restart() {
      await ended(child, 'SIGTERM')
      child = start()
      await answers(probe)
    },
    stop: () => ended(child, 'SIGKILL'),
  }
}

/** Without a key it is open. */
export async function startGateway(folder: string, key: string | undefined): Promise<Running> {
  const port = await freePort()
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    PORT: String(port),
    DB_PATH: path.join(folder, 'gantry.db'),
    ADMIN_API_KEYS: ADMIN_KEY,
    BOOTSTRAP_ADMIN_USERNAME: 'unused',
    ALLOW_PRIVATE_IPS: 'true',
    PCG_ENABLED: 'true',
    RATE_LIMIT_MCP: '100000',
    RATE_LIMIT_GLOBAL: '100000',
    RATE_LIMIT_REGISTER: '1000',
    ...(key === undefined ? {} : { MCP_API_KEYS: key }),
  }
  const program = path.join(ROOT, isStale() ? 'gateway/serve.ts' : 'dist/gateway/serve.js')
  const url = `http://127.0.0.1:${port}`
  return running(
    () => endedWithUs(spawn(process.execPath, [program], { cwd: folder, env, stdio: 'ignore' })),
    url,
    `${url}/readyz`,
  )
}

/** `args` come after the path of the program, inside the packages of `folder`. */
export function startServer(
  folder: string,
  args: readonly string[],
  { port, endpoint, env = {} }: { port: number; endpoint: string; env?: Readonly<Record<string, string>> },
): Promise<Running> {
  const own = { PATH: process.env.PATH ?? '', HOME: folder, PORT: String(port), ...env }
  const url = `http://127.0.0.1:${port}${endpoint}`
  return running(() => endedWithUs(spawn(process.execPath, args, { cwd: folder, env: own, stdio: 'ignore' })), url, url)
}

export type Step = { readonly step: 'open' | 'list' | 'call' | 'close'; readonly tool?: string; readonly args?: object }
export type Driver = { take(step: Step): Promise<unknown>; end(): Promise<void> }

/** Rejects with the message of the client. */
export function startClient(folder: string, name: string, url: string, headers: object): Driver {
  const args = [path.join(folder, 'drive.mjs'), name, url, JSON.stringify(headers)]
  const env = { PATH: process.env.PATH ?? '', HOME: folder }
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] })
  endedWithUs(child)
  // Two lines can arrive in one chunk, so answers are queued rather than awaited line by line.
  const answers: string[] = []
  const events = new EventEmitter()
  createInterface({ input: child.stdout }).on('line', (line) => {
    // Programs print what they like; only marked lines are answers.
    if (!line.startsWith('\u0001')) return
    answers.push(line.slice(1))
    events.emit('answer')
  })
  child.on('exit', () => {
    answers.push('{"error":"its process ended"}')
    events.emit('answer')
  })
  return {
    async take(step) {
      const expired = AbortSignal.timeout(STEP_MS)
      child.stdin.write(`${JSON.stringify(step)}\n`)
      while (answers.length === 0) await once(events, 'answer', { signal: expired })
      const { value, error } = JSON.parse(answers.shift() ?? '{}') as { value?: unknown; error?: string } // of `drive.mjs`
      if (error !== undefined) throw new Error(error)
      return value
    },
    end: () => ended(child, 'SIGKILL'),
  }
}
