// A real gateway in the process of the test, on a free port of loopback, with a database file that outlives it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request as ask, getGlobalDispatcher } from 'undici'
import { afterAll, onTestFinished } from 'vitest'
import { announcementsIn, createGateway, describeProblems, fatal, loadSettings } from '#gateway'
import { editorHost } from '../../gateway/serve-pcg.ts'
import { placeOf } from './place.fixture.ts'

export const ADMIN_KEY = 'admin-key-of-the-scenarios'

/** Lets a first start make its admin, as it does by default. */
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

export type Env = Readonly<Record<string, string>>
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
  /** Its log, and the lines that a start prints. */
  readonly output: () => string
  readonly ask: (path: string, ask?: Ask) => Promise<Answer>
  /** The same with the env admin key. */
  readonly admin: (path: string, ask?: Ask) => Promise<Answer>
  /** A clean stop; the folder stays. */
  readonly stop: () => Promise<unknown>
  /** Ends it, and removes its folder unless the caller passed one. */
  readonly end: () => Promise<void>
}

/** A process that is ending may still remove files of its own. */
export const REMOVED = { recursive: true, force: true, maxRetries: 50, retryDelay: 100 } as const

/** Some things are read from /proc, which only Linux has. */
export const onLinux = process.platform === 'linux'
/** For the titles of those tests. */
export const unlessLinux = onLinux ? '' : ' (skipped: it is read from /proc)'

/** Takes what ends something that was begun. */
type End = () => void | Promise<void>
export type Ends = (end: End) => void

/** For what all tests of a suite share: it ends after them, the last one first, however many of them were begun. */
export function endsOfSuite(): Ends {
  const ends: End[] = []
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })
  return (end) => void ends.push(end)
}

/** A folder that goes with the test. */
export function aFolder(ends: Ends = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-e2e-'))
  ends(() => rmSync(folder, REMOVED))
  return folder
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
  const received = new Headers()
  for (const [name, values] of Object.entries(response.headers))
    for (const value of [values ?? []].flat()) received.append(name, value)
  return { status: response.statusCode, headers: received, text: answered, json: parsed(answered) }
}

/** The environment of a gateway in `folder`, in whichever process. */
export const envOf = (folder: string, env: Env): Env => ({
  HOME: folder,
  PORT: '0',
  DB_PATH: join(folder, 'gantry.db'),
  ADMIN_API_KEYS: ADMIN_KEY,
  // Half a first admin is invalid, and no start waits for a password to be hashed.
  BOOTSTRAP_ADMIN_USERNAME: 'first',
  ...ROOMY,
  ...UNCHECKED,
  ...env,
})

export function speaksTo(url: string): Pick<Gateway, 'ask' | 'admin'> {
  const send: Gateway['ask'] = (path, what) => request(url + path, what)
  return {
    ask: send,
    admin: (path, what = {}) =>
      send(path, { ...what, headers: { authorization: `Bearer ${ADMIN_KEY}`, ...what.headers } }),
  }
}

/** Hashing is most of what a scenario with people would cost. */
const PASSWORD_COST = 4
/** Calls that a test left open do not hold up its end; a test about the grace sets its own. */
const SHORT_GRACE: Env = { SHUTDOWN_FORCE_EXIT_MS: '500' }

/** What a gateway in this process could leave behind for the tests after it. */
const processState = () => ({
  listeners: Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)])),
  dispatcher: getGlobalDispatcher(),
})
let running = 0
let before: ReturnType<typeof processState> | undefined

function entered(): void {
  if (running === 0) before = processState()
  running += 1
}

function left(): void {
  running -= 1
  if (running > 0) return
  const now = processState()
  const changed = Object.entries(now.listeners).filter(([name, count]) => count > (before?.listeners[name] ?? 0))
  if (changed.length > 0) throw new Error(`A stopped gateway left listeners on the process: ${changed.join('; ')}`)
  if (now.dispatcher !== before?.dispatcher) throw new Error('A stopped gateway left a dispatcher of its own')
}

let instead: ((env: Env, folder: string) => Promise<Gateway>) | undefined
/** For a run whose gateways are something else: `fleet-place.fixture.ts`. */
export const startInstead = (start: typeof instead): void => void (instead = start)

/** Composes what `serve.ts` composes. What is about a process needs one: `gateway-process.fixture.ts`. */
export async function startGateway(env: Env = {}, folder?: string): Promise<Gateway> {
  if ('NODE_OPTIONS' in env) throw new Error('Options of Node need a process: use spawnGateway')
  const own = folder ?? mkdtempSync(join(tmpdir(), 'gantry-e2e-'))
  if (instead) {
    const fleet = await instead({ ...SHORT_GRACE, ...env }, own)
    const end = async (): Promise<void> => {
      await fleet.end()
      if (folder === undefined) rmSync(own, REMOVED)
    }
    return { ...fleet, end }
  }
  const all = envOf(own, { ...SHORT_GRACE, ...(await placeOf(own, env)), ...env })
  let output = ''
  const print = (line: string): void => void (output += line)
  const loaded = loadSettings({ env: all, readFile: (file) => readFileSync(file, 'utf8') })
  if (loaded.problems.length > 0)
    print(`gantry: the configuration has problems\n${describeProblems(loaded.problems)}\n`)
  if (fatal(loaded.problems)) throw new Error(output)
  entered()
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= gateway.close().then(left))
  const gateway = await createGateway({
    loaded,
    home: 'headless',
    hostEnvironment: { PATH: process.env.PATH, HOME: own },
    writeLog: print,
    editorHost: await editorHost(loaded.settings),
    announceIn: announcementsIn(all.HOME ?? own),
    passwordCost: PASSWORD_COST,
    onReplaced: (message) => {
      print(`gantry: stops: ${message}\n`)
      void stop()
    },
  }).catch((error: unknown) => {
    left()
    throw error
  })
  const url = await gateway.listen().catch(async (error: unknown) => {
    await stop()
    throw error
  })
  const { line } = gateway.bootstrapped()
  if (line !== null) print(`${line}\n`)
  return {
    url,
    folder: own,
    ...speaksTo(url),
    output: () => output,
    stop,
    end: async () => {
      await stop()
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
export type SessionHeaders = { readonly cookie: string; readonly 'x-csrf-token': string }

export function sessionOf(login: Answer): SessionHeaders {
  const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  return { cookie: cookies.join('; '), 'x-csrf-token': login.headers.get('x-csrf-token') ?? '' }
}

export async function signIn(gateway: Gateway, username: string, password: string): Promise<SessionHeaders> {
  const login = await gateway.ask('/admin-api/auth/login', { method: 'POST', body: { username, password } })
  if (login.status !== 200) throw new Error(`Signing in answered ${login.status}: ${login.text}`)
  return sessionOf(login)
}

export const passwordOf = (username: string): string => `${username}, whom never guessed`

export async function addUser(gateway: Gateway, username: string, role: string): Promise<void> {
  const body = { username, password: passwordOf(username), role }
  const made = await gateway.admin('/admin-api/users', { method: 'POST', body })
  if (made.status !== 201) throw new Error(`Adding ${username} answered ${made.status}: ${made.text}`)
}

/** A user made by the env admin key, signed in. */
export async function aUser(gateway: Gateway, username: string, role: string): Promise<SessionHeaders> {
  await addUser(gateway, username, role)
  return signIn(gateway, username, passwordOf(username))
}
