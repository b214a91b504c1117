// A whole admin API for a test: a real front on loopback over a real database, with people who can sign in.
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { createAuthenticator } from '../auth/admin.ts'
import { createCookies } from '../auth/cookies.ts'
import { createOidcProvider } from '../auth/oidc-provider.ts'
import { createPasswords } from '../auth/passwords.ts'
import { createSessions } from '../auth/sessions.ts'
import {
  ACCESS,
  API,
  BACKENDS,
  CONFIGURATION,
  CONNECT,
  CURATION,
  EDITORS,
  FLEET,
  IDENTITY,
  MACHINE,
  OBSERVATION,
  RECORDED,
  SOCKETS,
  WATCHING,
} from '../contract/index.ts'
import type { Role } from '../contract/role.ts'
import type { RouteTable } from '../contract/route.ts'
import { type Front, httpSettings, openFront } from '../http/http.fixture.ts'
import { announceEntries, createEvents, type Events } from '../live/events.ts'
import { createOutbound } from '../net/outbound.ts'
import { type Backups, createBackups } from '../operations/observation/backup.ts'
import { createOverviews, type OverviewCounts } from '../operations/observation/overview.ts'
import { createTraces } from '../operations/observation/traces.ts'
import { createUsages } from '../operations/observation/usage.ts'
import { createInvitations } from '../operations/people/invitations.ts'
import { createOidc } from '../operations/people/oidc.ts'
import { createOidcSignIn } from '../operations/people/oidc-sign-in.ts'
import { createSignIn } from '../operations/people/sign-in.ts'
import { createTeams } from '../operations/people/teams.ts'
import { createUsers } from '../operations/people/users.ts'
import { createChanges } from '../records/changes.ts'
import { createSecretBox } from '../secrets/box.ts'
import { loadSettings } from '../settings/load.ts'
import type { PostureInputs } from '../settings/posture.ts'
import { optionsFor } from '../storage/database.fixture.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { createReadWorker } from '../storage/read-worker.ts'
import { insertUser } from '../storage/users.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { mountOn } from './handlers.ts'
import { createIdempotency } from './idempotency.ts'
import { type Handlers, type MountDeps, mount } from './mount.ts'
import { mountAdmin } from './mount-admin.ts'
import { openApi } from './openapi.ts'

export const KEY = 'an-admin-key-of-the-tests'
export const PASSWORD = 'a password never guessed'

export type Ask = {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
export type Reply = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Record<string, unknown>
  readonly code: string | undefined
}
export type SessionHeaders = { readonly cookie: string; readonly 'x-csrf-token': string }
export type House = {
  readonly front: Front
  /** `METHOD /path` of everything mounted where the admin API lives. */
  readonly routes: readonly string[]
  readonly database: Database
  readonly events: Events
  readonly backups: Backups
  /** The clock; tests move it. */
  readonly time: { nowMs: number }
  readonly ask: (path: string, ask?: Ask) => Promise<Reply>
  /** The same with the key of the environment. */
  readonly asKey: (path: string, ask?: Ask) => Promise<Reply>
  readonly addUser: (username: string, role: Role, more?: { teamId?: number; isActive?: boolean }) => Promise<void>
  readonly signIn: (username: string, password?: string) => Promise<SessionHeaders>
  readonly aSession: (username: string, role: Role, more?: { teamId?: number }) => Promise<SessionHeaders>
  readonly close: () => Promise<void>
}
export type HouseOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly path?: string
  readonly dataDir?: string
  readonly facts?: Partial<OverviewCounts>
  /** Further tables on the same front. */
  readonly mountMore?: (app: FastifyInstance, parts: MountDeps) => void
  readonly postureFacts?: Pick<PostureInputs, 'dataPlaneOpen' | 'secretBoxConfigured'>
}

const QUIET_LIMITS = ['GLOBAL', 'LOGIN', 'BACKUP', 'EXPENSIVE', 'SSO', 'REGISTER'].map((family) => [
  `RATE_LIMIT_${family}`,
  '1000000',
])

export async function openHouse(options: HouseOptions = {}): Promise<House> {
  const { env = {}, path = ':memory:', dataDir = '/nowhere', facts = {} } = options
  const { postureFacts = { dataPlaneOpen: false, secretBoxConfigured: true } } = options
  const loaded = loadSettings({
    env: { ADMIN_API_KEYS: KEY, DB_PATH: path, ...Object.fromEntries(QUIET_LIMITS), ...env },
    readFile: () => '',
  })
  const { settings } = loaded
  const time = { nowMs: Date.UTC(2026, 0, 31, 9, 15) }
  const clock = { now: () => time.nowMs }
  const monotonic = () => time.nowMs
  const database = await openDatabase({ ...optionsFor(path), clock })
  const events = createEvents(clock)
  const readWorker = createReadWorker(database)
  const changes = createChanges(database, clock, announceEntries(events))
  // The least cost there is: what a hash costs is shown in passwords.test.ts.
  const passwords = createPasswords({ cost: 1 })
  const sessions = createSessions({ database, settings, clock, monotonic })
  const cookies = createCookies({ secure: settings.SESSION_COOKIE_SECURE })
  const authenticator = createAuthenticator({ settings, sessions, cookies })
  const callLog = { inserted: async () => undefined }
  const backups = createBackups({ callLog, database, changes, dataDir, version: '1.0.0', clock })
  const overviews = createOverviews({
    callLog,
    database,
    settings,
    version: '1.0.0',
    instanceId: 'one',
    clock,
    monotonic,
    leads: () => true,
    fleet: () => null,
    facts: async () => facts,
    postureFacts: () => postureFacts,
  })
  const outbound = createOutbound({ allowPrivate: settings.ALLOW_PRIVATE_IPS, connections: 4 })
  const box = createSecretBox({
    settings,
    salt: Buffer.alloc(32, 1),
    send: () => Promise.reject(new Error('a local box asks no service')),
    binding: { complete: () => true },
    metrics: createMetrics(),
  })
  const provider = createOidcProvider(outbound, { timeoutMs: settings.OIDC_TIMEOUT_MS, clock, monotonic })
  const oidc = createOidc({ database, changes, box, settings, provider, clock })
  const routes: string[] = []
  const front = await openFront(
    { ...httpSettings(), ...settings, HOST: '127.0.0.1' },
    { openApi: () => openApi(API, '1.0.0') },
    (http) => {
      http.app.addHook('onRoute', ({ method, url }) => {
        if (/^\/(admin-api|register|clients)(\/|$)/.test(url))
          for (const each of [method].flat()) routes.push(`${each} ${url}`)
      })
      const shared = {
        spend: http.limits.spend,
        openStream: http.openStream,
        registerBodyBytes: http.registerBodyBytes,
        endsStored: () => Promise.resolve(),
        confirmed: async () => ({ applied: [], pending: [] }),
        idempotency: createIdempotency(database, clock),
      }
      const parts = { ...shared, authenticator }
      options.mountMore?.(http.app, parts)
      mountAdmin(mountOn(http.routes, parts), {
        loaded,
        database,
        clock,
        authenticator,
        cookies,
        sessions,
        events,
        changes,
        overviews,
        usages: createUsages({ query: database.query, readWorker, clock }),
        traces: createTraces({ database, readWorker, changes }),
        backups,
        version: '1.0.0',
        runtime: 'node test',
        oidc,
        oidcSignIn: createOidcSignIn({ database, changes, oidc, provider, sessions, clock }),
        baseUrl: http.baseUrl,
        signIn: createSignIn({ database, changes, passwords, sessions, clock }),
        users: createUsers({ database, changes, passwords, sessions, clock }),
        invitations: createInvitations({ database, changes, passwords, sessions, clock }),
        teams: createTeams({ database, changes, clock }),
      })
    },
  )

  const ask: House['ask'] = async (path, { method = 'GET', body, headers = {} } = {}) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    // oxlint-disable-next-line no-restricted-globals -- this is the browser of the tests, outside the gateway
    const response = await fetch(front.url + path, {
      method,
      redirect: 'manual',
      headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(text !== undefined && { body: text }),
    })
    return toldBy(response)
  }
  const addUser: House['addUser'] = async (username, role, { teamId, isActive = true } = {}) => {
    const at = new Date(clock.now()).toISOString()
    const password_hash = await passwords.hash(PASSWORD)
    await database.write((tx) =>
      insertUser(tx, {
        username,
        password_hash,
        role,
        is_active: isActive ? 1 : 0,
        team_id: teamId ?? null,
        auth_method: 'password',
        created_at: at,
        updated_at: at,
        created_by: null,
        last_login_at: null,
      }),
    )
  }
  const signIn: House['signIn'] = async (username, password = PASSWORD) =>
    sessionFrom(await ask('/admin-api/auth/login', { method: 'POST', body: { username, password } }))

  return {
    front,
    routes,
    database,
    events,
    backups,
    time,
    ask,
    addUser,
    signIn,
    asKey: (path, what = {}) => ask(path, { ...what, headers: { authorization: `Bearer ${KEY}`, ...what.headers } }),
    async aSession(username, role, more) {
      await addUser(username, role, more)
      return signIn(username)
    },
    async close() {
      await front.stop()
      await outbound.close()
      await readWorker.close()
      await database.close()
    },
  }
}

/** The tables whose handlers stand on the registry, mounted where no request may arrive: one that does is answered 500. */
export function mountUnreached(app: FastifyInstance, parts: MountDeps): void {
  for (const table of Object.values<RouteTable>({
    ...BACKENDS,
    ...CURATION,
    ...ACCESS,
    ...CONNECT,
    ...IDENTITY,
    ...CONFIGURATION,
    ...EDITORS,
    ...RECORDED,
    ...SOCKETS,
    ...WATCHING,
    ...FLEET,
    ...MACHINE,
    ...OBSERVATION,
  })) {
    const unreached = Object.keys(table).map((verb) => [verb, () => Promise.reject(new Error(`${verb} was reached`))])
    mount(app, table, Object.fromEntries(unreached) as Handlers<RouteTable>, parts) // one per row, by the line above
  }
}

/** A house that goes with the test. */
export async function aHouse(options: HouseOptions = {}): Promise<House> {
  const house = await openHouse(options)
  onTestFinished(house.close)
  return house
}

async function toldBy(response: Response): Promise<Reply> {
  const text = await response.text()
  const json = jsonOf(text)
  const { error } = json as { error?: { code?: string } }
  return { status: response.status, headers: response.headers, text, json, code: error?.code }
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** What a browser keeps of an answer that opened a session. */
export function sessionFrom({ status, headers, text }: Reply): SessionHeaders {
  const token = headers.get('x-csrf-token')
  if (token === null) throw new Error(`No session was opened: ${status} ${text}`)
  const cookie = headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ')
  return { cookie, 'x-csrf-token': token }
}

/** Every row a request could have changed, but for what it may always touch: the time of last use. */
export async function stateOf(database: Database): Promise<string> {
  const tables = ['users', 'admin_sessions', 'audit_log', 'idempotency_keys', 'meta'] as const
  const rows = await Promise.all(tables.map((table) => database.query.selectFrom(table).selectAll().execute()))
  return JSON.stringify(rows, (name, value: unknown) => (name === 'last_seen_at' ? undefined : value))
}
