// Tokens of an identity provider over real sockets: beside the other credentials, by the provider's real keys, and where they come from.
import { describe, expect, it } from 'vitest'
import { anIssuer, signingKey, tokenOf } from '../../gateway/auth/jwt.fixture.ts'
import { wsConnect } from '../../gateway/sockets/ws-backend.fixture.ts'
import { bearer, listen, mint, openSessionAs, outcome, subscribe } from './access.fixture.ts'
import { aShop, rpc } from './data-plane.fixture.ts'
import { aGateway, type Env } from './gateway.fixture.ts'

const KEY = signingKey('one')
const ISSUER = 'https://idp.test'
const ENV_KEY = 'an-env-key-of-the-scenario'

async function aShopWithTokens(env: Env = {}) {
  const idp = await anIssuer(KEY)
  const shop = await aShop({
    JWT_JWKS_URL: idp.url,
    JWT_ISSUER: ISSUER,
    JWT_AUDIENCE: 'gantry',
    MCP_API_KEYS: ENV_KEY,
    ...env,
  })
  const token = (more: object = {}, key = KEY): string => {
    const exp = Math.floor(Date.now() / 1000) + 300
    return tokenOf({ alg: key.alg, kid: key.kid }, { iss: ISSUER, aud: 'gantry', sub: 'ada', exp, ...more }, key)
  }
  return { ...shop, idp, token }
}

describe('a token', () => {
  it('works beside keys of the environment and managed keys, and is distinguished in the rows of calls [gw.auth.data-plane gw.auth.6-additive]', async () => {
    const { gateway, token } = await aShopWithTokens()
    const managed = await mint(gateway)
    for (const key of [ENV_KEY, managed.key, token()]) expect(await outcome(gateway, bearer(key))).toBe('ok')
    for (const key of [
      '',
      'wrong',
      token({ exp: 1 }),
      token({ aud: 'other' }),
      token({ iss: 'https://evil.test' }),
      token({}, signingKey('one')),
    ])
      expect(await outcome(gateway, bearer(key))).toBe('401 UNAUTHORIZED')
    expect(await outcome(gateway, {})).toBe('401 UNAUTHORIZED')
  })

  it('is no way to the admin API, with any claims, and neither is a key (security case JW-10) [ct.2.1.no-keys-on-admin]', async () => {
    const { gateway, token } = await aShopWithTokens()
    const strong = await mint(gateway, { adminRole: 'admin', elevated: true })
    const session = await gateway.ask('/admin-api/auth/me', { headers: bearer(strong.key) })
    expect([session.status, session.json]).toMatchObject([401, { error: { code: 'UNAUTHORIZED' } }])
    const paths = [
      '/admin-api/clients',
      '/admin-api/mcp-keys',
      '/admin-api/users',
      '/metrics',
      '/docs/openapi.json',
      '/register/schema',
    ]
    // Nor is a token to the control plane: its claims are its issuer's, and no role of ours is among them.
    for (const claims of [{ role: 'admin', adminRole: 'admin' }, { sub: 'env' }, { sub: `mcp-key:${strong.id}` }]) {
      const answer = await rpc(gateway, 'tools/list', {}, { path: '/mcp', headers: bearer(token(claims)) })
      expect([answer.status, answer.json]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }])
    }
    for (const key of [ENV_KEY, strong.key, token({ role: 'admin', adminRole: 'admin', sub: 'desktop' })])
      for (const path of paths)
        expect([path, (await gateway.ask(path, { headers: bearer(key) })).status]).toEqual([path, 401])
  })

  it('ends the stream it opened when it ends; the session goes on with the next token of the same subject', async () => {
    const { gateway, token } = await aShopWithTokens()
    // 60 s of skew belong to the end, so this one ends in about two seconds.
    const short = token({ exp: Math.floor(Date.now() / 1000) - 57 })
    const session = await openSessionAs(gateway, short)
    const streams = [await listen(gateway, '/mcp/petstore', session), await subscribe(gateway, bearer(short))]
    expect(streams.map(({ status }) => status)).toEqual([200, 200])
    await Promise.all(streams.map(({ ended }) => ended))
    expect(await outcome(gateway, session)).toBe('401 UNAUTHORIZED')
    expect(await outcome(gateway, { ...session, ...bearer(token({ jti: 2 })) })).toBe('ok')
    const other = { ...session, ...bearer(token({ sub: 'bob' })) }
    expect((await rpc(gateway, 'ping', {}, { headers: other })).json).toMatchObject({
      error: { data: { code: 'SESSION_NOT_FOUND' } },
    })
  })

  it('of a key that is new is good after one look, and a storm of unknown ones costs no more', async () => {
    const { gateway, token, idp } = await aShopWithTokens()
    expect(await outcome(gateway, bearer(token()))).toBe('ok')
    const next = signingKey('two', 'ES256')
    idp.keys = [KEY.jwk, next.jwk]
    expect(await outcome(gateway, bearer(token({}, next)))).toBe('ok')
    const before = idp.hits()
    const storm = Array.from({ length: 60 }, (_each, at) =>
      outcome(gateway, bearer(token({}, { ...KEY, kid: `missing-${at}` }))),
    )
    expect(new Set(await Promise.all(storm))).toEqual(new Set(['401 UNAUTHORIZED']))
    expect([idp.hits(), await outcome(gateway, bearer(token()))]).toEqual([before, 'ok'])
  })
})

it('a key server that does not answer admits no caller, and no caller is admitted without it', async () => {
  const { gateway, token } = await aShopWithTokens({ JWT_JWKS_URL: 'http://127.0.0.1:9/jwks', MCP_API_KEYS: '' })
  for (const headers of [{}, bearer(token()), bearer('anything')])
    expect(await outcome(gateway, headers)).toBe('401 UNAUTHORIZED')
})

it('a key server is waited for as long as the setting says [gw.setting.jwt_jwks_timeout_ms]', async () => {
  const refusedBy = async (timeoutMs: string): Promise<string> => {
    const { gateway, token, idp } = await aShopWithTokens({ JWT_JWKS_TIMEOUT_MS: timeoutMs })
    idp.answer = () => undefined
    const next = signingKey('two')
    await outcome(gateway, bearer(token({}, next)))
    return timeoutMs
  }
  expect(await Promise.race(['100', '120000'].map(refusedBy))).toBe('100')
})

describe('where tokens come from', () => {
  it('is shown at the well-known places and to refused callers, the same for existing and unknown endpoints [ct.3.well-known ct.5.10.resource-metadata]', async () => {
    const { gateway } = await aShopWithTokens()
    const place = '/.well-known/oauth-protected-resource'
    for (const path of ['', '/mcp/petstore', '/mcp/nope', '/mcp-custom/kit']) {
      const { status, json } = await gateway.ask(place + path)
      const metadata = {
        resource: gateway.url + path,
        authorization_servers: [ISSUER],
        bearer_methods_supported: ['header'],
      }
      expect([status, json]).toEqual([200, metadata])
    }
    expect((await gateway.ask(`${place}/mcp/No%20Name`)).status).toBe(404)
    for (const path of ['/mcp/petstore', '/mcp/nope', '/mcp-custom/kit']) {
      const refused = await rpc(gateway, 'tools/list', {}, { path })
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer resource_metadata="${gateway.url}${place}${path}"`,
      ])
      const invalid = await rpc(gateway, 'tools/list', {}, { path, headers: bearer('a.wrong.token') })
      expect([invalid.status, invalid.headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer error="invalid_token", resource_metadata="${gateway.url}${place}${path}"`,
      ])
    }
  })

  it('names the scopes that a token needs at each endpoint, and a token without them is refused with a challenge', async () => {
    const { gateway, token } = await aShopWithTokens({ JWT_REQUIRED_SCOPES: 'mcp:use,use:{name}' })
    const place = '/.well-known/oauth-protected-resource'
    const at = async (path: string) =>
      ((await gateway.ask(place + path)).json as { scopes_supported?: unknown }).scopes_supported // by the contract
    expect(await at('')).toEqual(['mcp:use'])
    expect(await at('/mcp-custom/kit')).toEqual(['mcp:use', 'use:kit'])
    const scopes = ['mcp:use', 'use:petstore']
    expect(await at('/mcp/petstore')).toEqual(scopes)
    // The forms of RFC 9068 and of providers that differ; a key has no scopes of a provider.
    for (const claims of [{ scope: 'openid use:petstore mcp:use' }, { scp: scopes }, { scp: scopes.join(' ') }])
      expect(await outcome(gateway, bearer(token(claims)))).toBe('ok')
    for (const key of [ENV_KEY, (await mint(gateway)).key]) expect(await outcome(gateway, bearer(key))).toBe('ok')
    const lacking = [
      {},
      { scope: 'mcp:use' },
      { scope: 'use:petstore' },
      { scope: 'MCP:USE use:petstore' },
      { scp: [['mcp:use'], 1] },
    ]
    for (const claims of lacking)
      for (const [path, name] of [
        ['/mcp/petstore', 'petstore'],
        ['/mcp/nope', 'nope'],
        ['/mcp-custom/kit', 'kit'],
      ] as const) {
        const refused = await rpc(gateway, 'tools/list', {}, { path, headers: bearer(token(claims)) })
        expect([refused.status, refused.json]).toMatchObject([403, { error: { code: 'INSUFFICIENT_SCOPE' } }])
        expect(refused.headers.get('www-authenticate')).toBe(
          `Bearer error="insufficient_scope", scope="mcp:use use:${name}", resource_metadata="${gateway.url}${place}${path}"`,
        )
      }
    const socket = await wsConnect(`${gateway.url}/ws-proxy/feed`, { headers: bearer(token({ scope: 'mcp:use' })) })
    expect([socket.status, socket.text]).toEqual([403, expect.stringContaining('INSUFFICIENT_SCOPE')])
    const without = await rpc(gateway, 'tools/list')
    expect(without.headers.get('www-authenticate')).toContain('Bearer scope="mcp:use use:petstore", resource_metadata=')
  })

  it('is shown nowhere without an issuer: the answer is the plain 404 of every unknown route [ct.3.well-known-404]', async () => {
    const idp = await anIssuer(KEY)
    const closed = await aGateway({ JWT_JWKS_URL: idp.url, JWT_AUDIENCE: 'gantry' })
    const gateways = [await aGateway(), closed]
    for (const gateway of gateways)
      for (const path of [
        'oauth-protected-resource',
        'oauth-protected-resource/mcp/petstore',
        'oauth-authorization-server',
        'openid-configuration',
      ]) {
        const { status, json, headers } = await gateway.ask(`/.well-known/${path}`)
        expect([status, json]).toMatchObject([404, { error: { code: 'NOT_FOUND', request_id: expect.any(String) } }])
        expect(headers.get('content-type')).toContain('application/json')
      }
    const refused = await rpc(closed, 'tools/list')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })
})
