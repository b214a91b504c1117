// What the settings of the data plane do to a call: its time, its retries, its size, its breaker, its sessions and limits.
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startMcpPeer } from '../peers/mcp.ts'
import { registerUpstream } from './conformance.fixture.ts'
import {
  anUpstream,
  aShop,
  aShopGateway,
  call,
  configure,
  failureOf,
  openSession,
  openStreaming,
  refusalOf,
  rpc,
} from './data-plane.fixture.ts'
import { codeOf, jsonOf } from './registration.fixture.ts'

const PATIENT = 120_000
const attempts = (result: Awaited<ReturnType<typeof call>>) => result._meta['gantry/call']?.attempts

describe('a call', () => {
  it('is given up after its time, for each attempt [gw.setting.tool_call_timeout_ms]', async () => {
    const { gateway } = await aShop({ TOOL_CALL_TIMEOUT_MS: '150', RETRY_MAX_ATTEMPTS: '0' })
    const result = await call(gateway, 'hang')
    expect([failureOf(result).kind, result.content[0]?.text, attempts(result)]).toEqual([
      'timeout',
      'Timed out after 150 ms',
      1,
    ])
  })

  it.each([
    ['0', 1],
    ['3', 4],
  ])('is tried again %s times at most [gw.setting.retry_max_attempts]', async (more, all) => {
    const { gateway, upstream } = await aShop({ RETRY_MAX_ATTEMPTS: more })
    const result = await call(gateway, 'reset')
    expect([failureOf(result).kind, attempts(result), upstream.seen.length]).toEqual(['network', all, all])
  })

  it('waits longer before each retry, and no longer than allowed for an upstream that names a time [gw.setting.retry_base_delay_ms gw.setting.retry_after_max_ms]', async () => {
    const { gateway, upstream } = await aShop({
      RETRY_BASE_DELAY_MS: '200',
      RETRY_MAX_ATTEMPTS: '2',
      RETRY_AFTER_MAX_MS: '300',
    })
    const gaps = async (headers: Record<string, string>) => {
      const arrived: number[] = []
      upstream.answer = (_request, response) => {
        arrived.push(performance.now())
        response.writeHead(503, headers).end('not now')
      }
      await call(gateway, 'ok')
      return arrived.slice(1).map((at, index) => at - (arrived[index] ?? 0))
    }
    const [first = 0, second = 0] = await gaps({})
    // Timers may be early by a millisecond; how late they are is the machine's affair.
    expect(first).toBeGreaterThanOrEqual(198)
    expect(second).toBeGreaterThanOrEqual(398)
    for (const gap of await gaps({ 'retry-after': '3600' })) expect(gap).toBeGreaterThanOrEqual(298)
  })

  it('takes so many bytes and no more [gw.setting.max_response_bytes ct.5.13.sum]', async () => {
    const { gateway, upstream } = await aShop({ MAX_RESPONSE_BYTES: '2048' })
    const of = async (bytes: number) => {
      upstream.answer = (_request, response) =>
        void response.setHeader('content-type', 'text/plain').end('x'.repeat(bytes))
      return call(gateway, 'ok')
    }
    expect((await of(2048)).isError ?? false).toBe(false)
    const result = await of(2049)
    expect([failureOf(result).kind, result.content[0]?.text]).toEqual([
      'response_too_large',
      'Response exceeds the limit of 2048 bytes',
    ])
  })

  it('shares so many connections with the others [ct.17.effect.backend_connections_max]', async () => {
    const { gateway, upstream } = await aShop({ BACKEND_CONNECTIONS_MAX: '2' })
    const sockets = new Set<Socket>()
    upstream.answer = ({ socket }, response) => {
      sockets.add(socket)
      setTimeout(() => response.setHeader('content-type', 'application/json').end('{}'), 20)
    }
    const results = await Promise.all(Array.from({ length: 12 }, () => call(gateway, 'ok')))
    expect(results.every(({ isError }) => isError === undefined)).toBe(true)
    expect(sockets.size).toBe(2)
  })
})

describe('calls of an MCP upstream', () => {
  it('share so many connections, and none is lost for waiting [ct.17.effect.mcp_upstream_pool_max]', async () => {
    const gateway = await aShopGateway({ MCP_UPSTREAM_POOL_MAX: '2' })
    const sockets = new Set<unknown>()
    const peer = await startMcpPeer({
      intercept({ method, response }) {
        if (method === 'tools/call') sockets.add(response.socket)
        return false
      },
    })
    onTestFinished(() => peer.close())
    await registerUpstream(gateway, 'up', peer.url)
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, at) => call(gateway, 'echo', { at, ms: 20 }, '/mcp/up')),
    )
    expect(results.map(({ structuredContent }) => structuredContent?.at)).toEqual(results.map((_, at) => at))
    expect(sockets.size).toBe(2)
  })
})

describe('the breaker of a backend', () => {
  const code = async (gateway: Parameters<typeof call>[0], name: string) => refusalOf(await call(gateway, name)).code

  it('opens after so many failures, and lets one call try after its time [gw.setting.circuit_breaker_failure_threshold gw.setting.circuit_breaker_reset_timeout_ms ct.5.5.call]', async () => {
    const { gateway } = await aShop({
      CIRCUIT_BREAKER_FAILURE_THRESHOLD: '2',
      CIRCUIT_BREAKER_RESET_TIMEOUT_MS: '3000',
    })
    await call(gateway, 'broken')
    expect(await code(gateway, 'ok')).toBeUndefined()
    await call(gateway, 'broken')
    const refused = refusalOf(await call(gateway, 'ok'))
    expect(refused.code).toBe('circuit_open')
    await wait(Number(refused.retryAfterMs) + 100)
    expect(await code(gateway, 'ok')).toBeUndefined()
    await call(gateway, 'broken')
    expect(await code(gateway, 'ok')).toBeUndefined()
  })

  it('forgets failures older than its window [gw.setting.circuit_breaker_window_ms]', async () => {
    const { gateway } = await aShop({ CIRCUIT_BREAKER_FAILURE_THRESHOLD: '2', CIRCUIT_BREAKER_WINDOW_MS: '1000' })
    await call(gateway, 'broken')
    await wait(1100)
    await call(gateway, 'broken')
    expect(await code(gateway, 'ok')).toBeUndefined()
  })

  it('gives the call that tries less time [gw.setting.circuit_breaker_half_open_timeout_ms]', async () => {
    const { gateway } = await aShop({
      CIRCUIT_BREAKER_FAILURE_THRESHOLD: '1',
      CIRCUIT_BREAKER_RESET_TIMEOUT_MS: '0',
      CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS: '200',
      TOOL_CALL_TIMEOUT_MS: '60000',
    })
    await call(gateway, 'broken')
    const result = await call(gateway, 'hang')
    expect([failureOf(result).kind, result.content[0]?.text]).toEqual(['timeout', 'Timed out after 200 ms'])
  })
})

describe('sessions', () => {
  it('make so many requests in a minute [gw.setting.rate_limit_mcp]', async () => {
    const { gateway } = await aShop({ RATE_LIMIT_MCP: '5' })
    const headers = await openSession(gateway)
    const answers = []
    for (let turn = 0; turn < 8; turn += 1) answers.push(await rpc(gateway, 'ping', {}, { headers }))
    const passed = answers.filter(({ status }) => status === 200).length
    expect(passed).toBe(5)
    const last = answers.at(-1)
    expect([last?.status, last?.text]).toEqual([429, expect.stringContaining('RATE_LIMITED')])
    // The refusal says when to continue.
    expect(last?.text).toMatch(/try again in \d+ s/)
  })

  it('are so many at most [gw.setting.max_sessions]', async () => {
    const { gateway } = await aShop({ MAX_SESSIONS: '2' })
    const opened = []
    for (let turn = 0; turn < 4; turn += 1) opened.push(await openSession(gateway))
    const { json } = await gateway.admin('/admin-api/mcp-sessions')
    expect(json).toMatchObject({ items: [{}, {}] })
    // Those that had to make room open again, and the last two then make room for them.
    for (const headers of opened) expect((await rpc(gateway, 'ping', {}, { headers })).status).toBe(200)
    for (let turn = 0; turn < 2; turn += 1) await openStreaming(gateway)
    await expect(openSession(gateway)).rejects.toThrow('SESSION_CAPACITY')
  })

  it('end when they were unused for their time [gw.setting.session_ttl_ms]', async () => {
    const { gateway } = await aShop({ SESSION_TTL_MS: '4000' })
    const headers = await openSession(gateway)
    expect((await rpc(gateway, 'ping', {}, { headers })).status).toBe(200)
    await wait(4300)
    const late = await rpc(gateway, 'ping', {}, { headers })
    expect([late.status, late.text]).toEqual([404, expect.stringContaining('SESSION_NOT_FOUND')])
  })

  it('are opened by pages of the listed origins only [gw.setting.allowed_origins]', async () => {
    const { gateway } = await aShop({ ALLOWED_ORIGINS: 'https://app.example' })
    const from = (origin: string) => rpc(gateway, 'ping', {}, { headers: { origin } })
    expect((await from('https://app.example')).status).toBe(200)
    const other = await from('https://elsewhere.example')
    expect([other.status, codeOf(other)]).toEqual([403, 'ORIGIN_NOT_ALLOWED'])
  })
})

describe('the memory of the limiters', () => {
  const buckets = async (gateway: Parameters<typeof call>[0], tier: string) => {
    const { text } = await gateway.admin('/metrics')
    return Number(new RegExp(`^mcp_rate_limit_buckets\\{tier="${tier}"\\} (\\d+)$`, 'm').exec(text)?.[1])
  }

  it('holds so many callers [gw.setting.rate_limit_max_buckets_mcp]', { timeout: PATIENT }, async () => {
    const held = async (env: Record<string, string>) => {
      const { gateway } = await aShop({ TRUST_PROXY: 'loopback', ...env })
      for (let last = 1; last <= 5; last += 1)
        await rpc(gateway, 'ping', {}, { headers: { 'x-forwarded-for': `203.0.113.${last}` } })
      return buckets(gateway, 'mcp')
    }
    expect(await held({})).toBeGreaterThan(4)
    expect(await held({ RATE_LIMIT_MAX_BUCKETS_MCP: '2' })).toBe(2)
  })

  it('holds so many limited tools [gw.setting.rate_limit_max_buckets_tool]', { timeout: PATIENT }, async () => {
    const tools = ['ok', 'notfound', 'mislabelled', 'away'] as const
    const held = async (env: Record<string, string>) => {
      const { gateway } = await aShop(env)
      for (const name of tools) await configure(gateway, name, { guards: { rateLimitPerMin: 100 } })
      for (const name of tools) await call(gateway, name)
      return buckets(gateway, 'tool')
    }
    expect(await held({})).toBe(4)
    expect(await held({ RATE_LIMIT_MAX_BUCKETS_TOOL: '2' })).toBe(2)
  })
})

describe('a long list', () => {
  it('comes in pages of a thousand, with a cursor to the next [ct.5.5.list]', { timeout: PATIENT }, async () => {
    const gateway = await aShopGateway({ MAX_TOOLS_PER_CLIENT: '2000', ENABLE_SEARCH_TOOL: 'false' })
    const upstream = await anUpstream()
    const tools = Array.from({ length: 1003 }, (_, at) => ({
      name: `t${String(at).padStart(4, '0')}`,
      method: 'GET',
      endpoint: `/t/${at}`,
      description: `Tool ${at}`,
    }))
    await gateway.admin('/register', { method: 'POST', body: { name: 'petstore', base_url: upstream.url, tools } })
    type List = { result: { tools: { name: string }[]; nextCursor?: string } }
    const first = jsonOf<List>(await rpc(gateway, 'tools/list')).result
    expect([first.tools.length, first.tools[0]?.name]).toEqual([1000, 't0000'])
    const last = jsonOf<List>(await rpc(gateway, 'tools/list', { cursor: first.nextCursor })).result
    expect([last.tools.map(({ name }) => name), last.nextCursor]).toEqual([['t1000', 't1001', 't1002'], undefined])
  })
})
