// A backend's credential: stored sealed, decrypted once, fetched as a token, and never omitted from a request.
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { OAuthInput, UpstreamAuthInput } from '../contract/admin/clients.ts'
import { aBackendHouse, type BackendHouse, ROOT } from '../operations/backends/backends.fixture.ts'
import { credentialOf } from './credentials.ts'
import { type Answering, answerJson, aServer } from './upstream-server.fixture.ts'

async function withBackend(house: BackendHouse): Promise<BackendHouse> {
  await house.registration.register(ROOT, {
    name: 'a',
    curl_input: 'curl http://127.0.0.1:81/x',
    retry_non_safe_methods: false,
    include_mutations: true,
    mcp_transport: 'streamable-http',
  })
  return house
}
const sent = async ({ credentials }: BackendHouse) => (await credentials.get('a'))?.sentTo('http://127.0.0.1:81')
const oauth = (tokenUrl: string, more: Partial<OAuthInput> = {}): OAuthInput => ({
  tokenUrl,
  clientId: 'id',
  clientSecret: 'the client secret',
  authStyle: 'body',
  ...more,
})
const tokens =
  (expiresIn?: unknown): Answering =>
  (_hit, response) =>
    answerJson(response, { access_token: `token-${(count += 1)}`, expires_in: expiresIn, token_type: 'bearer' })
let count = 0

describe('a static credential', () => {
  it.each<[UpstreamAuthInput, Record<string, string>]>([
    [{ type: 'bearer', token: 'sesame' }, { authorization: 'Bearer sesame' }],
    [
      { type: 'basic', username: 'u', password: 'päss' },
      { authorization: `Basic ${Buffer.from('u:päss').toString('base64')}` },
    ],
    [{ type: 'header', headerName: 'X-Api-Key', value: 'sesame' }, { 'x-api-key': 'sesame' }],
  ])('%j becomes a header', (auth, headers) => {
    expect(credentialOf(auth).headers).toEqual(headers)
  })

  it('has every spelling in which it could be reflected', () => {
    const { secrets } = credentialOf({ type: 'bearer', token: 'a "secret"/' })
    const raw = 'a "secret"/'
    for (const text of [
      raw,
      Buffer.from(raw).toString('base64'),
      Buffer.from(raw).toString('base64url'),
      Buffer.from(raw).toString('hex'),
      'a+"secret"/',
    ])
      expect(secrets).toContain(text)
    const { secrets: basic } = credentialOf({ type: 'basic', username: 'u', password: 'pass-word' })
    expect(basic).toContain('pass-word')
    expect(basic).toContain(Buffer.from('u:pass-word').toString('base64'))
    expect(credentialOf({ type: 'bearer', token: 'ab' }).secrets.every((text) => text.length >= 4)).toBe(true)
  })

  it('is stored sealed, and decrypted once [gw.auth.8-at-rest]', async () => {
    const house = await withBackend(await aBackendHouse())
    await house.upstreamAuth.setUpstreamAuth(ROOT, 'a', { type: 'bearer', token: 'sesame-street' })
    const row = JSON.stringify(await house.database.query.selectFrom('backends').selectAll().execute())
    expect(row).not.toContain('sesame')
    expect(JSON.stringify(await house.audit())).not.toContain('sesame')
    expect(await sent(house)).toMatchObject({ headers: { authorization: 'Bearer sesame-street' } })
    // Cached now, so synchronous; decrypted again after a minute.
    expect(house.credentials.get('a')).not.toBeInstanceOf(Promise)
    house.time.nowMs += 61_000
    expect(house.credentials.get('a')).toBeInstanceOf(Promise)
  })

  it('that cannot be decrypted fails the call [ct.9.4.bare]', async () => {
    const house = await withBackend(await aBackendHouse())
    await house.upstreamAuth.setUpstreamAuth(ROOT, 'a', { type: 'bearer', token: 'sesame' })
    await house.database.write(async (tx) => {
      const { upstream_auth } = await tx.selectFrom('backends').select('upstream_auth').executeTakeFirstOrThrow()
      await tx
        .updateTable('backends')
        .set({ upstream_auth: `${upstream_auth?.slice(0, -8)}AAAAAAA=` })
        .execute()
    })
    await expect(house.credentials.get('a')).rejects.toMatchObject({ code: 'SECRETS_PROVIDER_ERROR' })
    await expect(house.credentials.get('a')).rejects.toMatchObject({ code: 'SECRETS_PROVIDER_ERROR' })
  })

  it('is dropped when it changes, and cannot be refetched after a 401', async () => {
    const house = await withBackend(await aBackendHouse())
    await house.upstreamAuth.setUpstreamAuth(ROOT, 'a', { type: 'bearer', token: 'one-one' })
    await house.credentials.get('a')
    await house.upstreamAuth.setUpstreamAuth(ROOT, 'a', { type: 'bearer', token: 'two-two' })
    expect(await sent(house)).toMatchObject({ headers: { authorization: 'Bearer two-two' } })
    expect(await house.credentials.refresh('a')).toBe(false)
    await house.upstreamAuth.clearUpstreamAuth(ROOT, 'a')
    expect(await house.credentials.get('a')).toBeUndefined()
    expect(await house.credentials.get('missing')).toBeUndefined()
  })
})

describe('a token endpoint that fails leaves nothing to send', () => {
  it.each<[string, Answering]>([
    [
      'an error',
      (_hit, response) => answerJson(response, { error: 'invalid_client', secret: 'the client secret' }, 401),
    ],
    ['a redirect', (_hit, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['HTML', (_hit, response) => response.end('<html>')],
    ['no token', (_hit, response) => answerJson(response, { token_type: 'bearer' })],
    ['a token that is no text', (_hit, response) => answerJson(response, { access_token: 7 })],
    ['a token with a line break', (_hit, response) => answerJson(response, { access_token: 'a\r\nx-evil: 1' })],
    ['more than a token', (_hit, response) => answerJson(response, { access_token: 'x'.repeat(100_000) })],
    ['a hang-up', (_hit, response) => response.destroy()],
  ])('%s [ct.9.3.failure]', async (name, answer) => {
    const server = await aServer(answer)
    const house = await withBackend(await aBackendHouse())
    await house.upstreamAuth.setOauth(ROOT, 'a', oauth(`${server.url}/token`))
    const failure = ['a hang-up', 'more than a token'].includes(name) ? 'network' : 'upstream_error'
    await expect(house.credentials.get('a')).rejects.toMatchObject({ code: 'SECRETS_PROVIDER_ERROR', failure })
    const tested = await house.upstreamAuth.testOauth(ROOT, 'a')
    expect(tested).toMatchObject({ ok: false, expiresInMs: null })
    expect(tested.error).not.toContain('secret')
    // Failures are not cached: the next call retries.
    await expect(house.credentials.get('a')).rejects.toThrow()
    expect(server.hits.length).toBe(3)
  })
})

it('a hanging token endpoint times out after OAUTH_TOKEN_TIMEOUT_MS [gw.setting.oauth_token_timeout_ms]', async () => {
  const server = await aServer(() => undefined)
  const house = await withBackend(await aBackendHouse({ env: { OAUTH_TOKEN_TIMEOUT_MS: '100' } }))
  await house.upstreamAuth.setOauth(ROOT, 'a', oauth(`${server.url}/token`))
  await expect(house.credentials.get('a')).rejects.toMatchObject({ failure: 'network' })
  expect(server.hits.length).toBe(1)
})

describe('a token (security case KM-09)', () => {
  async function aTokenHouse(expiresIn?: unknown, more: Partial<OAuthInput> = {}) {
    count = 0
    const server = await aServer(tokens(expiresIn))
    const house = await withBackend(await aBackendHouse())
    await house.upstreamAuth.setOauth(ROOT, 'a', oauth(`${server.url}/token?x=1`, more))
    const bearer = async () => (await sent(house))?.headers.authorization
    return { house, server, bearer }
  }

  it('is requested with the client in the body, or with basic authentication [ct.9.3.token]', async () => {
    const body = await aTokenHouse(3600, { scope: 'read write', audience: 'api' })
    await body.bearer()
    expect(body.server.hits[0]).toMatchObject({ method: 'POST', url: '/token?x=1' })
    expect(Object.fromEntries(new URLSearchParams(body.server.hits[0]?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'id',
      client_secret: 'the client secret',
      scope: 'read write',
      audience: 'api',
    })
    const basic = await aTokenHouse(3600, { authStyle: 'basic' })
    await basic.bearer()
    expect(basic.server.hits[0]?.body).toBe('grant_type=client_credentials')
    expect(basic.server.hits[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('id:the%20client%20secret').toString('base64')}`,
    )
  })

  it('is cached until a minute before expiry', async () => {
    const { house, server, bearer } = await aTokenHouse(600)
    expect([await bearer(), await bearer()]).toEqual(['Bearer token-1', 'Bearer token-1'])
    house.time.nowMs += 539_000
    expect(await bearer()).toBe('Bearer token-1')
    house.time.nowMs += 2_000
    expect(await bearer()).toBe('Bearer token-2')
    expect(server.hits.length).toBe(2)
  })

  it.each([
    ['no time', undefined, 239_000, 241_000],
    ['nonsense', 'soon', 239_000, 241_000],
    ['a negative time', -5, 239_000, 241_000],
    ['thirty years', 1_000_000_000, 86_000_000, 86_400_000],
  ])('with a lifetime of %s is not kept for ever', async (_case, expiresIn, still, over) => {
    const { house, bearer } = await aTokenHouse(expiresIn)
    await bearer()
    house.time.nowMs += still
    expect(await bearer()).toBe('Bearer token-1')
    house.time.nowMs += over - still
    expect(await bearer()).toBe('Bearer token-2')
  })

  it('is fetched once for concurrent calls', async () => {
    const { house, server } = await aTokenHouse(600)
    const all = await Promise.all(Array.from({ length: 20 }, async () => house.credentials.get('a')))
    expect(new Set(all.map((each) => each?.sentTo('http://127.0.0.1:81')?.headers.authorization))).toEqual(
      new Set(['Bearer token-1']),
    )
    expect(server.hits.length).toBe(1)
  })

  it('is refetched once for all concurrent refusals', async () => {
    const { house, server, bearer } = await aTokenHouse(600)
    await bearer()
    const refreshed = await Promise.all(Array.from({ length: 20 }, () => house.credentials.refresh('a')))
    expect(new Set(refreshed)).toEqual(new Set([true]))
    expect([await bearer(), server.hits.length]).toEqual(['Bearer token-2', 2])
  })

  it('takes precedence over a static credential, and both are masked in answers (security case RS-02)', async () => {
    const { house, bearer } = await aTokenHouse(600)
    await house.upstreamAuth.setUpstreamAuth(ROOT, 'a', { type: 'bearer', token: 'static' })
    expect(await bearer()).toMatch(/^Bearer token-/)
    const secrets = (await house.credentials.get('a'))?.secrets ?? []
    expect(secrets).toContain('the client secret')
    expect(secrets.some((text) => text.startsWith('token-'))).toBe(true)
  })

  it('is not cached if its settings changed during the fetch', async () => {
    count = 0
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const server = await aServer(async (hit, response) => {
      if (hit.body.includes('client_id=old')) await held
      answerJson(response, { access_token: `of-${new URLSearchParams(hit.body).get('client_id')}`, expires_in: 600 })
    })
    const house = await withBackend(await aBackendHouse())
    await house.upstreamAuth.setOauth(ROOT, 'a', oauth(server.url, { clientId: 'old' }))
    const early = house.credentials.get('a')
    while (server.hits.length === 0) await turn()
    await house.upstreamAuth.setOauth(ROOT, 'a', oauth(server.url, { clientId: 'new' }))
    release()
    expect((await early)?.sentTo('http://127.0.0.1:81')?.headers.authorization).toBe('Bearer of-old')
    expect((await sent(house))?.headers.authorization).toBe('Bearer of-new')
  })

  it('expires as its endpoint states', async () => {
    for (const [reply, expected] of [
      [600, 600_000],
      [30, 30_000],
      [undefined, null],
    ] as const) {
      const { house } = await aTokenHouse(reply)
      expect(await house.upstreamAuth.testOauth(ROOT, 'a')).toEqual({
        ok: true,
        expiresInMs: expected,
        error: null,
      })
    }
  })
})
