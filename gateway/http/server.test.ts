import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ErrorEnvelope, GatewayError } from '../contract/error.ts'
import { bodyOf, type Front, openFront, rawExchange, statusOf } from './http.fixture.ts'

let front: Front
beforeAll(async () => {
  front = await openFront({}, {}, ({ app }) => {
    app.get('/admin-api/ok', (seen) => ({ id: seen.id, trace: seen.context.trace }))
    app.put('/admin-api/ok', () => ({ ok: true }))
    app.get('/admin-api/things/:name', (seen) => seen.params)
    app.get('/admin-api/broken', () => {
      throw new Error('the table is locked', { cause: new Error('deep cause') })
    })
    app.get('/admin-api/refused', () => {
      throw new GatewayError('VALIDATION_ERROR', 'Not so', { fields: [{ path: 'a.b', message: 'is required' }] })
    })
    app.get('/admin-api/closed', () => {
      throw new GatewayError('UNAUTHORIZED', 'Sign in first')
    })
  })
})
afterAll(() => front.stop())

async function ask(path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
  const answer = await request(front.url + path, options as { method: 'GET' }) // the tests send any method
  const text = await answer.body.text()
  return { status: answer.statusCode, headers: answer.headers, text }
}
const errorOf = (text: string) => ErrorEnvelope.parse(JSON.parse(text)).error

describe('every refusal is one envelope', () => {
  // cites: ct.3.sse ct.1.5.no-such-route ct.18.not_found gw.service.no-sse-transport gw.version.5-no-sse
  it.each([
    ['an unknown path', '/nowhere', {}, 404, 'NOT_FOUND'],
    [
      'an unknown path with a broken body',
      '/nowhere',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' },
      404,
      'NOT_FOUND',
    ],
    ['an OAuth probe', '/.well-known/oauth-authorization-server', {}, 404, 'NOT_FOUND'],
    ['an OpenID probe', '/.well-known/openid-configuration/mcp/a', {}, 404, 'NOT_FOUND'],
    ['the old SSE endpoint', '/sse', {}, 404, 'NOT_FOUND'],
    ['the old messages endpoint', '/messages', { method: 'POST', body: 'x' }, 404, 'NOT_FOUND'],
    ['a path that cannot be decoded', '/admin-api/things/%zz', {}, 404, 'NOT_FOUND'],
    ['a name too long', `/admin-api/things/${'a'.repeat(2000)}`, {}, 404, 'NOT_FOUND'],
    ['another method', '/admin-api/ok', { method: 'POST', body: '{}' }, 405, 'METHOD_NOT_ALLOWED'],
    ['a bad field', '/admin-api/refused', {}, 400, 'VALIDATION_ERROR'],
    ['a missing credential', '/admin-api/closed', {}, 401, 'UNAUTHORIZED'],
    ['a defect', '/admin-api/broken', {}, 500, 'INTERNAL_ERROR'],
  ])(
    '%s (security case CS-07) [gw.error.1-envelope ct.1.4.request-id ct.1.5.request_id ct.1.5.code]',
    async (_what, path, options, status, code) => {
      const answer = await ask(path, options)
      expect(answer.status).toBe(status)
      expect(errorOf(answer.text)).toMatchObject({ code, request_id: answer.headers['x-request-id'] })
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
    },
  )

  it('405 names the methods that would work [ct.1.5.allow ct.18.method_not_allowed]', async () => {
    expect((await ask('/admin-api/ok', { method: 'DELETE' })).headers['allow']).toBe('GET, HEAD, PUT')
    expect((await ask('/admin-api/things/a', { method: 'POST' })).headers['allow']).toBe('GET, HEAD')
    expect((await ask('/health', { method: 'POST' })).headers['allow']).toBe('GET, HEAD')
    expect((await ask('/admin/x/y', { method: 'POST' })).headers['allow']).toBe('GET, HEAD')
  })

  it('a defect keeps its cause in the log, under the id it answered (security case RS-06) [ct.18.internal_error gw.error.1-log ct.1.5.message]', async () => {
    const answer = await ask('/admin-api/broken')
    expect(answer.text).not.toMatch(/locked|deep cause|server\.test/)
    const line = front.logged.find((each) => each['request_id'] === errorOf(answer.text).request_id)
    expect(line).toMatchObject({
      level: 'error',
      code: 'INTERNAL_ERROR',
      route: '/admin-api/broken',
      cause: { message: 'the table is locked', cause: { message: 'deep cause' } },
    })
  })

  it('401 names its scheme [ct.1.5.www-authenticate]', async () => {
    expect((await ask('/admin-api/closed')).headers['www-authenticate']).toBe('Bearer')
  })

  it('answers for what never became a request', async () => {
    const host = `Host: 127.0.0.1:${front.port}\r\n`
    const flood = await rawExchange(front.port, `GET /health HTTP/1.1\r\n${host}X: ${'a'.repeat(20_000)}\r\n\r\n`)
    expect(statusOf(flood)).toBe(431)
    expect(errorOf(bodyOf(flood)).request_id).toBe(/x-request-id: (.+)\r/.exec(flood)?.[1])
    const garbage = await rawExchange(front.port, 'HELLO\r\n\r\n')
    expect(statusOf(garbage)).toBe(400)
    expect(errorOf(bodyOf(garbage)).code).toBe('INVALID_REQUEST')
    const both = 'POST /health HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n'
    expect(statusOf(await rawExchange(front.port, `${both}${host}\r\n0\r\n\r\n`))).toBe(400)
  })
})

describe('correlation', () => {
  it.each(['a b', 'a'.repeat(129), 'ü', '<script>', 'a,b'])(
    'replaces the id %s by a UUID [ct.1.9.replaced]',
    async (id) => {
      const { headers } = await ask('/admin-api/ok', {
        headers: { 'x-request-id': Buffer.from(id).toString('latin1') },
      })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    },
  )

  it('keeps a well-formed id [ct.1.9.accepted gw.correlation.inbound gw.correlation.echo]', async () => {
    for (const id of ['a', 'A9._:-', 'x'.repeat(128)]) {
      const answer = await ask('/admin-api/ok', { headers: { 'x-request-id': id } })
      expect(answer.headers['x-request-id']).toBe(id)
      expect(JSON.parse(answer.text)).toMatchObject({ id })
    }
  })

  it('reads the span of the caller, and nothing from a header that is no trace', async () => {
    const ids = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331'
    const trace = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', flags: 1 }
    for (const [traceparent, read] of [
      [`00-${ids}-01`, trace],
      [`ff-${ids}-01`, null],
      ['garbage', null],
    ] as const)
      expect(JSON.parse((await ask('/admin-api/ok', { headers: { traceparent } })).text)).toMatchObject({ trace: read })
    expect(JSON.parse((await ask('/admin-api/ok')).text)).toMatchObject({ trace: null })
  })
})

describe('answers', () => {
  it('HEAD is GET without the body, everywhere [ct.3.head]', async () => {
    for (const path of ['/health', '/readyz', '/llms.txt', '/admin', '/admin/bundles', '/admin-api/ok', '/']) {
      const got = await ask(path)
      const head = await ask(path, { method: 'HEAD' })
      expect([path, head.status, head.text]).toEqual([path, got.status, ''])
      expect(head.headers['content-type']).toBe(got.headers['content-type'])
    }
    expect((await ask('/nowhere', { method: 'HEAD' })).status).toBe(404)
  })

  it('of the admin API are never stored (security case CS-10) [ct.1.4.no-store]', async () => {
    for (const path of ['/admin-api/ok', '/admin-api/refused', '/admin-api/nowhere', '/metrics'])
      expect((await ask(path)).headers['cache-control']).toBe('no-store')
  })

  it('leave nothing in the log when they succeed, one debug line when that is asked for', async () => {
    const before = front.logged.length
    await ask('/admin-api/ok')
    expect(front.logged).toHaveLength(before)
    const chatty = await openFront({}, { logRequests: true })
    await (await request(`${chatty.url}/health`, { headers: { 'x-request-id': 'me' } })).body.dump()
    await chatty.stop()
    expect(chatty.logged).toMatchObject([{ level: 'debug', request_id: 'me', route: '/health', status: 200 }])
  })
})
