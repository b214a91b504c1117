// A real gateway in a process of its own, on a free port of loopback, with a database file that outlives it.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request as ask } from 'undici'
import { onTestFinished } from 'vitest'
import { isStale } from '../../tools/stale.mjs'

const root = new URL('../..', import.meta.url).pathname
export const ADMIN_KEY = 'admin-key-of-the-scenarios'

/** Lets a first start make its admin, as it does where nobody said anything. */
export const FIRST_ADMIN = { BOOTSTRAP_ADMIN_USERNAME: '' }

/** High enough that no scenario meets a limit it does not ask for. */
const ROOMY = Object.fromEntries(
  ['GLOBAL', 'LOGIN', 'BACKUP', 'EXPENSIVE', 'LLMS_TXT', 'REGISTER'].map((family) => [
    `RATE_LIMIT_${family}`,
    '100000',
  ]),
)

/** Nor a health check: on a slow machine it is one more request to a backend whose requests are counted, or held. */
export const UNCHECKED = { HEALTH_CHECK_INTERVAL_MS: '86400000' }

/** Hashing is most of what a scenario with people would cost; the work factor is kept by those about passwords. */
const LIGHT_PASSWORDS = `--import=${new URL('light-passwords.mjs', import.meta.url).href}`

/** Passwords as dear as they are shipped. */
export const DEAR_PASSWORDS = { NODE_OPTIONS: '' }

export type Env = Readonly<Record<string, string>>
export type Exit = { readonly code: number | null; readonly stdout: string; readonly stderr: string }
export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Undefined when the text is no JSON. */
  readonly json: unknown
}
export type Ask = { readonly method?: string; readonly body?: unknown; readonly headers?: Env }
export type Gateway = {
  readonly url: string
  readonly folder: string
  readonly pid: number
  /** Everything it has printed. */
  readonly output: () => string
  readonly ask: (path: string, ask?: Ask) => Promise<Answer>
  /** The same with the env admin key. */
  readonly admin: (path: string, ask?: Ask) => Promise<Answer>
  readonly signal: (signal: NodeJS.Signals) => void
  readonly exited: Promise<Exit>
  /** A clean stop; the folder stays. */
  readonly stop: () => Promise<Exit>
  /** Ends it however it stands. */
  readonly end: () => Promise<void>
}

/** A process that is ending may still remove files of its own. */
export const REMOVED = { recursive: true, force: true, maxRetries: 50, retryDelay: 100 } as const

/** Some things are read from /proc, which only Linux has. */
export const onLinux = process.platform === 'linux'
/** For the titles of those tests. */
export const unlessLinux = onLinux ? '' : ' (skipped: it is read from /proc)'

/** A folder that goes with the test. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-e2e-'))
  onTestFinished(() => rmSync(folder, REMOVED))
  return folder
}

/** What hundreds of starts of one program compile once. */
export const COMPILED = { NODE_COMPILE_CACHE: join(tmpdir(), 'gantry-e2e-compiled') }
/** What is shipped, when it says what the sources say: it starts in half the time. */
export const PROGRAM = isStale() ? 'gateway/serve.ts' : 'dist/gateway/serve.js'

/** The command that runs a program of Node: a shell or a terminal may stand before it. */
export type Through = (node: string, program: string) => readonly [command: string, ...args: string[]]

type Launched = { readonly child: ChildProcess; readonly exit: Promise<Exit>; readonly output: () => string }

function launch(folder: string, env: Env, program = PROGRAM, through: Through = (...all) => all): Launched {
  const [command, ...args] = through(process.execPath, program)
  const child = spawn(command, args, {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      ...COMPILED,
      PORT: '0',
      DB_PATH: join(folder, 'gantry.db'),
      ADMIN_API_KEYS: ADMIN_KEY,
      NODE_OPTIONS: LIGHT_PASSWORDS,
      // Half a first admin is none, and no start waits for a password to be hashed.
      BOOTSTRAP_ADMIN_USERNAME: 'nobody',
      ...ROOMY,
      ...UNCHECKED,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const exit = new Promise<Exit>((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
  return { child, exit, output: () => stdout + stderr }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function request(url: string, { method = 'GET', body, headers = {} }: Ask = {}): Promise<Answer> {
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  const response = await ask(url, {
    method,
    headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
    body: text ?? null,
    // Nothing is kept open: what a stop does to idle connections is not what a scenario is about.
    reset: true,
  })
  const answered = await response.body.text()
  const told = new Headers()
  for (const [name, values] of Object.entries(response.headers))
    for (const value of [values ?? []].flat()) told.append(name, value)
  return { status: response.statusCode, headers: told, text: answered, json: parsed(answered) }
}

/** A start that is expected to end by itself. */
export async function refusedStart(env: Env, folder = aFolder()): Promise<Exit> {
  const { child, exit } = launch(folder, env)
  onTestFinished(() => void child.kill('SIGKILL'))
  return exit
}

export async function startGateway(
  env: Env = {},
  folder?: string,
  program?: string,
  through?: Through,
): Promise<Gateway> {
  const own = folder ?? mkdtempSync(join(tmpdir(), 'gantry-e2e-'))
  const { child, exit, output } = launch(own, env, program, through)
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const found = /^gantry \S+ listening on (http:\/\/\S+)$/m.exec(output())?.[1]
      if (found) resolve(found)
    })
    void exit.then(({ code }) => reject(new Error(`The gateway ended with ${code}:\n${output()}`)))
  })
  const send: Gateway['ask'] = (path, what) => request(url + path, what)
  return {
    url,
    folder: own,
    pid: child.pid ?? 0,
    output,
    ask: send,
    admin: (path, what = {}) =>
      send(path, { ...what, headers: { authorization: `Bearer ${ADMIN_KEY}`, ...what.headers } }),
    signal: (signal) => void child.kill(signal),
    exited: exit,
    stop: () => {
      child.kill('SIGTERM')
      return exit
    },
    end: async () => {
      child.kill('SIGKILL')
      await exit
      if (folder === undefined) rmSync(own, REMOVED)
    },
  }
}

/** A gateway that goes with the test. */
export async function aGateway(env: Env = {}, folder?: string): Promise<Gateway> {
  const gateway = await startGateway(env, folder)
  onTestFinished(gateway.end)
  return gateway
}

/** The headers of a signed-in session, its CSRF token among them. */
export type Session = { readonly cookie: string; readonly 'x-csrf-token': string }

export function sessionOf(login: Answer): Session {
  const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  return { cookie: cookies.join('; '), 'x-csrf-token': login.headers.get('x-csrf-token') ?? '' }
}

export async function signIn(gateway: Gateway, username: string, password: string): Promise<Session> {
  const login = await gateway.ask('/admin-api/auth/login', { method: 'POST', body: { username, password } })
  if (login.status !== 200) throw new Error(`Signing in answered ${login.status}: ${login.text}`)
  return sessionOf(login)
}

export const passwordOf = (username: string): string => `${username}, whom nobody guesses`

export async function addUser(gateway: Gateway, username: string, role: string): Promise<void> {
  const body = { username, password: passwordOf(username), role }
  const made = await gateway.admin('/admin-api/users', { method: 'POST', body })
  if (made.status !== 201) throw new Error(`Adding ${username} answered ${made.status}: ${made.text}`)
}

/** A user made by the env admin key, signed in. */
export async function aUser(gateway: Gateway, username: string, role: string): Promise<Session> {
  await addUser(gateway, username, role)
  return signIn(gateway, username, passwordOf(username))
}
