// Fastify is made when a request needs it: direct routes and probes are answered without it, all others wait for it.
import { describe, expect, it, onTestFinished } from 'vitest'
import { aFront } from './http.fixture.ts'
import type { Http } from './server.ts'

async function opened(routes: (http: Http) => void = () => undefined, host = '127.0.0.1') {
  const { http, logged } = aFront({ HOST: host })
  let made = 0
  http.routes((app) => {
    made += 1
    app.get('/admin-api/echo', (_request, reply) => void reply.send({ ok: true }))
    app.post('/admin-api/echo', (request, reply) => void reply.send(request.body))
  })
  routes(http)
  const { url, port } = await http.listen(0)
  onTestFinished(async () => void (await http.stop()))
  const ask = (path: string, init?: RequestInit): Promise<Response> => fetch(url + path, init)
  return { http, url, port, ask, logged, made: () => made }
}

describe('the Fastify instance', () => {
  it('is not made for probes and direct routes', async () => {
    const direct = {
      serve: (_request: unknown, reply: { send(text: string): unknown }) => void reply.send('served'),
      refuse: () => undefined,
    }
    const { ask, made } = await opened((http) => http.direct('/mcp/:name', { GET: direct, POST: direct }))
    for (const path of ['/livez', '/health', '/readyz', '/readyz?for=traffic'])
      expect([path, (await ask(path)).status]).toEqual([path, 200])
    expect(await (await ask('/mcp/shop', { method: 'POST' })).text()).toBe('served')
    expect(await (await ask('/mcp/shop')).text()).toBe('served')
    expect(made()).toBe(0)
  })

  it('is made once, and answers concurrent requests', async () => {
    const { ask, made } = await opened()
    const body = JSON.stringify({ name: 'a'.repeat(100_000) })
    const headers = { 'content-type': 'application/json' }
    const answers = await Promise.all([
      ask('/admin-api/echo'),
      ask('/admin-api/echo', { method: 'POST', body, headers }),
      ask('/no-such-route'),
      ask('/livez', { method: 'HEAD' }),
      ask('/livez', { method: 'DELETE' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200, 405])
    expect(answers[4]?.headers.get('allow')).toBe('GET, HEAD')
    expect(await answers[1]?.text()).toBe(body)
    expect(answers.every(({ headers }) => headers.get('x-request-id') !== null)).toBe(true)
    expect(made()).toBe(1)
  })

  it('that cannot be made is an error of the gateway, and direct routes go on', async () => {
    const { ask, logged } = await opened((http) =>
      http.routes(() => {
        throw new Error('a route that is there twice')
      }),
    )
    const { status } = await ask('/admin-api/echo')
    expect(status).toBe(500)
    expect(logged.some(({ cause }) => JSON.stringify(cause)?.includes('twice'))).toBe(true)
    expect((await ask('/livez')).status).toBe(200)
  })

  it('that could not be made once is made by the next request', async () => {
    let failures = 1
    const { ask, made } = await opened((http) =>
      http.routes(() => {
        if (failures-- > 0) throw new Error('no free file')
      }),
    )
    const statuses = [(await ask('/admin-api/echo')).status, (await ask('/admin-api/echo')).status]
    expect(statuses).toEqual([500, 200])
    expect(made()).toBe(2)
  })

  it('serves every address of localhost', async () => {
    const { port, ask } = await opened(undefined, 'localhost')
    expect((await ask('/livez')).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${port}/admin-api/echo`)).status).toBe(200)
  })
})
