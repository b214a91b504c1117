// The credential a backend is called with, seen from the backend: there when it should be, fetched no more than needed, and never left out or given away.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import type { Gateway } from './gateway.fixture.ts'
import { call, codeOf, jsonOf, registered, startNear, TOOL } from './registration.fixture.ts'

let gateway: Gateway
let api: UpstreamServer
let tokens: UpstreamServer
let accepted = ''
let given = 0
let issuing = true
beforeAll(async () => {
  gateway = await startNear()
  tokens = await startServer((_hit, response) => {
    if (!issuing) return answerJson(response, { error: 'down', why: 'client-secret-of-ours' }, 500)
    given += 1
    return answerJson(response, { access_token: `token-number-${given}`, expires_in: 3600 })
  })
  api = await startServer(({ headers, url }, response) => {
    const authorization = headers.authorization ?? ''
    const fine = accepted === '' || authorization === accepted
    answerJson(response, { saw: authorization, again: authorization.replace('Bearer ', ''), url }, fine ? 200 : 401)
  })
})
afterAll(async () => {
  await gateway.end()
  await api.close()
  await tokens.close()
})
const send = (method: string, path: string, body?: unknown) =>
  gateway.admin(`/admin-api/clients/${path}`, { method, ...(body === undefined ? {} : { body }) })
const lastSeen = () => api.hits.at(-1)?.headers.authorization
const simple = (name: string) => registered(gateway, { name, tools: [TOOL], base_url: api.url })

describe('a static credential', () => {
  it('is sent, shown as set, and taken out of what comes back [ct.7.2.upstream-auth]', async () => {
    await simple('static')
    expect((await send('PUT', 'static/upstream-auth', { type: 'bearer', token: 'sesame-street-1' })).status).toBe(200)
    const result = await call(gateway, 'static', 'hello')
    expect([lastSeen(), result.isError ?? false]).toEqual(['Bearer sesame-street-1', false])
    const shown = [
      JSON.stringify(result),
      (await send('GET', 'static')).text,
      (await send('GET', 'static/upstream-auth')).text,
      gateway.output(),
    ]
    expect(shown.join()).not.toContain('sesame')
    await send('PUT', 'static/upstream-auth', { type: 'header', headerName: 'X-Api-Key', value: 'sesame-street-2' })
    await call(gateway, 'static', 'hello')
    expect([lastSeen(), api.hits.at(-1)?.headers['x-api-key']]).toEqual([undefined, 'sesame-street-2'])
    expect((await send('DELETE', 'static/upstream-auth')).status).toBe(204)
    await call(gateway, 'static', 'hello')
    expect(api.hits.at(-1)?.headers['x-api-key']).toBeUndefined()
    expect(codeOf(await send('DELETE', 'static/upstream-auth'))).toBe('NOT_CONFIGURED')
  })

  it('may stand in the address, once, for every call, and comes back in no form (security case HI-04)', async () => {
    const tool = {
      ...TOOL,
      inputSchema: { type: 'object', properties: { q: { type: 'string' }, api_key: { type: 'string' } } },
    }
    await registered(gateway, { name: 'in-query', tools: [tool], base_url: api.url })
    const key = 'sesame street/3&x'
    expect(
      (await send('PUT', 'in-query/upstream-auth', { type: 'query', paramName: 'api_key', value: key })).status,
    ).toBe(200)
    const result = await call(gateway, 'in-query', 'hello', { q: 'a', api_key: 'mine' })
    const { searchParams } = new URL(api.hits.at(-1)?.url ?? '', api.url)
    expect([searchParams.get('q'), searchParams.getAll('api_key')]).toEqual(['a', [key]])
    const shown = [JSON.stringify(result), (await send('GET', 'in-query')).text, gateway.output()].join()
    expect(shown).not.toContain('sesame')
    expect(jsonOf(await send('GET', 'in-query/upstream-auth'))).toMatchObject({ type: 'query', paramName: 'api_key' })
  })

  it.each([
    { type: 'query', paramName: 'a&b', value: 'x' },
    { type: 'query', paramName: '', value: 'x' },
    { type: 'header', headerName: 'Host', value: 'x' },
    { type: 'header', headerName: 'Content-Length', value: 'x' },
    { type: 'header', headerName: 'X Y', value: 'x' },
    { type: 'bearer', token: 'a\r\nx-evil: 1' },
    { type: 'bearer', token: '' },
    { type: 'basic', username: 'u' },
    { type: 'magic', token: 'x' },
  ])('like %j is refused [ct.9.4.put]', async (body) => {
    await simple('picky')
    expect(codeOf(await send('PUT', 'picky/upstream-auth', body))).toBe('VALIDATION_ERROR')
    expect(jsonOf(await send('GET', 'picky/upstream-auth'))).toEqual({ configured: false })
  })
})

describe('a fetched token', () => {
  const oauth = () => ({ tokenUrl: `${tokens.url}/token`, clientId: 'us', clientSecret: 'client-secret-of-ours' })

  it('serves many calls, and is fetched once more when it is refused [ct.9.3.put ct.9.3.token ct.7.2.oauth]', async () => {
    await simple('oauth')
    const set = await send('PUT', 'oauth/oauth', oauth())
    expect(jsonOf(set)).toMatchObject({ oauth: { clientId: 'us', clientSecretSet: true, authStyle: 'body' } })
    expect(set.text).not.toContain('client-secret')
    await Promise.all(Array.from({ length: 10 }, () => call(gateway, 'oauth', 'hello')))
    expect([given, lastSeen()]).toEqual([1, 'Bearer token-number-1'])
    accepted = 'Bearer token-number-2'
    expect((await call(gateway, 'oauth', 'hello')).isError ?? false).toBe(false)
    expect([given, lastSeen()]).toEqual([2, 'Bearer token-number-2'])
    accepted = 'Bearer of-another-user'
    const hits = api.hits.length
    expect((await call(gateway, 'oauth', 'hello')).isError).toBe(true)
    expect([given, api.hits.length - hits]).toEqual([3, 2])
    accepted = ''
    const { clientSecret: _secret, ...kept } = oauth()
    expect((await send('PUT', 'oauth/oauth', { ...kept, scope: 'more' })).status).toBe(200)
    await call(gateway, 'oauth', 'hello')
    expect(tokens.hits.at(-1)?.body).toContain('client_secret=client-secret-of-ours')
    const shown = await send('GET', 'oauth/oauth')
    expect(jsonOf(shown)).toMatchObject({
      oauth: { tokenUrl: `${tokens.url}/token`, scope: 'more', clientSecretSet: true },
    })
    expect(shown.text).not.toMatch(/client-secret|token-number/)
    expect((await send('DELETE', 'oauth/oauth')).status).toBe(204)
    expect(jsonOf(await send('GET', 'oauth/oauth'))).toEqual({ oauth: null })
    await call(gateway, 'oauth', 'hello')
    expect(lastSeen()).toBeUndefined()
  })

  it('that cannot be had means that nothing is sent [ct.9.3.failure ct.7.2.oauth-test]', async () => {
    await simple('dry')
    expect(codeOf(await send('PUT', 'dry/oauth', { tokenUrl: tokens.url, clientId: 'us' }))).toBe('VALIDATION_ERROR')
    await send('PUT', 'dry/oauth', oauth())
    issuing = false
    const hits = api.hits.length
    for (let times = 0; times < 5; times += 1) {
      const result = await call(gateway, 'dry', 'hello')
      expect(result.isError).toBe(true)
      expect(JSON.stringify(result)).not.toContain('client-secret')
      // Reported so that an administrator can find it, and by its kind.
      expect(result.content[0]?.text).toBe('Nothing was sent to dry: the token endpoint answered 500.')
      expect(result._meta?.['gantry/failure']).toMatchObject({ kind: 'upstream_error' })
    }
    expect(jsonOf(await send('POST', 'dry/oauth/test'))).toMatchObject({ ok: false })
    expect(api.hits.length).toBe(hits)
    expect(jsonOf(await send('GET', 'dry'))).toMatchObject({ circuitBreakerState: 'closed' })
    issuing = true
    expect((await call(gateway, 'dry', 'hello')).isError ?? false).toBe(false)
    expect(jsonOf(await send('POST', 'dry/oauth/test'))).toEqual({ ok: true, expiresInMs: 3_600_000, error: null })
    expect((await send('DELETE', 'dry/oauth')).status).toBe(204)
    expect(codeOf(await send('POST', 'dry/oauth/test'))).toBe('NOT_CONFIGURED')
  })

  it('that nothing asks for cannot be tested or removed [ct.18.not_configured]', async () => {
    await simple('without')
    for (const [method, path] of [
      ['POST', 'without/oauth/test'],
      ['DELETE', 'without/oauth'],
      ['DELETE', 'without/upstream-auth'],
    ] as const)
      expect(await send(method, path), path).toMatchObject({ status: 404, json: { error: { code: 'NOT_CONFIGURED' } } })
  })
})

it('without an encryption key nothing is kept in the open [ct.18.secret_box_not_configured ct.19.28.secrets]', async () => {
  const bare = await startNear({ SECRET_ENCRYPTION_KEY: '' })
  await registered(bare, { name: 'bare', tools: [TOOL], base_url: api.url })
  const put = (path: string, body: unknown) => bare.admin(`/admin-api/clients/bare/${path}`, { method: 'PUT', body })
  const keyless = { status: 501, json: { error: { code: 'SECRET_BOX_NOT_CONFIGURED' } } }
  expect(await put('upstream-auth', { type: 'bearer', token: 'sesame' })).toMatchObject(keyless)
  const oauth = { tokenUrl: tokens.url, clientId: 'a', clientSecret: 'b' }
  expect(await put('oauth', oauth)).toMatchObject(keyless)
  const { upstreamAuth, oauthConfigured } = jsonOf(await bare.admin('/admin-api/clients/bare'))
  expect([upstreamAuth, oauthConfigured]).toEqual([{ configured: false }, false])
  await bare.end()
})
