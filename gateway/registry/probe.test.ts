// A probe of a backend: the meaning of healthy per kind, and the requests sent.
import { describe, expect, it, onTestFinished } from 'vitest'
import { createOutbound } from '../net/outbound.ts'
import { someBackend } from './backend.fixture.ts'
import type { Backend } from './backend.ts'
import { createProbe } from './probe.ts'
import { type Answering, answerJson, aServer } from './upstream-server.fixture.ts'

const outbound = createOutbound({ allowPrivate: true, connections: 4 })

describe('a probe', () => {
  const pinged: string[] = []
  async function probed(
    answer: Answering,
    more: (url: string) => Partial<Backend>,
    credential?: Record<string, string>,
    timeoutMs = 5_000,
  ) {
    const server = await aServer(answer)
    const door = createOutbound({ allowPrivate: true, connections: 4 })
    onTestFinished(() => door.close())
    const probe = createProbe({
      outbound: door,
      credential: () => credential && { sentTo: () => ({ headers: credential }), secrets: [] },
      pingMcp: async ({ name }) => {
        pinged.push(name)
        if (name === 'mute') throw new Error('answered error -32603')
      },
      timeoutMs,
      monotonic: () => performance.now(),
    })
    const pin = await door.pin(server.url)
    const result = await probe(
      someBackend({
        name: 'a',
        baseUrl: `${server.url}/api`,
        pins: { base: pin, health: pin, servers: {} },
        ...more(server.url),
      }),
    )
    return { ...result, hits: server.hits, url: server.url }
  }
  const status =
    (code: number): Answering =>
    (_hit, response) =>
      response.writeHead(code).end('text')

  it.each([
    [200, true, true],
    [302, true, true],
    [399, true, true],
    [404, false, true],
    [499, false, true],
    [500, false, false],
    [503, false, false],
  ])('of REST: %i is healthy %j with health_url, %j without [ct.4.3.rest-probe]', async (code, withUrl, without) => {
    const given = await probed(status(code), (url) => ({ healthUrl: `${url}/health?deep=1` }))
    expect([given.ok, given.hits[0]?.method, given.hits[0]?.url]).toEqual([withUrl, 'GET', '/health?deep=1'])
    const base = await probed(status(code), () => ({}))
    expect([base.ok, base.hits[0]?.url]).toEqual([without, '/api'])
    expect(base.ok ? base.error : base.error?.includes(String(code))).toBe(base.ok ? null : true)
  })

  it('of GraphQL queries __typename, and expects JSON [ct.4.3.graphql-probe]', async () => {
    const graphql = () => ({ kind: 'graphql' as const })
    const good = await probed((_hit, response) => answerJson(response, { data: {} }, 400), graphql)
    expect([good.ok, good.hits[0]]).toEqual([
      true,
      expect.objectContaining({ method: 'POST', body: '{"query":"{__typename}"}' }),
    ])
    expect((await probed(status(200), graphql)).ok).toBe(false)
    expect((await probed((_hit, response) => answerJson(response, {}, 500), graphql)).ok).toBe(false)
    const own = await probed(status(204), (url) => ({ ...graphql(), healthUrl: `${url}/up` }))
    expect([own.ok, own.hits[0]?.method]).toEqual([true, 'GET'])
  })

  it('of an MCP upstream is a ping, unless there is a health_url [ct.4.3.mcp-probe ct.4.3.mcp-health-url gw.registration.2-mcp-ping]', async () => {
    pinged.length = 0
    expect((await probed(status(500), () => ({ kind: 'mcp' }))).ok).toBe(true)
    expect(await probed(status(200), () => ({ kind: 'mcp', name: 'mute' }))).toMatchObject({ ok: false, hits: [] })
    expect((await probed(status(500), (url) => ({ kind: 'mcp', healthUrl: `${url}/h` }))).ok).toBe(false)
    expect(pinged).toEqual(['a', 'mute'])
  })

  it('carries the credential to the API, and not to a health endpoint elsewhere', async () => {
    const secret = { authorization: 'Bearer sesame' }
    const own = await probed(status(200), (url) => ({ healthUrl: `${url}/h` }), secret)
    expect(own.hits[0]?.headers.authorization).toBe('Bearer sesame')
    const elsewhere = await aServer()
    const pin = outbound.repin(elsewhere.url, ['127.0.0.1'])
    await probed(
      status(200),
      (url) => ({
        healthUrl: `${elsewhere.url}/h`,
        pins: { base: outbound.repin(url, ['127.0.0.1']), health: pin, servers: {} },
      }),
      secret,
    )
    expect(elsewhere.hits.map(({ headers }) => headers.authorization)).toEqual([undefined])
  })

  it('has its own timeout, and follows no redirect [gw.setting.health_check_timeout_ms]', async () => {
    expect(
      await probed(
        () => undefined,
        () => ({}),
        undefined,
        50,
      ),
    ).toMatchObject({ ok: false, error: expect.any(String) })
    const elsewhere = await aServer()
    const moved = await probed(
      (_hit, response) => response.writeHead(307, { location: elsewhere.url }).end(),
      (url) => ({ healthUrl: url }),
    )
    expect([moved.ok, elsewhere.hits.length]).toEqual([true, 0])
  })

  it('reports no address', async () => {
    const { error, url } = await probed(
      (_hit, response) => response.destroy(),
      () => ({}),
    )
    expect(error).not.toContain(new URL(url).port)
    expect(error).not.toContain('127.0.0.1')
  })
})
