// Every route of BACKENDS, CURATION, ACCESS, RECORDED, FLEET and OBSERVATION, on a whole gateway, against every caller who may not use it and every input it does not accept.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
const TAKES_FIELDS = MUTATIONS.flatMap(
  ({ name, route }) =>
    route.method !== 'GET' && route.body && 'shape' in route.body
      ? Object.keys(route.body.shape as object).map((field) => ({ name, route, field }))
      : [],
  // A template may be any JSON there is: no type of it is wrong.
).filter(({ name, field }) => name !== 'composites.update' || field !== 'output')
/** Unknown fields of these are named in a warning and do no harm (contract 1.3). */
const LENIENT = new Set(['register.register', 'register.preview'])
const LIMIT_BYTES = 4096
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
    MAX_BODY_BYTES: String(LIMIT_BYTES),
    MAX_REGISTER_BODY_BYTES: String(LIMIT_BYTES),
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
function send(route: Route, headers: Record<string, string>, body?: unknown, query = ''): Promise<Reply> {
  known = undefined
  return ask(filled(route) + query, route.method, headers, body)
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

describe.each(ROWS)('$name, to who is not known,', ({ route }) => {
  it.each([
    ['nothing', () => ({})],
    ['an unknown Bearer', () => ({ authorization: 'Bearer wrong' })],
    ['an unknown session', () => ({ cookie: '__Host-gantry_session=unknown' })],
    ['a bad Bearer beside a good session', () => ({ ...sessions.admin, authorization: 'Bearer wrong' })],
  ])('is 401 for %s', async (_case, headers: () => Record<string, string>) => {
    await refused(() => send(route, headers()), '401 UNAUTHORIZED')
    if (route.method !== 'GET') await refused(() => send(route, headers(), '{"broken'), '401 UNAUTHORIZED')
  })
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
  if (route.method !== 'GET') await refused(() => send(route, sessions[role], '{"broken'), '403 FORBIDDEN')
})

describe.each(MUTATIONS)('$name, under a session,', ({ route }) => {
  it.each([
    ['without a token', () => ({})],
    ['with a wrong token', () => ({ 'x-csrf-token': 'wrong' })],
    ["with another session's token", () => ({ 'x-csrf-token': sessions.viewer['x-csrf-token'] })],
  ])('is 403 %s', async (_case, headers: () => Record<string, string>) => {
    const { cookie } = sessions.admin
    await refused(() => send(route, { cookie, ...headers() }), '403 CSRF_VALIDATION_FAILED')
  })
})

describe.each(MUTATIONS)('$name, to who may,', ({ name, route }) => {
  it('takes JSON only, whole, shallow and not too much of it', async () => {
    await refused(() => send(route, { ...byKey, 'content-type': 'text/plain' }, '{}'), '415 UNSUPPORTED_MEDIA_TYPE')
    await refused(() => send(route, byKey, '{"a":'), '400 INVALID_JSON')
    await refused(() => send(route, byKey, '{"__proto__":{"role":"admin"}}'), '400 INVALID_JSON')
    await refused(() => send(route, byKey, '['.repeat(40) + ']'.repeat(40)), '400 JSON_TOO_DEEP')
    await refused(() => send(route, byKey, { padding: 'x'.repeat(LIMIT_BYTES) }), '413 PAYLOAD_TOO_LARGE')
  })
  it('takes nothing but an object', async () => {
    for (const body of ['[]', '"text"', '7', 'null', 'true'])
      await refused(() => send(route, byKey, body), '400 VALIDATION_ERROR')
  })
  it('takes no unknown field, and names it (security case AZ-14)', async () => {
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
})

it.each(TAKES_FIELDS)('$name is 400 for $field of the wrong type', async ({ route, field }) => {
  await refused(() => send(route, byKey, { [field]: [[]] }), '400 VALIDATION_ERROR')
})

describe.each(ROWS)('$name', ({ route }) => {
  it('takes no unknown query parameter', async () => {
    await refused(() => send(route, byKey, route.method === 'GET' ? undefined : '{}', '?zzz=1'), '400 VALIDATION_ERROR')
  })
})
