// Single sign-on over real sockets: everything a provider or an attacker between us can do wrong, then a real OpenID provider.
import { generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { OidcSettings } from '#contract'
import { CLIENT, hostileProvider, realProvider } from '../auth/openid.fixture.ts'
import { aHouse, type House, type HouseOptions, PASSWORD, type Told } from './admin.fixture.ts'

const BOX_KEY = Buffer.alloc(32, 9).toString('base64')
const START = '/admin-api/auth/oidc/start'
const CALLBACK = '/admin-api/auth/oidc/callback'
const SETTINGS = '/admin-api/auth/oidc/settings'

async function ssoHouse(env: HouseOptions['env'] = {}): Promise<House> {
  const house = await aHouse({ env: { ALLOW_PRIVATE_IPS: 'true', SECRET_ENCRYPTION_KEY: BOX_KEY, ...env } })
  // Tokens carry the time of the day they are made.
  house.time.nowMs = Date.now()
  return house
}
const put = (house: House, body: object) => house.asKey(SETTINGS, { method: 'PUT', body })
const enable = async (house: House, issuer: string, more: object = {}): Promise<void> => {
  const told = await put(house, { enabled: true, issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, ...more })
  expect(told.status).toBe(200)
}

/** What the browser keeps, as the header it sends. */
const cookiesOf = ({ headers }: Told): string =>
  headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0] ?? '')
    .filter((each) => !each.endsWith('='))
    .join('; ')
const go = (house: House, path: string, cookie = '', method = 'GET') => house.ask(path, { method, headers: { cookie } })

type Begun = { readonly cookie: string; readonly state: string; readonly nonce: string; readonly location: URL }
async function begin(house: House, query = ''): Promise<Begun> {
  const told = await go(house, START + query)
  expect(told.status).toBe(302)
  const location = new URL(told.headers.get('location') ?? '')
  const [state, nonce] = [location.searchParams.get('state') ?? '', location.searchParams.get('nonce') ?? '']
  return { cookie: cookiesOf(told), state, nonce, location }
}
const back = (house: House, { cookie, state }: Pick<Begun, 'cookie' | 'state'>, query = '&code=c') =>
  go(house, `${CALLBACK}?state=${encodeURIComponent(state)}${query}`, cookie)
const failed = (told: Told): string | null => {
  expect(told.status).toBe(302)
  const cookies = told.headers.getSetCookie()
  expect(cookies.some((each) => /gantry_session=[^;]/.test(each))).toBe(false)
  return new URL(told.headers.get('location') ?? '', 'http://x').searchParams.get('sso_error')
}
const ssoAudit = async (house: House, action = 'auth.sso.') =>
  (await house.asKey(`/admin-api/audit-log?action=${action}`)).json.items as {
    actor: string
    action: string
    target: string
    detail: Record<string, unknown>
  }[]

/** A sign-in at the hostile provider with a token of the test's making. */
async function attempt(
  house: House,
  provider: Awaited<ReturnType<typeof hostileProvider>>,
  token: (nonce: string) => Promise<string>,
  query?: string,
): Promise<Told> {
  house.time.nowMs = Math.max(house.time.nowMs, Date.now())
  const begun = await begin(house)
  provider.told.idToken = () => token(begun.nonce)
  return back(house, begun, query)
}

describe('single sign-on that is off', () => {
  it('is a route that leads nowhere [ct.7.1.oidc-start-404 ct.18.sso_not_configured]', async () => {
    const house = await ssoHouse()
    expect((await house.ask('/admin-api/auth/oidc/config')).json).toEqual({ enabled: false })
    expect(await go(house, START)).toMatchObject({ status: 404, code: 'SSO_NOT_CONFIGURED' })
    expect(failed(await go(house, `${CALLBACK}?state=x&code=y`))).toBe('state')
    expect(OidcSettings.parse((await house.asKey(SETTINGS)).json)).toMatchObject({ source: 'none', enabled: false })
    const { issuer } = await hostileProvider()
    await enable(house, issuer, { enabled: false })
    expect(await go(house, START)).toMatchObject({ status: 404, code: 'SSO_NOT_CONFIGURED' })
  })

  it('is 502 with a provider that cannot be used [ct.7.1.oidc-start-404 ct.18.sso_discovery_failed]', async () => {
    const house = await ssoHouse()
    const { issuer, told } = await hostileProvider()
    await enable(house, issuer)
    const wrong: Record<string, unknown>[] = [
      { issuer: 'http://127.0.0.1:1' },
      { issuer: `${issuer}/` },
      { authorization_endpoint: 'javascript:alert(1)' },
      { authorization_endpoint: undefined },
      { token_endpoint: 7 },
      { response_types_supported: ['id_token'] },
      { code_challenge_methods_supported: ['plain'] },
    ]
    for (const discovery of wrong) {
      told.discovery = discovery
      expect(await go(house, START)).toMatchObject({ status: 502, code: 'SSO_DISCOVERY_FAILED' })
    }
    told.discovery = {}
    told.status = 500
    expect(await go(house, START)).toMatchObject({ status: 502, code: 'SSO_DISCOVERY_FAILED' })
    told.status = 200
    expect((await go(house, START)).status).toBe(302)
  })
})

describe('the way to the provider', () => {
  it('carries code flow, PKCE, state and nonce, new each time [ct.7.1.oidc-start]', async () => {
    const house = await ssoHouse()
    const { issuer } = await hostileProvider()
    await enable(house, issuer)
    const [one, two] = [await begin(house), await begin(house)]
    expect(one.location.origin + one.location.pathname).toBe(`${issuer}/authorize`)
    expect(Object.fromEntries(one.location.searchParams)).toEqual({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: `${house.front.url}${CALLBACK}`,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(one.location.searchParams.get(name)).not.toBe(two.location.searchParams.get(name))
    const [cookie = ''] = (await go(house, START)).headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-gantry_sso=[\w-]{43}; Path=\/; SameSite=Lax; Secure; HttpOnly; Max-Age=600$/)
    const kept = JSON.stringify(await house.database.query.selectFrom('oidc_sign_ins').selectAll().execute())
    for (const secret of [one.state, one.nonce, one.cookie.split('=')[1] ?? '']) expect(kept).not.toContain(secret)
  })

  it('keeps the address the provider knows, whatever host later requests name', async () => {
    const house = await ssoHouse()
    const { issuer } = await hostileProvider()
    await enable(house, issuer, { redirectUri: 'https://gantry.example/admin-api/auth/oidc/callback' })
    const { location } = await begin(house)
    expect(location.searchParams.get('redirect_uri')).toBe('https://gantry.example/admin-api/auth/oidc/callback')
  })
})

describe('an answer that is not this browser’s, of now, once', () => {
  it('is refused as state, and leaves no session [ct.7.1.oidc-callback]', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    const { issuer, told, sign } = provider
    await enable(house, issuer)
    for (const query of ['', '?code=c', '?state=&code=c', '?state=unknown&code=c', '?state=a&state=b&code=c'])
      expect(failed(await go(house, CALLBACK + query))).toBe('state')
    // Another browser, none at all, and two cookies of one name.
    for (const steal of [
      () => '',
      ({ cookie }: Begun) => `${cookie}x`,
      ({ cookie }: Begun) => `${cookie}; ${cookie}`,
    ]) {
      const begun = await begin(house)
      expect(failed(await back(house, { state: begun.state, cookie: steal(begun) }))).toBe('state')
      // Shown to the wrong one, it is used up.
      expect(failed(await back(house, begun))).toBe('state')
    }
    const late = await begin(house)
    house.time.nowMs += 600_000
    expect(failed(await back(house, late))).toBe('state')
    const twice = await begin(house)
    told.idToken = () => sign(twice.nonce)
    house.time.nowMs = Date.now()
    expect((await back(house, twice)).headers.get('location')).toBe('/admin')
    expect(failed(await back(house, twice))).toBe('state')
    const both = await begin(house)
    told.idToken = () => sign(both.nonce)
    const answers = await Promise.all([back(house, both), back(house, both)])
    expect(answers.map((each) => each.headers.get('location')).sort()).toEqual([
      '/admin',
      '/admin/login?sso_error=state',
    ])
    const moved = await begin(house)
    await enable(house, issuer, { clientId: 'another' })
    expect(failed(await back(house, moved))).toBe('state')
    expect(provider.seen).toHaveLength(2)
    expect((await ssoAudit(house, 'auth.sso.failed'))[0]).toMatchObject({
      actor: 'anonymous',
      detail: { error: 'state', reason: expect.any(String) },
    })
  })

  it('is not used up by somebody who only looks', async () => {
    const house = await ssoHouse()
    const { issuer, told, sign } = await hostileProvider()
    await enable(house, issuer)
    const begun = await begin(house)
    told.idToken = () => sign(begun.nonce)
    const look = await go(house, `${CALLBACK}?state=${begun.state}&code=c`, begun.cookie, 'HEAD')
    expect(look.headers.getSetCookie()).toEqual([])
    expect((await back(house, begun)).headers.get('location')).toBe('/admin')
  })

  it('names its provider where the provider says it does: no mix-up', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer)
    expect(failed(await attempt(house, provider, provider.sign, '&code=c&iss=https%3A%2F%2Fevil.example'))).toBe(
      'state',
    )
    expect(provider.seen).toEqual([])
    const iss = encodeURIComponent(provider.issuer)
    expect((await attempt(house, provider, provider.sign, `&code=c&iss=${iss}`)).headers.get('location')).toBe('/admin')
    const naming = await ssoHouse()
    provider.told.discovery = { authorization_response_iss_parameter_supported: true }
    await enable(naming, provider.issuer)
    expect(failed(await attempt(naming, provider, provider.sign))).toBe('state')
  })
})

describe('a provider that refuses or fails', () => {
  it('is told in a word [ct.7.1.oidc-callback]', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    const { told, sign } = provider
    await enable(house, provider.issuer)
    expect(failed(await attempt(house, provider, sign, '&error=access_denied&error_description=x'))).toBe('denied')
    expect(failed(await attempt(house, provider, sign, ''))).toBe('exchange')
    for (const tokens of ['text', null, {}, { id_token: 7 }, { access_token: 'a' }, []]) {
      told.tokens = tokens ?? 'null'
      expect(failed(await attempt(house, provider, sign))).toBe('exchange')
    }
    const begun = await begin(house)
    told.status = 503
    expect(failed(await back(house, begun))).toBe('exchange')
  })

  it('is given up after OIDC_TIMEOUT_MS [ct.17.effect.oidc_timeout_ms]', async () => {
    const house = await ssoHouse({ OIDC_TIMEOUT_MS: '150' })
    const provider = await hostileProvider()
    await enable(house, provider.issuer)
    expect(failed(await attempt(house, provider, () => new Promise(() => undefined)))).toBe('exchange')
  })
})

describe('an ID token', () => {
  it('that is not signed by the provider, for us, of now, of this sign-in, opens nothing [ct.7.1.oidc-callback]', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    const { sign, now, issuer, jwk } = provider
    await enable(house, issuer)
    const { privateKey: stranger } = await generateKeyPair('RS256')
    const text = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const unsigned = (alg: string) => async (nonce: string) =>
      `${text({ alg, kid: 'one' })}.${text({ iss: issuer, aud: CLIENT.id, sub: 'u-1', iat: now(), exp: now() + 300, nonce })}.`
    const secret = (bytes: string) => (nonce: string) =>
      sign(nonce, {}, { key: new TextEncoder().encode(bytes.padEnd(64, '0')), header: { alg: 'HS256' } })
    const wrong: readonly (readonly [string, (nonce: string) => Promise<string>])[] = [
      ['nothing', async () => ''],
      ['no token', async () => 'a.b.c'],
      ...['none', 'None', 'nOnE', ''].map((alg) => [`alg ${alg}`, unsigned(alg)] as const),
      ['the client secret as key', secret(CLIENT.secret)],
      ['the public key as secret', secret(JSON.stringify(jwk))],
      ['another key', (nonce) => sign(nonce, {}, { key: stranger })],
      ['another key under an unknown id', (nonce) => sign(nonce, {}, { key: stranger, header: { kid: 'two' } })],
      ['another issuer', (nonce) => sign(nonce, { iss: 'https://evil.example' })],
      ['an issuer with a slash', (nonce) => sign(nonce, { iss: `${issuer}/` })],
      ['another audience', (nonce) => sign(nonce, { aud: 'another' })],
      ['no audience', (nonce) => sign(nonce, { aud: [] })],
      ['several audiences and no azp', (nonce) => sign(nonce, { aud: [CLIENT.id, 'another'] })],
      ['another azp', (nonce) => sign(nonce, { aud: [CLIENT.id, 'another'], azp: 'another' })],
      ['another nonce', () => sign('another')],
      ['no nonce', (nonce) => sign(nonce, { nonce: undefined })],
      ['an end long ago', (nonce) => sign(nonce, { exp: now() - 61 })],
      ['no end', (nonce) => sign(nonce, { exp: undefined })],
      ['a beginning to come', (nonce) => sign(nonce, { nbf: now() + 120 })],
      ['made to-morrow', (nonce) => sign(nonce, { iat: now() + 86_400 })],
      ['made long ago', (nonce) => sign(nonce, { iat: now() - 3600 })],
      ['nobody', (nonce) => sign(nonce, { sub: undefined })],
      ['an empty name', (nonce) => sign(nonce, { sub: '' })],
      ['a number for a name', (nonce) => sign(nonce, { sub: 7 })],
    ]
    for (const [what, token] of wrong) expect.soft(failed(await attempt(house, provider, token)), what).toBe('token')
    expect(await house.database.query.selectFrom('users').selectAll().execute()).toEqual([])
    expect((await attempt(house, provider, (nonce) => sign(nonce, { exp: now() - 50 }))).headers.get('location')).toBe(
      '/admin',
    )
  })

  it('under a new key is believed after the keys were read again, which a storm of key ids does not repeat', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    const { sign, told, hits } = provider
    await enable(house, provider.issuer)
    expect((await attempt(house, provider, sign)).headers.get('location')).toBe('/admin')
    told.keys = [{ ...provider.jwk, kid: 'two' }]
    const rotated = (nonce: string) => sign(nonce, {}, { header: { kid: 'two' } })
    house.time.nowMs += 31_000
    expect((await attempt(house, provider, rotated)).headers.get('location')).toBe('/admin')
    for (let turn = 0; turn < 5; turn++)
      expect(failed(await attempt(house, provider, (nonce) => sign(nonce, {}, { header: { kid: `k${turn}` } })))).toBe(
        'token',
      )
    expect(hits.filter((path) => path === '/keys')).toHaveLength(2)
  })
})

describe('who may sign in', () => {
  const signInAs = (house: House, provider: Awaited<ReturnType<typeof hostileProvider>>, claims: object) =>
    attempt(house, provider, (nonce) => provider.sign(nonce, { ...claims }))
  const users = async (house: House) =>
    (await house.asKey('/admin-api/users')).json.items as { username: string; role: string; authMethod: string }[]

  it('is nobody whose name is another’s here, or no name [ct.7.1.oidc-callback]', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer)
    await house.addUser('boss', 'admin')
    for (const preferred_username of ['boss', 'BOSS', '', ' ', '-x', 'a b', 'a'.repeat(65), 7, null, ['ada']])
      expect(failed(await signInAs(house, provider, { preferred_username }))).toBe('not_allowed')
    expect((await signInAs(house, provider, { preferred_username: 'Ada' })).headers.get('location')).toBe('/admin')
    expect(failed(await signInAs(house, provider, { sub: 'u-2', preferred_username: 'ada' }))).toBe('not_allowed')
    expect((await users(house)).map(({ username, authMethod }) => `${username} ${authMethod}`)).toEqual([
      'ada oidc',
      'boss password',
    ])
    // The same person under another name is the same user.
    expect((await signInAs(house, provider, { preferred_username: 'lovelace' })).headers.get('location')).toBe('/admin')
    expect(await users(house)).toHaveLength(2)
  })

  it('is nobody who was switched off, and gets no other code for it', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer)
    await signInAs(house, provider, {})
    await house.asKey('/admin-api/users/ada', { method: 'PATCH', body: { isActive: false } })
    expect(failed(await signInAs(house, provider, {}))).toBe('user_inactive')
  })

  it('is only who is known, when nobody is to be made', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer)
    await signInAs(house, provider, {})
    await enable(house, provider.issuer, { autoProvision: false })
    expect(failed(await signInAs(house, provider, { sub: 'u-2', preferred_username: 'bob' }))).toBe('not_allowed')
    expect((await signInAs(house, provider, {})).headers.get('location')).toBe('/admin')
    // Made by an administrator under the address that the provider has verified: the same person.
    await enable(house, provider.issuer, { autoProvision: false, usernameClaim: 'email' })
    await house.addUser('grace@example.com', 'operator')
    const grace = { sub: 'u-3', email: 'grace@example.com' }
    expect(failed(await signInAs(house, provider, { ...grace, email_verified: false }))).toBe('not_allowed')
    const told = await signInAs(house, provider, { ...grace, email_verified: true })
    expect(told.headers.get('location')).toBe('/admin')
    expect((await users(house)).find(({ username }) => username === 'grace@example.com')).toMatchObject({
      role: 'operator',
      authMethod: 'oidc',
    })
  })

  it('has a verified address of an allowed domain', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer, { allowedDomains: ['Example.com'] })
    const mail = (email: unknown, email_verified: unknown = true) =>
      signInAs(house, provider, { email, email_verified })
    provider.told.userinfo = { sub: 'u-1', email: 'x@example.com', email_verified: true }
    for (const [email, verified] of [
      ['ada@evil.example', true],
      ['ada@sub.example.com', true],
      ['ada@example.com.evil.example', true],
      ['example.com', true],
      ['@example.com', true],
      ['ada@example.com', false],
      ['ada@example.com', 'true'],
      ['ada@example.com', null],
      [['ada@example.com'], true],
    ] as const)
      expect.soft(failed(await mail(email, verified)), `${String(email)} ${String(verified)}`).toBe('not_allowed')
    expect((await mail('Ada@EXAMPLE.com')).headers.get('location')).toBe('/admin')
  })

  it('has the highest role that a group gives, anew at every sign-in', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer, {
      roleClaim: 'realm_access.roles',
      roleMap: { ops: 'operator', auditors: 'auditor', toString: 'admin' },
    })
    await house.addUser('boss', 'admin')
    const as = async (roles: unknown): Promise<string | undefined> => {
      expect((await signInAs(house, provider, { realm_access: { roles } })).headers.get('location')).toBe('/admin')
      return (await users(house)).find(({ username }) => username === 'ada')?.role
    }
    provider.told.userinfo = { sub: 'u-1', realm_access: { roles: ['ops'] } }
    expect(await as(['auditors', 'ops', 'x'])).toBe('operator')
    expect(await as('auditors')).toBe('auditor')
    expect(await as(['constructor', '__proto__', 7, null, ['ops']])).toBe('viewer')
    expect(await as([])).toBe('viewer')
    const session = cookieSession(await signInAs(house, provider, { realm_access: { roles: ['ops'] } }))
    expect((await house.ask('/admin-api/auth/me', { headers: session })).json).toMatchObject({ role: 'operator' })
    await signInAs(house, provider, { realm_access: { roles: [] } })
    expect((await house.ask('/admin-api/auth/me', { headers: session })).status).toBe(401)
  })

  it('keeps the role an administrator gave, when the provider has no say in roles', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer, { defaultRole: 'auditor' })
    await signInAs(house, provider, {})
    expect((await users(house))[0]).toMatchObject({ role: 'auditor' })
    await house.asKey('/admin-api/users/ada', { method: 'PATCH', body: { role: 'operator' } })
    await signInAs(house, provider, {})
    expect((await users(house))[0]).toMatchObject({ role: 'operator' })
  })

  it('is not the last admin whom the provider demotes: somebody must be left', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer, { roleClaim: 'groups', roleMap: { admins: 'admin' } })
    await signInAs(house, provider, { groups: ['admins'] })
    expect(failed(await signInAs(house, provider, { groups: ['none'] }))).toBe('not_allowed')
    expect((await users(house))[0]).toMatchObject({ role: 'admin' })
  })

  it('is told by the token; what the userinfo endpoint adds never stands against it', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    const { told } = provider
    await enable(house, provider.issuer, { roleClaim: 'groups', roleMap: { admins: 'admin', ops: 'operator' } })
    told.userinfo = { sub: 'u-1', preferred_username: 'boss', groups: ['admins'] }
    await signInAs(house, provider, { groups: ['ops'] })
    expect(await users(house)).toMatchObject([{ username: 'ada', role: 'operator' }])
    told.userinfo = { sub: 'u-9', preferred_username: 'boss', groups: ['admins'] }
    expect(failed(await signInAs(house, provider, { sub: 'u-2', preferred_username: 'bob' }))).toBe('exchange')
    told.userinfo = { sub: 'u-2', preferred_username: 'boss', groups: ['ops'] }
    await signInAs(house, provider, { sub: 'u-2', preferred_username: 'bob' })
    expect((await users(house)).map(({ username, role }) => `${username} ${role}`)).toEqual([
      'ada operator',
      'bob operator',
    ])
  })

  it('has no password here [ct.7.1.password-sso ct.18.sso_user]', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer)
    const session = cookieSession(await signInAs(house, provider, {}))
    const me = await house.ask('/admin-api/auth/me', { headers: session })
    expect(me.json).toMatchObject({ authMethod: 'session', user: { username: 'ada' } })
    const body = { currentPassword: PASSWORD, newPassword: 'another password entirely' }
    const headers = { ...session, 'x-csrf-token': String(me.json.csrfToken) }
    expect(await house.ask('/admin-api/auth/me/password', { method: 'PATCH', body, headers })).toMatchObject({
      status: 409,
      code: 'SSO_USER',
    })
    const reset = { method: 'PATCH', body: { password: PASSWORD } }
    expect(await house.asKey('/admin-api/users/ada', reset)).toMatchObject({ status: 409, code: 'SSO_USER' })
    const login = { method: 'POST', body: { username: 'ada', password: PASSWORD } }
    expect(await house.ask('/admin-api/auth/login', login)).toMatchObject({ code: 'INVALID_CREDENTIALS' })
  })
})

/** Cookies of a redirect: the page asks `me` for its token. */
const cookieSession = (told: Told): { readonly cookie: string } => ({ cookie: cookiesOf(told) })

describe('where a sign-in leads back to', () => {
  it.each([
    ['/admin/users?tab=1#x', '/admin/users?tab=1#x'],
    ['/admin', '/admin'],
    ['https://evil.example/admin', '/admin'],
    ['//evil.example/admin', '/admin'],
    ['/\\evil.example', '/admin'],
    ['\\\\evil.example', '/admin'],
    ['javascript:alert(1)', '/admin'],
    ['/admin/../admin-api/backup', '/admin'],
    ['/admin/%2e%2e/admin-api/backup', '/admin'],
    ['/admin//evil.example', '/admin'],
    ['/administrator', '/admin'],
    ['/admin/\t/x', '/admin'],
    ['/admin/x\r\nset-cookie: a=b', '/admin'],
  ])('%j is %s', async (returnTo, expected) => {
    const house = await ssoHouse()
    const { issuer, told, sign } = await hostileProvider()
    await enable(house, issuer)
    const begun = await begin(house, `?returnTo=${encodeURIComponent(returnTo)}`)
    told.idToken = () => sign(begun.nonce)
    const answer = await back(house, begun)
    const location = answer.headers.get('location') ?? ''
    expect(new URL(location, 'http://x').origin).toBe('http://x')
    expect(location.startsWith('/admin/') || location === '/admin').toBe(true)
    if (!/[\t\r]/.test(returnTo)) expect(location).toBe(expected)
  })
})

describe('the settings', () => {
  const given = { issuer: 'https://id.example', clientId: 'gantry' }

  it('have their defaults, never show the secret, and move their revision [ct.7.1.oidc-settings ct.7.1.oidc-put ct.7.1.oidc-record ct.7.1.oidc-input]', async () => {
    const house = await ssoHouse()
    const told = await put(house, { ...given, clientSecret: CLIENT.secret })
    expect(told.json).toEqual({
      ...given,
      enabled: false,
      clientSecretSet: true,
      redirectUri: `${house.front.url}${CALLBACK}`,
      scopes: 'openid profile email',
      usernameClaim: 'preferred_username',
      roleClaim: null,
      roleMap: {},
      defaultRole: 'viewer',
      allowedDomains: [],
      autoProvision: true,
      source: 'database',
      revision: 1,
    })
    expect((await put(house, { ...given, clientSecret: CLIENT.secret, revision: 7 })).status).toBe(412)
    expect((await put(house, given)).json).toMatchObject({ clientSecretSet: true, revision: 1 })
    expect((await put(house, { ...given, enabled: true })).json).toMatchObject({ enabled: true, revision: 2 })
    const rows = JSON.stringify(await house.database.query.selectFrom('oidc_settings').selectAll().execute())
    expect(rows).not.toContain(CLIENT.secret)
    expect(rows).toContain('local:v1:')
    const entries = await ssoAudit(house, 'oidc.update')
    expect(JSON.stringify(entries)).not.toContain(CLIENT.secret)
    expect(entries[1]).toMatchObject({ target: given.issuer, detail: { after: { clientSecret: '[set]' } } })
  })

  it('take no wrong value [ct.7.1.oidc-put]', async () => {
    const house = await aHouse({ env: { SECRET_ENCRYPTION_KEY: BOX_KEY } })
    for (const issuer of ['not a url', 'ftp://id.example', 'https://user:pass@id.example', 'http://id.example'])
      expect(await put(house, { ...given, issuer })).toMatchObject({ status: 400, code: 'INVALID_URL' })
    for (const wrong of [
      { scopes: 'profile' },
      { defaultRole: 'root' },
      { roleMap: { a: 'root' } },
      { allowedDomains: ['a b'] },
      { usernameClaim: '' },
      { teamId: 1 },
    ])
      expect(await put(house, { ...given, ...wrong })).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  })

  it('do not send the secret of one provider to another', async () => {
    const house = await ssoHouse()
    await put(house, { ...given, clientSecret: CLIENT.secret })
    const other = { ...given, issuer: 'https://other.example' }
    expect(await put(house, other)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect((await put(house, { ...other, clientSecret: 'its own' })).status).toBe(200)
  })

  it('keep no secret where there is no key to seal it with [ct.7.1.oidc-put]', async () => {
    const house = await aHouse()
    expect(await put(house, { ...given, clientSecret: 'x' })).toMatchObject({
      status: 501,
      code: 'SECRET_BOX_NOT_CONFIGURED',
    })
    expect(await house.database.query.selectFrom('oidc_settings').selectAll().execute()).toEqual([])
  })

  it('are the environment’s when it has all three [ct.18.managed_by_env ct.17.effect.oidc_issuer ct.17.effect.oidc_client_id ct.17.effect.oidc_client_secret ct.17.effect.oidc_redirect_uri ct.17.effect.oidc_role_claim ct.17.effect.oidc_role_map]', async () => {
    const provider = await hostileProvider()
    const redirectUri = 'https://gantry.example/back'
    const house = await aHouse({
      // The address of the operator's own provider is not questioned.
      env: {
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: CLIENT.id,
        OIDC_CLIENT_SECRET: CLIENT.secret,
        OIDC_REDIRECT_URI: redirectUri,
        OIDC_ROLE_CLAIM: 'groups',
        OIDC_ROLE_MAP: 'ops=operator',
      },
    })
    house.time.nowMs = Date.now()
    expect((await house.ask('/admin-api/auth/oidc/config')).json).toEqual({ enabled: true })
    expect((await house.asKey(SETTINGS)).json).toMatchObject({
      enabled: true,
      source: 'env',
      issuer: provider.issuer,
      clientSecretSet: true,
      redirectUri,
      roleMap: { ops: 'operator' },
    })
    expect(await put(house, given)).toMatchObject({ status: 409, code: 'MANAGED_BY_ENV' })
    const told = await attempt(house, provider, (nonce) => provider.sign(nonce, { groups: 'ops' }))
    expect(told.headers.get('location')).toBe('/admin')
    const [{ form, authorization } = { form: new URLSearchParams(), authorization: '' }] = provider.seen
    expect(form.get('redirect_uri')).toBe(redirectUri)
    expect(form.has('client_secret')).toBe(false)
    const [id, secret] = Buffer.from(authorization?.slice(6) ?? '', 'base64')
      .toString()
      .split(':')
    expect([id, new URLSearchParams(`s=${secret}`).get('s')]).toEqual([CLIENT.id, CLIENT.secret])
    expect((await house.asKey('/admin-api/users/ada')).json).toMatchObject({ role: 'operator' })
  })

  it('of the environment say what is asked, who may come and as what [ct.17.effect.oidc_scopes ct.17.effect.oidc_username_claim ct.17.effect.oidc_default_role ct.17.effect.oidc_allowed_domains ct.17.effect.oidc_auto_provision]', async () => {
    const provider = await hostileProvider()
    const env = {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_SCOPES: 'openid nicknames',
      OIDC_USERNAME_CLAIM: 'nickname',
      OIDC_DEFAULT_ROLE: 'auditor',
      OIDC_ALLOWED_DOMAINS: 'example.com',
    }
    const come = (house: House, email: string) =>
      attempt(house, provider, (nonce) => provider.sign(nonce, { nickname: 'grace', email, email_verified: true }))
    const house = await aHouse({ env })
    house.time.nowMs = Date.now()
    expect((await begin(house)).location.searchParams.get('scope')).toBe('openid nicknames')
    expect(failed(await come(house, 'grace@evil.example'))).toBe('not_allowed')
    expect((await come(house, 'grace@example.com')).headers.get('location')).toBe('/admin')
    expect((await house.asKey('/admin-api/users/grace')).json).toMatchObject({ role: 'auditor', authMethod: 'oidc' })
    const closed = await aHouse({ env: { ...env, OIDC_AUTO_PROVISION: 'false' } })
    expect(failed(await come(closed, 'grace@example.com'))).toBe('not_allowed')
  })

  it('send the secret in the body to a provider that takes it only there', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    provider.told.discovery = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
    await enable(house, provider.issuer)
    await attempt(house, provider, provider.sign)
    expect(provider.seen[0]?.authorization).toBeUndefined()
    expect(provider.seen[0]?.form.get('client_secret')).toBe(CLIENT.secret)
  })

  it('can be tested before they are kept [ct.7.1.oidc-test]', async () => {
    const house = await ssoHouse()
    const { issuer, told } = await hostileProvider()
    const test = (body: object) => house.asKey(`${SETTINGS}/test`, { method: 'POST', body })
    expect(await test({})).toMatchObject({ status: 404, code: 'SSO_NOT_CONFIGURED' })
    expect((await test({ issuer })).json).toEqual({
      ok: true,
      issuer,
      endpoints: {
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/userinfo`,
      },
      error: null,
    })
    await enable(house, issuer)
    told.keys = []
    expect((await test({})).json).toMatchObject({ ok: false, issuer, endpoints: {}, error: expect.any(String) })
    const closed = await aHouse()
    const refused = await closed.asKey(`${SETTINGS}/test`, {
      method: 'POST',
      body: { issuer: 'https://127.0.0.1:4443' },
    })
    expect(refused.json).toMatchObject({ ok: false, error: expect.stringContaining('not allowed') })
  })
})

describe('the two routes', () => {
  it('share a budget per address [gw.setting.rate_limit_sso]', async () => {
    const house = await ssoHouse({ RATE_LIMIT_SSO: '3' })
    for (const path of [START, CALLBACK, START]) expect((await go(house, path)).status).not.toBe(429)
    for (const path of [START, CALLBACK])
      expect(await go(house, path)).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  })
})

describe('with a real OpenID provider', () => {
  /** A browser that follows where it is led, with one jar of cookies per host. */
  async function browse(house: House, from: string) {
    const jars = new Map<string, Map<string, string>>()
    let url = new URL(from, house.front.url)
    for (let hop = 0; hop < 12; hop++) {
      const jar = jars.get(url.host) ?? new Map<string, string>()
      jars.set(url.host, jar)
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      // oxlint-disable-next-line no-restricted-globals -- this is the browser of the tests, outside the gateway
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
      for (const each of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
        if (value === '' || /max-age=0/i.test(each)) jar.delete(name)
        else jar.set(name, value)
      }
      const location = response.headers.get('location')
      if (location === null) return { url, jar, text: await response.text() }
      url = new URL(location, url)
      if (url.host === new URL(house.front.url).host && !url.pathname.startsWith('/admin-api/'))
        return { url, jar, text: '' }
    }
    throw new Error('led in circles')
  }

  it.each([
    ['claims in the ID token', true],
    ['claims from the userinfo endpoint', false],
  ])(
    'signs in, with groups as roles and %s [ct.7.1.oidc-start ct.7.1.oidc-callback gw.route.auth-oidc]',
    async (_how, inToken) => {
      const house = await ssoHouse()
      const { issuer, state } = await realProvider(`${house.front.url}${CALLBACK}`, { inToken })
      await enable(house, issuer, {
        roleClaim: 'groups',
        roleMap: { 'gantry-ops': 'operator' },
        allowedDomains: ['example.com'],
      })
      state.who = {
        sub: 'u-7',
        preferred_username: 'Grace',
        email: 'grace@example.com',
        email_verified: true,
        groups: ['staff', 'gantry-ops'],
      }
      const { url, jar } = await browse(house, `${START}?returnTo=/admin/users`)
      expect(url.pathname + url.search).toBe('/admin/users')
      const cookie = `__Host-gantry_session=${jar.get('__Host-gantry_session')}`
      const me = await house.ask('/admin-api/auth/me', { headers: { cookie } })
      expect(me.json).toMatchObject({ user: { username: 'grace', role: 'operator' } })
      expect([...jar.keys()].sort()).toEqual(['__Host-gantry_csrf', '__Host-gantry_session'])
      expect((await ssoAudit(house)).map(({ actor, action, target }) => `${actor} ${action} ${target}`)).toEqual([
        'grace auth.sso.login grace',
      ])
      state.deny = true
      expect((await browse(house, START)).url.search).toBe('?sso_error=denied')
    },
  )
})
