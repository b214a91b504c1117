// A whole gateway mounts these tables behind the gates: each route refuses one caller of each kind, and a field too many.
// `every-route.test.ts` has every credential and every input, for all routes of the contract.
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  ACCESS,
  BACKENDS,
  CURATION,
  ErrorEnvelope,
  FLEET,
  fillPath,
  mayUse,
  OBSERVATION,
  RECORDED,
  ROLES,
  type Role,
  type Route,
} from '#contract'
import { createGateway, type Gateway, loadSettings } from '../index.ts'

type Row = { readonly name: string; readonly route: Route }
const ROWS: readonly Row[] = Object.entries({
  ...BACKENDS,
  ...CURATION,
  ...ACCESS,
  ...RECORDED,
  ...FLEET,
  ...OBSERVATION,
}).flatMap(([noun, table]) => Object.entries<Route>(table).map(([verb, route]) => ({ name: `${noun}.${verb}`, route })))
const MUTATIONS = ROWS.filter(({ route }) => route.method !== 'GET')
/** Unknown fields of these are named in a warning and do no harm (contract 1.3). */
const LENIENT = new Set(['register.register', 'register.preview'])
const KEY = 'an-admin-key-of-the-tests'
const password = (role: string): string => `the password of ${role}`

type Reply = {
  readonly status: number
  readonly headers: Headers
  readonly json: Record<string, unknown>
  readonly code: string | undefined
}
type SessionHeaders = { readonly cookie: string; readonly 'x-csrf-token': string }
let gateway: Gateway
let url: string
let sessions: Record<Role, SessionHeaders>

async function ask(path: string, method: string, headers: Record<string, string> = {}, body?: unknown): Promise<Reply> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(url + path, {
    method,
    headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(text !== undefined && { body: text }),
  })
  const answered = await response.text()
  const json = answered === '' ? {} : (JSON.parse(answered) as Record<string, unknown>) // every answer here is an object
  return {
    status: response.status,
    headers: response.headers,
    json,
    code: (json.error as { code?: string } | undefined)?.code,
  }
}
const byKey = { authorization: `Bearer ${KEY}` }

beforeAll(async () => {
  const quiet = ['GLOBAL', 'LOGIN', 'REGISTER', 'EXPENSIVE'].map((family) => [`RATE_LIMIT_${family}`, '1000000'])
  const env = {
    ADMIN_API_KEYS: KEY,
    DB_PATH: ':memory:',
    PORT: '0',
    HOST: '127.0.0.1',
    // What the health loop records in the meantime is no trace of a request.
    HEALTH_CHECK_INTERVAL_MS: '86400000',
    ...Object.fromEntries(quiet),
  }
  gateway = await createGateway({
    loaded: loadSettings({ env, readFile: () => '' }),
    home: 'headless',
    writeLog: () => undefined,
  })
  url = await gateway.listen()
  const people = await Promise.all(
    ROLES.map(async (role): Promise<[Role, SessionHeaders]> => {
      await ask('/admin-api/users', 'POST', byKey, { username: `the-${role}`, password: password(role), role })
      const login = await ask(
        '/admin-api/auth/login',
        'POST',
        {},
        { username: `the-${role}`, password: password(role) },
      )
      const cookie = login.headers
        .getSetCookie()
        .map((each) => each.split(';', 1)[0])
        .join('; ')
      return [role, { cookie, 'x-csrf-token': login.headers.get('x-csrf-token') ?? '' }]
    }),
  )
  sessions = Object.fromEntries(people) as Record<Role, SessionHeaders> // one entry per role, from the list of roles
})
afterAll(async () => void (await gateway.close()))

const filled = (route: Route): string => fillPath(route.path, new Proxy({}, { get: () => 'nothing' }))
function send(route: Route, headers: Record<string, string>, body?: unknown): Promise<Reply> {
  known = undefined
  return ask(filled(route), route.method, headers, body)
}

/** What a refused request could have left behind. */
const state = async (): Promise<string> =>
  JSON.stringify([
    (await ask('/admin-api/clients', 'GET', byKey)).json,
    (await ask('/admin-api/catalog?source=custom', 'GET', byKey)).json,
    (await ask('/admin-api/bundles', 'GET', byKey)).json,
    (await ask('/admin-api/audit-log', 'GET', byKey)).json,
  ])

/** As the last refusal left it, until something else is asked: thousands of looks cost more than what is looked at. */
let known: string | undefined

async function refused(work: () => Promise<Reply>, expected: string): Promise<void> {
  const before = known ?? (await state())
  const answer = await work()
  expect(`${answer.status} ${answer.code}`).toBe(expected)
  const { error } = ErrorEnvelope.strict().parse(answer.json)
  expect(error.request_id).toBe(answer.headers.get('x-request-id'))
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const after = await state()
  expect(after).toBe(before)
  known = after
}

it.each(ROWS)('$name is 401 for who is not known', async ({ route }) => {
  await refused(() => send(route, {}), '401 UNAUTHORIZED')
})

const ACTOR = { kind: 'session', name: 'x', username: 'x', teamId: null } as const
const TOO_LOW = ROWS.flatMap(({ name, route }) =>
  ROLES.filter((role) => route.access !== 'public' && !mayUse({ ...ACTOR, role }, route.access)).map((role) => ({
    name,
    role,
    route,
  })),
)
it.each(TOO_LOW)('$name is 403 for the role $role', async ({ route, role }) => {
  await refused(() => send(route, sessions[role]), '403 FORBIDDEN')
})

it.each(MUTATIONS)('$name is 403 under a session without its token', async ({ route }) => {
  await refused(() => send(route, { cookie: sessions.admin.cookie }), '403 CSRF_VALIDATION_FAILED')
})

it.each(MUTATIONS)('$name takes no unknown field, and names it (security case AZ-14)', async ({ name, route }) => {
  // Without one of its fields, the tool runner takes the body as the arguments (contract 7.3).
  if (name === 'tools.test') {
    await refused(() => send(route, byKey, { dryRun: true, zzz: true }), '400 VALIDATION_ERROR')
    return
  }
  if (LENIENT.has(name)) {
    const body = {
      name: 'odd',
      zzz: true,
      tools: [{ name: 't', method: 'GET', endpoint: '/', description: 'd' }],
      base_url: 'http://93.184.215.14',
    }
    expect((await send(route, byKey, body)).json.warnings).toContainEqual(expect.stringContaining('"zzz"'))
    return
  }
  const body = { teamId: 1, id: 7, zzz: true }
  await refused(() => send(route, byKey, body), '400 VALIDATION_ERROR')
  // A choice between shapes is asked for its type first.
  if (route.method !== 'GET' && route.body && !('shape' in route.body)) return
  const answer = await send(route, byKey, { zzz: true })
  expect(answer.json).toMatchObject({
    error: { fields: expect.arrayContaining([expect.objectContaining({ path: 'zzz' })]) },
  })
})
