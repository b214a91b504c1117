// The HTTP front as anyone meets it: refusals, correlation, hosts, CORS, limits.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN, ErrorEnvelope, fillPath, type Route } from '#contract'
import { type Answer, type Ask, aGateway, aUser, type Gateway, startGateway } from './gateway.fixture.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({
    CORS_ORIGINS: 'https://ui.example',
    CORS_MAX_AGE_SECONDS: '77',
    CORS_ALLOW_CREDENTIALS: 'true',
    LOG_LEVEL: 'debug',
  })
})
afterAll(() => gateway.end())

const users = '/admin-api/users'
const ROUTES: readonly Route[] = Object.values(ADMIN).flatMap((table) => Object.values<Route>(table))
const NAMES = { username: 'x', id: '1', name: 'x', tool: 'x' }
const FRESH_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)

function refusal(answer: Answer) {
  const { error } = ErrorEnvelope.parse(answer.json)
  expect(error.request_id).toBe(answer.headers.get('x-request-id'))
  return { status: answer.status, ...error }
}

describe('refusals', () => {
  it.each([
    ['GET', '/admin-api/nothing-here'],
    ['GET', '/sse'],
    ['POST', '/messages'],
    ['GET', '/v1/health'],
  ])(
    '%s %s does not exist [ct.1.5.no-such-route ct.3.sse ct.18.not_found gw.service.no-sse-transport gw.version.5-no-sse]',
    async (method, path) => {
      expect(refusal(await gateway.admin(path, { method }))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    },
  )

  it('a method the path does not have, with those it has [ct.1.5.allow ct.18.method_not_allowed]', async () => {
    const answer = await gateway.admin('/admin-api/overview', { method: 'DELETE' })
    expect(refusal(answer)).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' })
    expect(answer.headers.get('allow')).toMatch(/\bGET\b/)
  })

  // cites: ct.1.3.malformed ct.1.3.depth ct.1.3.max-body ct.18.invalid_json ct.18.json_too_deep
  // cites: ct.18.payload_too_large gw.setting.max_json_depth ct.17.effect.max_body_bytes
  it.each([
    ['{"username":', 400, 'INVALID_JSON'],
    [nested(33), 400, 'JSON_TOO_DEEP'],
    [JSON.stringify({ username: 'x'.repeat(1_048_576) }), 413, 'PAYLOAD_TOO_LARGE'],
  ])('a body that cannot be taken: %#', async (body, status, code) => {
    expect(refusal(await gateway.admin(users, { method: 'POST', body }))).toMatchObject({ status, code })
  })

  it('takes a body at the depth, and refuses it beyond what the settings say [gw.setting.max_json_depth]', async () => {
    expect(refusal(await gateway.admin(users, { method: 'POST', body: nested(32) })).code).toBe('VALIDATION_ERROR')
    const strict = await aGateway({ MAX_JSON_DEPTH: '2', MAX_BODY_BYTES: '1024' })
    expect(refusal(await strict.admin(users, { method: 'POST', body: nested(3) })).code).toBe('JSON_TOO_DEEP')
    const long = JSON.stringify({ username: 'x'.repeat(1024) })
    expect(refusal(await strict.admin(users, { method: 'POST', body: long })).code).toBe('PAYLOAD_TOO_LARGE')
  })

  // cites: ct.1.5.common gw.record.error-envelope
  it('a body that cannot be taken, on every route that takes one', async () => {
    const bodies = [
      ['{', 'application/json', '400 INVALID_JSON'],
      [nested(33), 'application/json', '400 JSON_TOO_DEEP'],
      ['x', 'text/plain', '415 UNSUPPORTED_MEDIA_TYPE'],
    ] as const
    const session = await aUser(gateway, 'taker', 'admin')
    const taking = ROUTES.filter((route) => 'body' in route)
    expect(taking.length).toBeGreaterThan(3)
    for (const { method, path } of taking)
      for (const [body, type, code] of bodies) {
        const answer = await gateway.ask(fillPath(path, NAMES), {
          method,
          body,
          headers: { ...session, 'content-type': type },
        })
        const received = refusal(answer)
        expect(`${method} ${path} ${received.status} ${received.code}`).toBe(`${method} ${path} ${code}`)
      }
  })

  it('a body of another type [ct.1.3.content-type ct.18.unsupported_media_type]', async () => {
    const headers = { 'content-type': 'text/plain' }
    const answer = await gateway.admin(users, { method: 'POST', body: '{}', headers })
    expect(refusal(answer)).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  it('unknown and missing fields, each by its path [ct.1.3.strict ct.1.5.fields ct.18.validation_error]', async () => {
    const body = { username: 'someone', password: 'short', colour: 'red' }
    const { status, code, fields } = refusal(await gateway.admin(users, { method: 'POST', body }))
    expect({ status, code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(fields?.map(({ path }) => path)).toEqual(expect.arrayContaining(['password']))
    expect(JSON.stringify(fields)).toContain('colour')
  })

  it('both spellings of one field [ct.1.3.two-spellings]', async () => {
    const body = { isActive: true, is_active: true }
    expect(refusal(await gateway.admin(`${users}/missing`, { method: 'PATCH', body })).code).toBe('VALIDATION_ERROR')
  })

  it('a name that cannot be one is not found [ct.1.2.bad-path-is-404]', async () => {
    for (const name of ['%20', '..%2F..', 'A%25B', 'x'.repeat(300), '%E0%A4%A'])
      expect((await gateway.admin(`${users}/${name}`)).status).toBe(404)
  })

  it('a path is percent-decoded exactly once [ct.1.2.decoded-once]', async () => {
    const body = { username: 'at@once', password: 'a password never guessed' }
    await gateway.admin(users, { method: 'POST', body })
    expect((await gateway.admin(`${users}/at%40once`)).status).toBe(200)
    expect((await gateway.admin(`${users}/at%2540once`)).status).toBe(404)
  })

  // cites: ct.2.1.admin-missing ct.2.1.admin-invalid ct.18.unauthorized ct.1.5.www-authenticate ct.19.7.status
  it.each([
    ['no credential', {}],
    ['a wrong key', { authorization: 'Bearer not-the-key' }],
    ['another scheme', { authorization: 'Basic YWRtaW46YWRtaW4=' }],
    ['a made-up cookie', { cookie: '__Host-gantry_session=nothing' }],
  ])('%s on every route that needs one', async (_name, headers) => {
    const guarded = [...ROUTES.filter(({ access }) => access !== 'public'), { method: 'GET', path: '/metrics' }]
    for (const { method, path } of guarded) {
      const answer = await gateway.ask(fillPath(path, NAMES), { method, headers })
      expect({ path, ...refusal(answer) }).toMatchObject({ path, status: 401, code: 'UNAUTHORIZED' })
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
  })
})

describe('hosts', () => {
  it('refuses a Host that is not its own, on every admin route [ct.1.5.host ct.18.host_not_allowed]', async () => {
    for (const path of [users, '/admin-api/overview', '/metrics', '/admin-api/auth/login']) {
      const answer = await gateway.admin(path, { headers: { host: 'evil.example' } })
      expect(refusal(answer)).toMatchObject({ status: 403, code: 'HOST_NOT_ALLOWED' })
    }
  })

  it('takes the listed ones and no other [gw.setting.allowed_hosts]', async () => {
    const listed = await aGateway({ ALLOWED_HOSTS: 'gate.example' })
    expect((await listed.admin(users, { headers: { host: 'gate.example' } })).status).toBe(200)
    expect((await listed.admin(users, { headers: { host: 'other.example' } })).status).toBe(403)
  })
})

describe('correlation (security case HI-07)', () => {
  const idOf = async (given?: string) => {
    const answer = await gateway.ask('/health', given === undefined ? {} : { headers: { 'x-request-id': given } })
    return answer.headers.get('x-request-id') ?? ''
  }

  it('keeps an id of 1 to 128 allowed characters [ct.1.9.accepted gw.correlation.inbound gw.correlation.echo]', async () => {
    for (const id of ['a', 'A-z_0.9:x', 'x'.repeat(128)]) expect(await idOf(id)).toBe(id)
  })

  it('replaces any other by a fresh UUID v4 [ct.1.9.replaced gw.correlation.inbound]', async () => {
    for (const id of [undefined, '', 'x'.repeat(129), 'a b', 'a/b', 'ä']) expect(await idOf(id)).toMatch(FRESH_ID)
    expect(await idOf()).not.toBe(await idOf())
  })

  it('answers the id on everything, errors included [ct.1.4.request-id ct.1.5.request_id]', async () => {
    for (const path of ['/health', '/', '/llms.txt', '/nothing', users, '/docs/openapi.json'])
      expect((await gateway.ask(path)).headers.get('x-request-id')).toMatch(FRESH_ID)
  })

  it('has the id in log lines, error bodies and audit details [ct.1.9.everywhere ct.13.2.request_id gw.correlation.log gw.error.1-log]', async () => {
    const headers = { 'x-request-id': 'named-everywhere' }
    const body = { username: 'named', password: 'a password never guessed' }
    expect((await gateway.admin(users, { method: 'POST', body, headers })).status).toBe(201)
    expect(refusal(await gateway.admin(users, { method: 'POST', body, headers })).request_id).toBe('named-everywhere')
    const { json } = await gateway.admin('/admin-api/audit-log?target=named')
    expect(json).toMatchObject({ items: [{ detail: { request_id: 'named-everywhere' } }] })
    const lines = gateway
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
    expect(lines.some((line) => JSON.parse(line).request_id === 'named-everywhere')).toBe(true)
  })
})

describe('CORS', () => {
  const from = (origin: string) => ({ headers: { origin } })
  const preflight = (origin: string, path = users) =>
    gateway.ask(path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'if-match' },
    })

  it('admits no origin unless listed [gw.setting.cors_origins ct.1.9.cors-admin]', async () => {
    const closed = await aGateway()
    const answer = await closed.admin(users, from('https://ui.example'))
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(
      (await gateway.admin(users, from('https://evil.example'))).headers.get('access-control-allow-origin'),
    ).toBeNull()
    expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
  })

  it('lets the listed origin use the admin API and /metrics [ct.1.9.cors-admin gw.setting.cors_origins]', async () => {
    for (const path of [users, '/metrics']) {
      const answer = await gateway.admin(path, from('https://ui.example'))
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://ui.example')
      expect(answer.headers.get('vary')).toMatch(/origin/i)
    }
  })

  // cites: ct.1.9.cors-headers gw.setting.cors_max_age_seconds gw.setting.cors_allow_credentials
  it('answers a preflight with the listed headers, its age and whether cookies may come', async () => {
    const { status, headers } = await preflight('https://ui.example')
    expect(status).toBeLessThan(300)
    const allowed = (headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/,\s*/).sort()
    expect(allowed).toEqual(
      [
        'authorization content-type accept x-csrf-token x-request-id if-match idempotency-key',
        'mcp-session-id mcp-protocol-version last-event-id traceparent',
      ]
        .join(' ')
        .split(' ')
        .sort(),
    )
    expect(headers.get('access-control-max-age')).toBe('77')
    expect(headers.get('access-control-allow-credentials')).toBe('true')
    const plain = await aGateway({ CORS_ORIGINS: 'https://ui.example' })
    const answer = await plain.admin(users, from('https://ui.example'))
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('exposes the headers a page must read [ct.1.9.cors-exposed]', async () => {
    const { headers } = await gateway.admin(users, from('https://ui.example'))
    const exposed = (headers.get('access-control-expose-headers') ?? '').toLowerCase().split(/,\s*/)
    expect(exposed).toEqual(expect.arrayContaining(['x-request-id', 'etag', 'retry-after', 'mcp-session-id']))
  })
})

describe('limits', () => {
  /** Each family its own: one setting used for another would show. */
  const NARROW: Readonly<Record<string, number>> & { readonly RATE_LIMIT_EXPENSIVE: number } = {
    RATE_LIMIT_LOGIN: 2,
    RATE_LIMIT_BACKUP: 3,
    RATE_LIMIT_EXPENSIVE: 4,
    RATE_LIMIT_LLMS_TXT: 5,
  }
  let narrow: Gateway
  let callers = 0
  beforeAll(async () => {
    const limits = Object.entries(NARROW).map(([name, most]) => [name, String(most)])
    narrow = await startGateway({ TRUST_PROXY: 'loopback', ...Object.fromEntries(limits) })
  })
  afterAll(() => narrow.end())

  async function untilLimited(at: Gateway, path: string, what: Ask = {}) {
    const counted = { passed: 0 }
    for (;;) {
      const answer = await at.admin(path, what)
      if (answer.status === 429) return { ...counted, answer }
      if (++counted.passed > 20) throw new Error(`${path} is not limited`)
    }
  }

  it('answers who asks too much with when to come back [ct.1.5.retry ct.1.5.retry-after ct.1.5.details ct.18.rate_limited]', async () => {
    const narrow = await aGateway({ RATE_LIMIT_GLOBAL: '3' })
    const { passed, answer } = await untilLimited(narrow, users)
    expect(passed).toBe(3)
    const { code, details, retryAfterMs, retry_after } = refusal(answer)
    expect(code).toBe('RATE_LIMITED')
    expect(details).toMatchObject({ limit: 3, windowMs: 60_000, tier: 'global' })
    expect(retryAfterMs).toBeGreaterThan(0)
    expect(retry_after).toBe(Math.ceil((retryAfterMs ?? 0) / 1000))
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  })

  it('counts all requests of an IP, the probes, /metrics and /llms.txt excepted [gw.setting.rate_limit_global gw.limits.per_source ct.3.exempt]', async () => {
    const narrow = await aGateway({ RATE_LIMIT_GLOBAL: '3' })
    for (let round = 0; round < 5; round++)
      for (const path of ['/health', '/livez', '/readyz', '/metrics', '/llms.txt'])
        expect((await narrow.admin(path)).status).toBe(200)
    await narrow.ask('/nothing')
    expect((await untilLimited(narrow, users)).passed).toBe(2)
  })

  // cites: gw.setting.rate_limit_login ct.7.1.login-rate gw.setting.rate_limit_backup ct.7.8.backup-rate
  // cites: gw.setting.rate_limit_expensive ct.7.7.audit-verify-rate
  // cites: ct.17.effect.rate_limit_llms_txt ct.3.llms-limit gw.llms.5-budget
  it.each([
    ['LOGIN', 'POST', '/admin-api/auth/login', { username: 'missing', password: 'x' }],
    ['BACKUP', 'POST', '/admin-api/backup', undefined],
    ['EXPENSIVE', 'GET', '/admin-api/audit-log/verify', undefined],
    ['EXPENSIVE', 'GET', '/admin-api/audit-log/export', undefined],
    ['LLMS_TXT', 'GET', '/llms.txt', undefined],
  ])('RATE_LIMIT_%s bounds %s %s, and nothing else', async (family, method, path, body) => {
    // Each row asks from an address of its own, and finds nothing spent.
    const headers = { 'x-forwarded-for': `203.0.113.${++callers}` }
    const limited = await untilLimited(narrow, path, { method, headers, ...(body !== undefined && { body }) })
    expect(limited.passed).toBe(NARROW[`RATE_LIMIT_${family}`])
    expect((await narrow.admin(users, { headers })).status).toBe(200)
    const sibling = path.endsWith('verify') ? '/admin-api/audit-log/export' : '/admin-api/audit-log/verify'
    if (path !== sibling) expect((await narrow.admin(sibling, { headers })).status).toBe(200)
  })

  it('RATE_LIMIT_EXPENSIVE bounds changes of the own password [ct.7.1.password-rate gw.setting.rate_limit_expensive]', async () => {
    const session = await aUser(narrow, 'changing', 'viewer')
    const headers = { ...session, 'x-forwarded-for': `203.0.113.${++callers}` }
    const body = { currentPassword: 'not the password', newPassword: 'another password, as good' }
    const change = () => narrow.ask('/admin-api/auth/me/password', { method: 'PATCH', body, headers })
    const received = []
    for (let turn = 0; turn <= NARROW.RATE_LIMIT_EXPENSIVE; turn++) received.push((await change()).status)
    expect(received).toEqual([...Array.from({ length: NARROW.RATE_LIMIT_EXPENSIVE }, () => 401), 429])
  })
})
