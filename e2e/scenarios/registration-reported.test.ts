// Who is notified of changes of a backend: live events, the audit log, metrics, the overview; and who may ask from elsewhere.
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { startMcpPeer } from '../peers/mcp.ts'
import { listen, recordsOf } from './events.fixture.ts'
import { aGateway, type Gateway } from './gateway.fixture.ts'
import { call, jsonOf, listed, NEAR, register, registered, startNear, TOOL } from './registration.fixture.ts'

let gateway: Gateway
let api: UpstreamServer
let up = true
beforeAll(async () => {
  gateway = await startNear({
    HEALTH_CHECK_INTERVAL_MS: '100',
    MAX_CONSECUTIVE_FAILURES: '2',
    HEALTH_RESTORE_MAX_FACTOR: '1',
    CIRCUIT_BREAKER_FAILURE_THRESHOLD: '1',
    CORS_ORIGINS: 'https://ui.example',
  })
  api = await startServer(({ url }, response) => answerJson(response, { url }, url === '/health' && !up ? 500 : 200))
})
afterAll(async () => {
  await gateway.end()
  await api.close()
})

const send = (method: string, path: string, body?: unknown) =>
  gateway.admin(`/admin-api/clients${path}`, { method, ...(body === undefined ? {} : { body }) })
const simple = (name: string, more: object = {}) =>
  registered(gateway, { name, tools: [TOOL], base_url: api.url, health_url: `${api.url}/health`, ...more })
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await holds()) return
    await wait(50)
  }
  throw new Error('it never came to be')
}
const statusOf = async (name: string) => jsonOf(await send('GET', `/${name}`)).status
const metric = async (line: string) => {
  const { text } = await gateway.admin('/metrics')
  const escaped = line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return Number(new RegExp(`^${escaped} (\\S+)$`, 'm').exec(text)?.[1] ?? 'NaN')
}

describe('live events', () => {
  it('tell of registration, flags, health, the breaker and removal, and of tools that change [ct.7.7.events-clients ct.7.7.events-tools]', async () => {
    const { until: events } = await listen(gateway, '?topics=clients,tools')
    await events('event: ready')
    await simple('watched')
    await events('"registered"')
    await send('PATCH', '/watched', { enabled: false })
    await events('"enabled":false')
    await send('PATCH', '/watched', { enabled: true })
    await events('"enabled":true')
    await send('PATCH', '/watched/tools/hello', { overrides: { displayName: 'greet' } })
    up = false
    await events('"evicted":true')
    up = true
    await events('"evicted":false')
    // One call to an address that does not answer is enough here.
    const gone = await startServer((_hit, response) => response.destroy())
    await registered(gateway, { name: 'breaks', tools: [TOOL], base_url: gone.url, health_url: `${api.url}/health` })
    await call(gateway, 'breaks', 'hello')
    await events('"breaker"')
    await gone.close()
    await gateway.admin('/clients/watched', { method: 'DELETE' })
    await simple('watched')
    await send('DELETE', '/watched')
    await simple('last')
    const records = recordsOf(await events('"client":"last"'))
    const of = (topic: string, client: string) =>
      records.filter(({ event, data }) => event === topic && data.client === client).map(({ data }) => data)
    const clients = of('clients', 'watched').filter(({ type }) => type !== 'health')
    expect(
      clients.map(({ type, enabled }) => (enabled === undefined ? type : `${String(type)} ${String(enabled)}`)),
    ).toEqual(['registered', 'enabled false', 'enabled true', 'removed', 'registered', 'removed'])
    for (const { at } of records.slice(1).map(({ data }) => data)) expect(at).toMatch(/^\d{4}-.*Z$/)
    expect(of('clients', 'watched')).toContainEqual(expect.objectContaining({ type: 'health', status: 'unreachable' }))
    expect(of('clients', 'breaks')).toContainEqual(
      expect.objectContaining({ type: 'breaker', from: 'closed', to: 'open' }),
    )
    // Six changes of the backend and one of a tool of its.
    expect(of('tools', 'watched')).toHaveLength(7)
    expect(of('tools', 'watched')[0]).toMatchObject({ type: 'changed' })
  })

  it('tell of tools an upstream changed by itself, which are live then', async () => {
    const peer = await startMcpPeer({ listChanged: true })
    await registered(gateway, { name: 'moving', mcp_url: peer.url })
    const { until: received } = await listen(gateway, '?topics=tools')
    await received('event: ready')
    // The stream of changes is opened after the registration.
    await until(async () => peer.streams() > 0)
    peer.changeTools([{ name: 'brand_new', inputSchema: { type: 'object' } }])
    await received('"client":"moving"')
    await until(async () => (await listed(gateway, 'moving')).join() === 'brand_new')
    await peer.close()
  })
})

describe('the audit log', () => {
  it('records what was done to a backend, by whom, secrets never (security case AU-11) [ct.13.2.client]', async () => {
    await simple('reported')
    const openapi = await startServer((_hit, response) =>
      answerJson(response, { openapi: '3.1.0', info: {}, paths: { '/a': { get: {} } } }),
    )
    await registered(gateway, { name: 'reread', openapi_url: `${openapi.url}/x`, health_url: `${api.url}/health` })
    await send('POST', '/reread/rediscover', {})
    await openapi.close()
    const secret = { type: 'bearer', token: 'sesame-street' }
    const oauth = { tokenUrl: `${api.url}/token`, clientId: 'us', clientSecret: 'sesame-street' }
    for (const [method, path, body] of [
      ['PATCH', '/reported', { enabled: false }],
      ['PATCH', '/reported', { enabled: true }],
      ['PATCH', '/reported', { description: 'words' }],
      ['PATCH', '/reported', { guards: { circuitBreaker: { failureThreshold: 2 } } }],
      ['PUT', '/reported/tags', { tags: ['blue'] }],
      ['PUT', '/reported/upstream-auth', secret],
      ['DELETE', '/reported/upstream-auth', undefined],
      ['PUT', '/reported/oauth', oauth],
      ['DELETE', '/reported/oauth', undefined],
      ['POST', '/reported/circuit-breaker/reset', undefined],
    ] as const)
      expect([method, path, (await send(method, path, body)).status < 300]).toEqual([method, path, true])
    up = false
    await until(async () => (await statusOf('reported')) === 'unreachable')
    up = true
    await until(async () => (await statusOf('reported')) === 'healthy')
    await gateway.admin('/clients/reported', { method: 'DELETE' })
    await simple('reported')
    await send('DELETE', '/reported')
    const { items } = jsonOf<{ items: { action: string; target: string; actor: string; detail: object }[] }>(
      await gateway.admin('/admin-api/audit-log?limit=200&action=client.'),
    )
    const of = (target: string) => items.filter((row) => row.target === target).reverse()
    expect(of('reported').map(({ action }) => action.replace('client.', ''))).toEqual([
      'register',
      'disable',
      'enable',
      'update',
      'guards.update',
      'tags.set',
      'upstream_auth.set',
      'upstream_auth.clear',
      'oauth.set',
      'oauth.clear',
      'circuit_breaker.reset',
      'evict',
      'restore',
      'teardown',
      'register',
      'delete',
    ])
    expect(of('reread').map(({ action }) => action)).toContain('client.rediscover')
    expect(
      new Set(
        of('reported')
          .filter(({ action }) => /evict|restore/.test(action))
          .map(({ actor }) => actor),
      ),
    ).toEqual(new Set(['system']))
    for (const { detail } of items) expect(detail).toHaveProperty('request_id')
    expect(JSON.stringify(items)).not.toContain('sesame')
  })
})

describe('metrics', () => {
  it('count the backends by health, their tools, and what the health loop does [ct.14.mcp_registry_clients ct.14.mcp_health_check_duration_seconds]', async () => {
    const own = await startNear({ MAX_CONSECUTIVE_FAILURES: '2' })
    const value = async (line: string) => {
      const { text } = await own.admin('/metrics')
      return Number(
        text
          .split('\n')
          .find((each) => each.startsWith(`${line} `))
          ?.slice(line.length + 1) ?? 'NaN',
      )
    }
    const put = (name: string, health: string) =>
      registered(own, { name, tools: [TOOL, { ...TOOL, name: 'more' }], base_url: api.url, health_url: health })
    const noUser = await startServer((_hit, response) => response.destroy())
    for (const name of ['fine', 'off']) await put(name, `${api.url}/ok`)
    for (const name of ['shaky', 'lost']) await put(name, noUser.url)
    const check = (name: string) => own.admin(`/admin-api/clients/${name}/health-check`, { method: 'POST' })
    await check('fine')
    for (const name of ['shaky', 'lost', 'lost']) await check(name)
    await own.admin('/admin-api/clients/off', { method: 'PATCH', body: { enabled: false } })
    for (const status of ['healthy', 'degraded', 'unreachable', 'disabled'])
      expect([status, await value(`mcp_registry_clients{status="${status}"}`)]).toEqual([status, 1])
    expect(await value('mcp_registry_tools_total')).toBe(8)
    expect(await value('mcp_health_check_runs_total{outcome="success"}')).toBe(1)
    expect(await value('mcp_health_check_runs_total{outcome="failure"}')).toBe(3)
    expect(await value('mcp_health_evictions_total')).toBe(1)
    expect(await value('mcp_health_loop_errors_total')).toBe(0)
    expect(await value('mcp_health_check_duration_seconds_count{client="lost",outcome="failure"}')).toBe(2)
    await own.admin('/admin-api/clients/lost', { method: 'PATCH', body: { healthUrl: `${api.url}/ok` } })
    await check('lost')
    expect(await value('mcp_health_restorations_total')).toBe(1)
    const overview = jsonOf(await own.admin('/admin-api/overview'))
    expect(overview).toMatchObject({
      clients: { total: 4, live: 4, disabled: 1, degraded: 1, unreachable: 0 },
      tools: { total: 8, missing: 0 },
    })
    // One that is torn down is registered still; a tool that is gone is missing, not there.
    await own.admin('/clients/fine', { method: 'DELETE' })
    await registered(own, { name: 'off', tools: [TOOL], base_url: api.url, health_url: api.url })
    expect(jsonOf(await own.admin('/admin-api/overview'))).toMatchObject({
      clients: { total: 4, live: 3 },
      tools: { total: 7, missing: 1 },
    })
    expect(await value('mcp_registry_tools_total')).toBe(5)
    await noUser.close()
    await own.end()
  })

  it('are of the loop that runs, too', async () => {
    const before = await metric('mcp_health_check_runs_total{outcome="success"}')
    await simple('pulse')
    await until(async () => (await metric('mcp_health_check_runs_total{outcome="success"}')) > (before || 0))
  })
})

describe('a page of another origin', () => {
  it('may register when it is listed, and not otherwise [ct.1.9.cors-register]', async () => {
    const preflight = (own: Gateway, origin: string) =>
      own.ask('/register', {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
      })
    const allowed = await preflight(gateway, 'https://ui.example')
    expect(allowed.status).toBeLessThan(300)
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://ui.example')
    expect(allowed.headers.get('access-control-allow-methods')).toContain('POST')
    const schema = await gateway.admin('/register/schema', { headers: { origin: 'https://ui.example' } })
    expect(schema.headers.get('access-control-allow-origin')).toBe('https://ui.example')
    const closed = await aGateway(NEAR)
    for (const [own, origin] of [
      [gateway, 'https://evil.example'],
      [closed, 'https://ui.example'],
    ] as const) {
      expect((await preflight(own, origin)).headers.get('access-control-allow-origin')).toBeNull()
      const answer = await own.admin('/register', { method: 'POST', body: {}, headers: { origin } })
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})

it('backends and tools are listed, read, changed and removed under their own paths [gw.route.servers-group]', async () => {
  await simple('group')
  const items = async (path: string) =>
    jsonOf<{ items: { name?: string; tool?: string }[] }>(await gateway.admin(path)).items
  expect((await items('/admin-api/clients?q=group')).map(({ name }) => name)).toEqual(['group'])
  expect((await items('/admin-api/tools?client=group')).map(({ tool }) => tool)).toEqual(['hello'])
  expect(jsonOf(await send('GET', '/group'))).toMatchObject({ name: 'group', toolsCount: 1 })
  expect(jsonOf(await send('PATCH', '/group', { description: 'x' }))).toMatchObject({ description: 'x' })
  expect(jsonOf(await send('PATCH', '', { names: ['group'], enabled: false })).results).toEqual({ group: true })
  expect(jsonOf(await send('PATCH', '/group/tools/hello', { overrides: { description: 'y' } }))).toMatchObject({
    description: 'y',
    upstreamDescription: 'Says hello',
  })
  expect((await send('DELETE', '/group')).status).toBe(204)
  expect([await items('/admin-api/clients?q=group'), await items('/admin-api/tools?client=group')]).toEqual([[], []])
  expect((await register(gateway, { name: 'group', tools: [TOOL], base_url: api.url })).status).toBe(200)
})
