// Every route of the admin API against every caller who may not use it and every input it does not accept, derived from the table.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { API, ErrorEnvelope, fillPath, mayUse, ROLES, type Role, type Route, type RouteTable } from '#contract'
import {
  type Ask,
  type House,
  KEY,
  mountUnreached,
  openHouse,
  type Reply,
  type SessionHeaders,
  stateOf,
} from './admin.fixture.ts'

type Row = { readonly name: string; readonly route: Route }
const ROWS: readonly Row[] = Object.entries<RouteTable>(API).flatMap(([noun, table]) =>
  Object.entries<Route>(table).map(([verb, route]) => ({ name: `${noun}.${verb}`, route })),
)
const CLOSED = ROWS.filter(({ route }) => route.access !== 'public')
const MUTATIONS = ROWS.filter(({ route }) => route.method !== 'GET')
const TAKES_BODY = MUTATIONS.filter(({ route }) => route.method !== 'GET' && route.body !== undefined)
const LIMIT_BYTES = 2048
/**
 * Registrations name a field too many in their warnings instead (contract 1.3), documents in what they skip (12); the
 * try-it runner takes it for an argument (7.3).
 */
const LENIENT = new Set(['register.register', 'register.preview', 'tools.test', 'configDocuments.import'])
/** What a provider adds to its answer is its own affair. */
const OPEN_QUERY = new Set(['oidc.callback', 'identity.connected'])
const bodyOf = (route: Route) => (route.method === 'GET' ? undefined : route.body)
/** The fields of a body that is one object. */
function fieldsOf(route: Route): readonly string[] {
  const body = bodyOf(route)
  return body instanceof z.ZodObject ? Object.keys(body.shape) : []
}
function accepts(route: Route, field: string, value: unknown): boolean {
  const parsed = bodyOf(route)?.safeParse({ [field]: value })
  return parsed?.error?.issues.every(({ path }) => path[0] !== field) ?? true
}
const A_SESSION = { kind: 'session', name: 'x', username: 'x', teamId: null } as const
type Access = Exclude<Route['access'], 'public'> // of the routes in CLOSED

let house: House
let sessions: Record<Role | 'team', SessionHeaders>
beforeAll(async () => {
  house = await openHouse({
    env: { MAX_BODY_BYTES: String(LIMIT_BYTES), MAX_REGISTER_BODY_BYTES: String(LIMIT_BYTES) },
    mountMore: mountUnreached,
  })
  const people = await Promise.all(
    ROLES.map(async (role) => [role, await house.aSession(`the-${role}`, role)] as const),
  )
  sessions = {
    ...(Object.fromEntries(people) as Record<Role, SessionHeaders>), // one entry per role, from the list of roles
    team: await house.aSession('the-team-admin', 'admin', { teamId: 7 }),
  }
})
afterAll(() => house.close())

const filled = (route: Route): string =>
  fillPath(route.path, new Proxy({}, { get: (_none, key) => (key === 'id' ? '7' : 'nothing') }))
/** What a route cannot be asked without, so that its body is looked at. */
function needed({ query }: Route): string {
  const fields = Object.entries(query?.shape ?? {}).filter(([, field]) => !z.safeParse(field, undefined).success)
  return fields.length === 0 ? '' : `?${fields.map(([name]) => `${name}=x`).join('&')}`
}
/** As the last refusal left it, until something else is asked: thousands of looks cost more than what is looked at. */
let known: string | undefined

function send(route: Route, headers: Record<string, string>, more: Ask & { query?: string } = {}): Promise<Reply> {
  known = undefined
  return house.ask(filled(route) + (more.query ?? needed(route)), {
    method: route.method,
    ...more,
    headers: { ...headers, ...more.headers },
  })
}
const outcome = ({ status, code }: Reply): string => `${status} ${code ?? ''}`.trim()

/** The refusal is the envelope, carries the id of the request, and leaves nothing behind. */
async function refused(work: () => Promise<Reply>, expected: string): Promise<void> {
  const before = known ?? (await stateOf(house.database))
  const reply = await work()
  expect(outcome(reply)).toBe(expected)
  const { error } = ErrorEnvelope.strict().parse(reply.json)
  expect(error.request_id).toBe(reply.headers.get('x-request-id'))
  expect(error.message).not.toBe('')
  expect(reply.headers.get('cache-control')).toBe('no-store')
  if (reply.status === 401) expect(reply.headers.get('www-authenticate')).toBe('Bearer')
  const after = await stateOf(house.database)
  expect(after).toBe(before)
  known = after
}

describe('the routes (security case SC-04)', () => {
  it('are exactly those of the table', () => {
    const listed = ROWS.map(({ route }) => `${route.method} ${route.path}`)
    expect(new Set(listed).size).toBe(listed.length)
    expect(house.routes.filter((one) => !one.startsWith('HEAD ')).sort()).toEqual([...listed].sort())
  })
})

// cites: ct.2.1.admin-missing ct.2.1.admin-invalid ct.2.1.bearer-first ct.1.5.www-authenticate ct.1.4.no-store
describe.each(CLOSED)('$name, to who is not known,', ({ route }) => {
  it.each([
    ['nothing', () => ({})],
    ['an unknown Bearer', () => ({ authorization: 'Bearer wrong' })],
    ['an empty Bearer', () => ({ authorization: 'Bearer' })],
    ['two spaces', () => ({ authorization: `Bearer  ${KEY}` })],
    ['another spelling of Bearer', () => ({ authorization: `bearer ${KEY}` })],
    ['a key with something behind it', () => ({ authorization: `Bearer ${KEY} x` })],
    ['a key in upper case', () => ({ authorization: `Bearer ${KEY.toUpperCase()}` })],
    ['another scheme', () => ({ authorization: `Basic ${Buffer.from(`x:${KEY}`).toString('base64')}` })],
    ['an unknown session', () => ({ cookie: '__Host-gantry_session=unknown' })],
    ['a session twice', () => ({ cookie: `${sessions.admin.cookie}; ${sessions.admin.cookie}` })],
    ['headers that claim authority', () => ({ 'x-user': 'admin', 'x-forwarded-user': 'the-admin', 'x-admin': 'true' })],
    ['a bad Bearer beside a good session', () => ({ ...sessions.admin, authorization: 'Bearer wrong' })],
  ])('is 401 for %s', async (_case, headers: () => Record<string, string>) => {
    await refused(() => send(route, headers()), '401 UNAUTHORIZED')
    // An unauthenticated caller does not receive what is wrong with the body.
    if (route.method !== 'GET') await refused(() => send(route, headers(), { body: '{"broken' }), '401 UNAUTHORIZED')
  })
})

// cites: ct.2.1.admin-role ct.2.3.v ct.2.3.u ct.2.3.s ct.2.3.self ct.18.forbidden gw.route.role-gated gw.auth.7-global-routes gw.auth.7-config-routes
it.each(
  CLOSED.flatMap(({ name, route }) =>
    ROLES.filter((role) => !mayUse({ ...A_SESSION, role }, route.access as Access)).map((role) => ({
      name,
      role,
      route,
    })),
  ),
)('$name is 403 for the role $role', async ({ route, role }) => {
  await refused(() => send(route, sessions[role]), '403 FORBIDDEN')
  if (route.method !== 'GET') await refused(() => send(route, sessions[role], { body: '{"broken' }), '403 FORBIDDEN')
})

describe.each(CLOSED.filter(({ route }) => route.access === 'superadmin'))('$name, which is global,', ({ route }) => {
  it('is 403 for the admin of a team', async () => {
    await refused(() => send(route, sessions.team), '403 FORBIDDEN')
  })
})

describe.each(CLOSED.filter(({ route }) => route.access === 'self'))('$name, which is of one person,', ({ route }) => {
  it('is 403 for a key', async () => {
    await refused(() => send(route, { authorization: `Bearer ${KEY}` }), '403 FORBIDDEN')
  })
})

/** Their body contains a secret that another site does not have; no session is read. */
const BY_BODY = new Set(['auth.login', 'auth.readInvitation', 'auth.acceptInvitation'])

// cites: ct.2.5.csrf gw.auth.admin-csrf gw.route.mutations-csrf ct.18.csrf_validation_failed
describe.each(MUTATIONS.filter(({ name }) => !BY_BODY.has(name)))('$name, under a session,', ({ route }) => {
  it.each([
    ['without a token', () => ({})],
    ['with a wrong token', () => ({ 'x-csrf-token': 'wrong' })],
    ["with another session's token", () => ({ 'x-csrf-token': sessions.viewer['x-csrf-token'] })],
    ['with the session as token', () => ({ 'x-csrf-token': sessions.admin.cookie })],
    ['with the method in a header', () => ({ 'x-http-method-override': 'GET' })],
  ])('is 403 %s', async (_case, headers: () => Record<string, string>) => {
    const { cookie } = sessions.admin
    await refused(() => send(route, { cookie, ...headers() }), '403 CSRF_VALIDATION_FAILED')
  })
})

/** A caller who may use the route. */
const allowed = ({ access }: Route): Record<string, string> =>
  access === 'self' ? sessions.admin : { authorization: `Bearer ${KEY}` }

// cites: ct.1.3.content-type ct.1.3.max-body ct.1.3.malformed ct.1.3.depth ct.1.3.strict ct.1.5.fields
describe.each(MUTATIONS)('$name, to who may,', ({ route }) => {
  it('takes JSON only', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])
      await refused(
        () => send(route, allowed(route), { body: '{}', headers: { 'content-type': type } }),
        '415 UNSUPPORTED_MEDIA_TYPE',
      )
  })
  it('takes no broken, deep or poisoned JSON', async () => {
    await refused(() => send(route, allowed(route), { body: '{"a":' }), '400 INVALID_JSON')
    await refused(() => send(route, allowed(route), { body: '{"__proto__":{"role":"admin"}}' }), '400 INVALID_JSON')
    await refused(() => send(route, allowed(route), { body: '['.repeat(40) + ']'.repeat(40) }), '400 JSON_TOO_DEEP')
  })
  it('takes no more than the limit', async () => {
    const body = JSON.stringify({ padding: 'x'.repeat(LIMIT_BYTES) })
    await refused(() => send(route, allowed(route), { body }), '413 PAYLOAD_TOO_LARGE')
  })
  it('takes nothing but an object', async () => {
    for (const body of ['[]', '"text"', '7', 'null', 'true'])
      await refused(() => send(route, allowed(route), { body }), '400 VALIDATION_ERROR')
  })
})

// cites: ct.1.3.strict ct.1.5.fields
it.each(MUTATIONS.filter(({ name }) => !LENIENT.has(name)))('$name takes no unknown field', async ({ route }) => {
  const body = { adminRole: 'admin', createdAt: 'x', zzz: true }
  await refused(() => send(route, allowed(route), { body }), '400 VALIDATION_ERROR')
  const { json } = await send(route, allowed(route), { body })
  const { fields } = ErrorEnvelope.parse(json).error
  expect(fields?.length).toBeGreaterThan(0)
  // The variant of a body with several shapes is decided before its fields are read.
  if (fieldsOf(route).length > 0) expect(fields?.map(({ path }) => path)).toEqual(expect.arrayContaining(['zzz']))
})

const WRONG_TYPES: readonly unknown[] = [{ nested: true }, [[]], 7, true]
/** A template may be any JSON there is: no type of it is wrong. */
const ANY_JSON = new Set(['composites.create output', 'composites.update output'])
const TYPED = TAKES_BODY.flatMap(({ name, route }) => fieldsOf(route).map((field) => ({ name, route, field }))).filter(
  ({ name, field }) => !ANY_JSON.has(`${name} ${field}`),
)
it.each(TYPED)('$name is 400 for a $field of the wrong type', async ({ route, field }) => {
  const wrong = WRONG_TYPES.filter((value) => !accepts(route, field, value))
  expect(wrong).not.toEqual([])
  for (const value of wrong)
    await refused(() => send(route, allowed(route), { body: { [field]: value } }), '400 VALIDATION_ERROR')
})

describe.each(ROWS.filter(({ name }) => !OPEN_QUERY.has(name)))('$name', ({ route }) => {
  it('takes no unknown query parameter', async () => {
    const body = route.method === 'GET' ? {} : { body: '{}' }
    await refused(() => send(route, allowed(route), { ...body, query: '?zzz=1' }), '400 VALIDATION_ERROR')
  })
})
