// Single sign-on over real sockets: everything a provider or an attacker between us can do wrong, then a real OpenID provider.
import { generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { OidcSettings } from '#contract'
import { CLIENT, hostileProvider, realProvider } from '../auth/openid.fixture.ts'
import { type House } from './admin.fixture.ts'
import {
  attempt,
  type Begun,
  back,
  begin,
  CALLBACK,
  enable,
  failed,
  go,
  SETTINGS,
  START,
  ssoAudit,
  ssoHouse,
} from './oidc.fixture.ts'

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
    const { issuer, replies: reply } = await hostileProvider()
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
      reply.discovery = discovery
      expect(await go(house, START)).toMatchObject({ status: 502, code: 'SSO_DISCOVERY_FAILED' })
    }
    reply.discovery = {}
    reply.status = 500
    expect(await go(house, START)).toMatchObject({ status: 502, code: 'SSO_DISCOVERY_FAILED' })
    reply.status = 200
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

  it('keeps the address that the provider has, also when later requests name another host', async () => {
    const house = await ssoHouse()
    const { issuer } = await hostileProvider()
    await enable(house, issuer, { redirectUri: 'https://gantry.example/admin-api/auth/oidc/callback' })
    const { location } = await begin(house)
    expect(location.searchParams.get('redirect_uri')).toBe('https://gantry.example/admin-api/auth/oidc/callback')
  })
})

describe('an answer that is not this browser’s, of now, once (security case CS-06)', () => {
  it('is refused as state, and leaves no session [ct.7.1.oidc-callback]', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    const { issuer, replies: reply, sign } = provider
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
    reply.idToken = () => sign(twice.nonce)
    house.time.nowMs = Date.now()
    expect((await back(house, twice)).headers.get('location')).toBe('/admin')
    expect(failed(await back(house, twice))).toBe('state')
    const both = await begin(house)
    reply.idToken = () => sign(both.nonce)
    const answers = await Promise.all([back(house, both), back(house, both)])
    expect(new Set(answers.map((each) => each.headers.get('location')))).toEqual(
      new Set(['/admin', '/admin/login?sso_error=state']),
    )
    const moved = await begin(house)
    await enable(house, issuer, { clientId: 'another' })
    expect(failed(await back(house, moved))).toBe('state')
    expect(provider.seen).toHaveLength(2)
    expect((await ssoAudit(house, 'auth.sso.failed'))[0]).toMatchObject({
      actor: 'anonymous',
      detail: { error: 'state', reason: expect.any(String) },
    })
  })

  it('is not used up by a page that is only prefetched', async () => {
    const house = await ssoHouse()
    const { issuer, replies: reply, sign } = await hostileProvider()
    await enable(house, issuer)
    const begun = await begin(house)
    reply.idToken = () => sign(begun.nonce)
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
    provider.replies.discovery = { authorization_response_iss_parameter_supported: true }
    await enable(naming, provider.issuer)
    expect(failed(await attempt(naming, provider, provider.sign))).toBe('state')
  })
})

describe('a provider that refuses or fails', () => {
  it('is reported in one word [ct.7.1.oidc-callback]', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    const { replies: reply, sign } = provider
    await enable(house, provider.issuer)
    expect(failed(await attempt(house, provider, sign, '&error=access_denied&error_description=x'))).toBe('denied')
    expect(failed(await attempt(house, provider, sign, ''))).toBe('exchange')
    for (const tokens of ['text', null, {}, { id_token: 7 }, { access_token: 'a' }, []]) {
      reply.tokens = tokens ?? 'null'
      expect(failed(await attempt(house, provider, sign))).toBe('exchange')
    }
    const begun = await begin(house)
    reply.status = 503
    expect(failed(await back(house, begun))).toBe('exchange')
  })

  it('is given up after OIDC_TIMEOUT_MS [ct.17.effect.oidc_timeout_ms]', async () => {
    const house = await ssoHouse({ OIDC_TIMEOUT_MS: '150' })
    const provider = await hostileProvider()
    await enable(house, provider.issuer)
    expect(failed(await attempt(house, provider, () => new Promise(() => undefined)))).toBe('exchange')
  })
})

describe('an ID token (security case CS-06)', () => {
  it('that is not signed by the provider, for us, of now, of this sign-in, opens nothing [ct.7.1.oidc-callback]', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    const { sign, now, issuer, jwk } = provider
    await enable(house, issuer)
    const { privateKey: foreignKey } = await generateKeyPair('RS256')
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
      ['another key', (nonce) => sign(nonce, {}, { key: foreignKey })],
      ['another key under an unknown id', (nonce) => sign(nonce, {}, { key: foreignKey, header: { kid: 'two' } })],
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
      ['missing', (nonce) => sign(nonce, { sub: undefined })],
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
    const { sign, replies: reply, hits } = provider
    await enable(house, provider.issuer)
    expect((await attempt(house, provider, sign)).headers.get('location')).toBe('/admin')
    reply.keys = [{ ...provider.jwk, kid: 'two' }]
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

describe('where a sign-in leads back to (security case CS-06)', () => {
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
    const { issuer, replies: reply, sign } = await hostileProvider()
    await enable(house, issuer)
    const begun = await begin(house, `?returnTo=${encodeURIComponent(returnTo)}`)
    reply.idToken = () => sign(begun.nonce)
    const answer = await back(house, begun)
    const location = answer.headers.get('location') ?? ''
    expect(new URL(location, 'http://x').origin).toBe('http://x')
    expect(location.startsWith('/admin/') || location === '/admin').toBe(true)
    if (!/[\t\r]/.test(returnTo)) expect(location).toBe(expected)
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
    'signs in, with groups as roles and %s [ct.7.1.oidc-start ct.7.1.oidc-callback gw.route.auth-oidc ct.13.2.auth.sso]',
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
