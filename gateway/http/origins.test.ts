import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Front, openFront } from './http.fixture.ts'

let front: Front
beforeAll(async () => {
  front = await openFront(
    {
      ALLOWED_ORIGINS: ['https://agent.example'],
      CORS_ORIGINS: ['https://panel.example'],
      CORS_ALLOW_CREDENTIALS: true,
    },
    {},
    ({ app }) => {
      for (const url of ['/mcp', '/mcp/:client', '/mcp-custom/:bundle', '/admin-api/thing', '/register'])
        app.route({ method: ['GET', 'POST', 'DELETE'], url, handler: () => ({ reached: true }) })
    },
  )
})
afterAll(() => front.stop())

async function ask(
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; code?: string; headers: Record<string, unknown> }> {
  const answer = await request(front.url + path, { method: method as 'GET', headers })
  const text = await answer.body.text()
  const code = text.startsWith('{"error"') ? (JSON.parse(text) as { error: { code: string } }).error.code : undefined
  return { status: answer.statusCode, headers: answer.headers, ...(code !== undefined && { code }) }
}

const EVIL = [
  'https://evil.test',
  'null',
  'file://',
  'chrome-extension://x',
  'http://localhost.evil',
  'http://localhost:9999',
  'http://127.0.0.1:PORT.evil',
  'HTTPS://AGENT.EXAMPLE',
  'https://agent.example/',
  'https://agent.example.evil.test',
  'https://panel.example',
]

describe('MCP surfaces', () => {
  it.each(EVIL)(
    'refuse Origin %s on every method, percent-encoded paths included (security case OH-03)',
    async (given) => {
      const origin = given.replace('PORT', String(front.port))
      for (const method of ['GET', 'POST', 'DELETE'])
        for (const path of ['/mcp', '/mcp/a', '/mcp-custom/b', '/%6dcp/a']) {
          const answer = await ask(method, path, { origin })
          expect([method, path, answer.status, answer.code]).toEqual([method, path, 403, 'ORIGIN_NOT_ALLOWED'])
          expect(answer.headers['access-control-allow-origin']).toBeUndefined()
        }
    },
  )

  it.each(['cross-site', 'same-site', 'anything'])(
    'refuse a browser request without Origin and site %s',
    async (site) => {
      expect(await ask('GET', '/mcp/a', { 'sec-fetch-site': site })).toMatchObject({
        status: 403,
        code: 'ORIGIN_NOT_ALLOWED',
      })
    },
  )

  it('answer listed origins, their own pages and clients that are no browser', async () => {
    const listed = await ask('POST', '/mcp/a', { origin: 'https://agent.example' })
    expect(listed).toMatchObject({ status: 200 })
    expect(listed.headers).toMatchObject({
      'access-control-allow-origin': 'https://agent.example',
      'access-control-expose-headers': 'X-Request-ID, ETag, Retry-After, Mcp-Session-Id',
      vary: 'Origin',
    })
    expect((await ask('POST', '/mcp/a', { origin: front.url })).status).toBe(200)
    expect((await ask('POST', '/mcp/a', { origin: `http://localhost:${front.port}` })).status).toBe(200)
    expect((await ask('POST', '/mcp/a', {})).status).toBe(200)
    expect((await ask('GET', '/mcp/a', { 'sec-fetch-site': 'none' })).status).toBe(200)
    expect((await ask('GET', '/mcp/a', { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })
})

describe('the admin API', () => {
  it.each(EVIL.slice(0, -1))(
    'refuses a mutation from Origin %s, and its reads stay unreadable [ct.18.origin_not_allowed]',
    async (given) => {
      const origin = given.replace('PORT', String(front.port))
      for (const path of ['/admin-api/thing', '/register']) {
        expect(await ask('POST', path, { origin })).toMatchObject({ status: 403, code: 'ORIGIN_NOT_ALLOWED' })
        const read = await ask('GET', path, { origin })
        expect(read.headers['access-control-allow-origin']).toBeUndefined()
        expect(read.headers['vary']).toBe('Origin')
      }
    },
  )

  it('answers CORS_ORIGINS, also with a refusal, so that a page can read why [ct.1.9.cors-admin gw.setting.cors_origins gw.setting.cors_allow_credentials]', async () => {
    const origin = 'https://panel.example'
    expect((await ask('POST', '/admin-api/thing', { origin })).headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
    })
    const refused = await ask('GET', '/metrics', { origin })
    expect(refused).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': origin } })
  })

  it('refuses simple-request content types (security case OH-04)', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const answer = await request(`${front.url}/admin-api/thing`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: '{}',
      })
      expect(answer.statusCode).toBe(415)
      await answer.body.dump()
    }
  })
})

describe('preflights (security case OH-05)', () => {
  const preflight = (path: string, origin: string) =>
    ask('OPTIONS', path, {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-private-network': 'true',
    })

  it.each([
    'https://evil.test',
    'null',
    'https://sub.panel.example',
    'https://panel.example.evil.test',
    'https://panel.exampl',
  ])('allow nothing to %s', async (origin) => {
    const { headers } = await preflight('/admin-api/thing', origin)
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    expect(headers['vary']).toBe('Origin')
  })

  it('allow exactly the listed headers to listed origins, on each surface by its own list [ct.1.9.cors-headers ct.1.9.cors-exposed]', async () => {
    const { status, headers } = await preflight('/admin-api/thing', 'https://panel.example')
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://panel.example',
      'access-control-allow-headers':
        'Authorization, Content-Type, Accept, X-CSRF-Token, X-Request-Id, If-Match, Idempotency-Key, Mcp-Session-Id, MCP-Protocol-Version, Last-Event-ID, traceparent',
      'access-control-expose-headers': 'X-Request-ID, ETag, Retry-After, Mcp-Session-Id',
      'access-control-max-age': '600',
    })
    expect(headers['access-control-allow-private-network']).toBeUndefined()
    expect((await preflight('/mcp/a', 'https://panel.example')).headers['access-control-allow-origin']).toBeUndefined()
    expect((await preflight('/mcp/a', 'https://agent.example')).headers['access-control-allow-origin']).toBe(
      'https://agent.example',
    )
    expect((await preflight('/health', 'https://panel.example')).headers['access-control-allow-origin']).toBeUndefined()
  })

  it('never pair a wildcard with credentials', async () => {
    const open = await openFront({ CORS_ORIGINS: ['*'], CORS_ALLOW_CREDENTIALS: true })
    const answer = await request(`${open.url}/metrics`, { headers: { origin: 'https://any.example' } })
    await answer.body.dump()
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    await open.stop()
  })
})
