// What becomes of a registered backend: read again, changed, disabled, evicted and back, torn down, forgotten; and what never changes with it.
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientDetail, ClientSummary } from '../../gateway/contract/admin/clients.ts'
import { ToolDetail, ToolRow } from '../../gateway/contract/admin/tools.ts'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { type Answer, aUser, type Gateway } from './gateway.fixture.ts'
import {
  call,
  codeOf,
  echoing,
  jsonOf,
  listed,
  PETS,
  register,
  registered,
  rpc,
  startNear,
  storedRows,
  TOOL,
} from './registration.fixture.ts'

let gateway: Gateway
let api: UpstreamServer
let pets: object = PETS
let up = true
beforeAll(async () => {
  gateway = await startNear({
    HEALTH_CHECK_INTERVAL_MS: '100',
    MAX_CONSECUTIVE_FAILURES: '2',
    HEALTH_RESTORE_MAX_FACTOR: '2',
  })
  api = await startServer((hit, response) => {
    if (hit.url === '/openapi.json') return answerJson(response, pets)
    if (hit.url === '/health') return answerJson(response, {}, up ? 200 : 500)
    return echoing(hit, response)
  })
})
afterAll(async () => {
  await gateway.end()
  await api.close()
})

type Row = { action: string; target: string; detail: Record<string, unknown> }
const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  gateway.admin(path, { method, headers, ...(body === undefined ? {} : { body }) })
const detail = async (name: string): Promise<Record<string, unknown>> =>
  jsonOf(await send('GET', `/admin-api/clients/${name}`))
const audit = async (target: string): Promise<string[]> => {
  const { items } = jsonOf<{ items: Row[] }>(await send('GET', '/admin-api/audit-log?limit=200'))
  return items
    .filter((row) => row.target === target || row.target.startsWith(`${target}__`))
    .map(({ action }) => action)
    .reverse()
}
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await holds()) return
    await wait(50)
  }
  throw new Error('it never came to be')
}
const simple = (name: string, more: object = {}) =>
  registered(gateway, { name, tools: [TOOL], base_url: api.url, health_url: `${api.url}/health`, ...more })

describe('registering again', () => {
  it('is an upsert that keeps configuration and answers what changed [ct.1.8.register ct.1.4.compat-200 ct.4.6.kept ct.4.6.audit]', async () => {
    const payload = { name: 'kept', openapi_url: `${api.url}/openapi.json` }
    await registered(gateway, payload)
    await send('PATCH', '/admin-api/clients/kept/tools/getPet', {
      guards: { timeoutMs: 4000, allowedApiKeys: ['raw-key-of-a-user'] },
      overrides: { displayName: 'one_pet' },
    })
    await send('PATCH', '/admin-api/clients/kept/tools/addPet', { enabled: false })
    const { '/pets': _gone, ...paths } = PETS.paths
    pets = { ...PETS, paths: { ...paths, '/new': { get: { operationId: 'fresh' } } } }
    const again = await register(gateway, payload)
    expect([again.status, jsonOf(again).diff]).toEqual([
      200,
      { added: ['fresh'], removed: ['addPet'], unchanged: 2, changed: [] },
    ])
    expect(await listed(gateway, 'kept')).toEqual(['dropPet', 'fresh', 'one_pet'])
    pets = PETS
    const back = jsonOf(await send('POST', '/admin-api/clients/kept/rediscover', {}))
    expect(back.diff).toMatchObject({ added: ['addPet'], removed: ['fresh'] })
    expect(jsonOf(await send('GET', '/admin-api/clients/kept/tools/addPet'))).toMatchObject({
      enabled: false,
      missing: false,
    })
    expect(JSON.stringify(await detail('kept'))).not.toContain('raw-key')
    expect(await audit('kept')).toEqual([
      'client.register',
      'tool.guards.update',
      'tool.override.update',
      'tool.disable',
      'client.register',
      'client.rediscover',
    ])
  })

  it('does not let a guard fall because its operation was renamed', async () => {
    const payload = { name: 'renaming', openapi_url: `${api.url}/openapi.json` }
    await registered(gateway, payload)
    await send('PATCH', '/admin-api/clients/renaming/tools/dropPet', {
      sensitive: true,
      overrides: { displayName: 'let_go' },
    })
    await send('PATCH', '/admin-api/clients/renaming/tools/getPet', { enabled: false })
    const { '/pets/{id}': one, ...others } = PETS.paths
    const renamed = { ...one, delete: { ...one.delete, operationId: 'removePet' } }
    pets = { ...PETS, paths: { ...others, '/pets/{id}': renamed } }
    expect(jsonOf(await register(gateway, payload)).diff).toMatchObject({ added: ['removePet'], removed: ['dropPet'] })
    expect(await listed(gateway, 'renaming')).toEqual(['addPet', 'let_go'])
    expect((await call(gateway, 'renaming', 'removePet', { id: 1 })).structuredContent).toMatchObject({
      code: 'confirm_required',
    })
    // What merely stands where another stood is not the other: the method is part of the place.
    const { delete: _gone, ...left } = one
    pets = { ...PETS, paths: { ...others, '/pets/{id}': { ...left, put: { operationId: 'replacePet' } } } }
    await register(gateway, payload)
    expect(jsonOf(await send('GET', '/admin-api/clients/renaming/tools/replacePet'))).toMatchObject({
      sensitive: false,
    })
    pets = PETS
  })
})

describe('a preview', () => {
  it('leaves the audit log, the backends and the tools as they were [gw.route.discovery-preview]', async () => {
    const before = await storedRows(gateway)
    const preview = await send('POST', '/admin-api/discovery/preview', { openapi_url: `${api.url}/openapi.json` })
    expect([preview.status, jsonOf(preview)]).toEqual([200, expect.objectContaining({ count: 3, kind: 'rest' })])
    expect(await storedRows(gateway)).toBe(before)
  })
})

describe('enabling and disabling', () => {
  it('hides the tools of a backend and brings them back [gw.state.disable-client gw.state.enable-client ct.7.2.patch]', async () => {
    await simple('switch')
    const disabled = await send('PATCH', '/admin-api/clients/switch', { enabled: false })
    expect(jsonOf(disabled)).toMatchObject({ enabled: false, live: true })
    expect(await listed(gateway, 'switch')).toEqual([])
    expect(await call(gateway, 'switch', 'hello')).toMatchObject({
      isError: true,
      structuredContent: { code: 'disabled' },
    })
    await send('PATCH', '/admin-api/clients/switch', { enabled: true })
    expect(await listed(gateway, 'switch')).toEqual(['hello'])
    expect((await call(gateway, 'switch', 'hello')).isError ?? false).toBe(false)
  })

  it('works for many at once, and says who is not known [ct.7.2.bulk ct.1.8.same-state]', async () => {
    await simple('bulk-a')
    await simple('bulk-b')
    const names = ['bulk-a', 'bulk-b', 'missing']
    const off = await send('PATCH', '/admin-api/clients', { names, enabled: false })
    expect([off.status, jsonOf(off).results]).toEqual([200, { 'bulk-a': true, 'bulk-b': true, missing: false }])
    await send('PATCH', '/admin-api/clients', { names, enabled: false })
    expect(await audit('bulk-a')).toEqual(['client.register', 'client.disable'])
    expect(
      jsonOf<{ items: unknown[] }>(await send('GET', '/admin-api/clients?enabled=false&q=bulk')).items,
    ).toHaveLength(2)
    for (const body of [{ names: [], enabled: true }, { names: Array(501).fill('a'), enabled: true }, { names }])
      expect(codeOf(await send('PATCH', '/admin-api/clients', body))).toBe('VALIDATION_ERROR')
  })

  it('works for one tool by its flag, and for many [gw.state.toggle-tool ct.7.3.bulk ct.8.1.enabled]', async () => {
    await registered(gateway, { name: 'tools', openapi_url: `${api.url}/openapi.json` })
    await send('PATCH', '/admin-api/clients/tools/tools/getPet', { enabled: false })
    expect(await listed(gateway, 'tools')).toEqual(['addPet', 'dropPet'])
    const bulk = await send('PATCH', '/admin-api/clients/tools/tools', {
      tool_names: ['add_pet', 'dropPet', 'x'],
      enabled: false,
    })
    expect(jsonOf(bulk).results).toEqual({ add_pet: true, dropPet: true, x: false })
    expect(await listed(gateway, 'tools')).toEqual([])
    await send('PATCH', '/admin-api/clients/tools/tools', { toolNames: ['getPet'], enabled: true })
    expect(await listed(gateway, 'tools')).toEqual(['getPet'])
  })
})

describe('an unhealthy backend', () => {
  it('is evicted, keeps its configuration, and returns by itself (security case CB-11) [gw.registration.2-keeps-config ct.9.5.evicted ct.19.17.evicted ct.7.2.health-check]', async () => {
    await simple('sick')
    await send('PATCH', '/admin-api/clients/sick/tools/hello', {
      overrides: { displayName: 'alias' },
      guards: { timeoutMs: 9 },
    })
    up = false
    await until(async () => (await detail('sick')).status === 'unreachable')
    expect(await listed(gateway, 'sick')).toEqual([])
    expect(await call(gateway, 'sick', 'hello')).toMatchObject({
      isError: true,
      structuredContent: { code: 'unreachable' },
    })
    expect(await detail('sick')).toMatchObject({
      evictedAt: expect.any(String),
      lastError: 'answered 500',
      toolsCount: 1,
    })
    expect(jsonOf(await send('POST', '/admin-api/clients/sick/health-check'))).toMatchObject({
      ok: false,
      status: 'unreachable',
      restored: false,
    })
    up = true
    await until(async () => (await detail('sick')).status === 'healthy')
    expect(await listed(gateway, 'sick')).toEqual(['alias'])
    expect(jsonOf(await send('GET', '/admin-api/clients/sick/tools/hello'))).toMatchObject({
      alias: 'alias',
      guards: { timeoutMs: 9 },
    })
    expect((await audit('sick')).slice(-2)).toEqual(['client.evict', 'client.restore'])
    const metrics = (await gateway.admin('/metrics')).text
    expect(metrics).toMatch(/mcp_health_evictions_total [1-9]/)
    expect(metrics).toMatch(/mcp_health_restorations_total [1-9]/)
  })
})

describe('removing', () => {
  it('by DELETE /clients/:name ends the live part only [gw.route.client-teardown ct.4.1.teardown]', async () => {
    await simple('down')
    await send('PUT', '/admin-api/clients/down/tags', { tags: [' Blue ', 'blue'] })
    expect((await send('DELETE', '/clients/down')).status).toBe(204)
    expect(codeOf(await send('DELETE', '/clients/down'))).toBe('CLIENT_NOT_FOUND')
    expect([
      (await rpc(gateway, 'down', 'tools/list')).status,
      codeOf(await rpc(gateway, 'down', 'tools/list')),
    ]).toEqual([404, 'CLIENT_NOT_FOUND'])
    expect(await detail('down')).toMatchObject({ live: false, status: null, tags: ['blue'] })
    expect(codeOf(await send('POST', '/admin-api/clients/down/circuit-breaker/reset'))).toBe('CLIENT_NOT_LIVE')
    await simple('down')
    expect(await detail('down')).toMatchObject({ live: true, tags: ['blue'] })
  })

  it('by DELETE /admin-api/clients/:name forgets all of it [gw.route.client-delete ct.7.2.delete ct.18.client_not_found ct.18.tool_not_found]', async () => {
    await simple('gone')
    await send('PUT', '/admin-api/clients/gone/upstream-auth', { type: 'bearer', token: 'sesame-street' })
    await send('PATCH', '/admin-api/clients/gone/tools/hello', { enabled: false })
    const off = { targetType: 'tool', clientName: 'gone', toolName: 'hello', action: 'disable', cron: '0 3 * * *' }
    expect((await send('POST', '/admin-api/schedules', off)).status).toBe(201)
    const { createdAt } = await detail('gone')
    expect((await send('DELETE', '/admin-api/clients/gone')).status).toBe(204)
    for (const [method, path] of [
      ['GET', '/admin-api/clients/gone'],
      ['DELETE', '/admin-api/clients/gone'],
      ['DELETE', '/clients/gone'],
      ['GET', '/admin-api/clients/gone/upstream-auth'],
      ['POST', '/admin-api/clients/gone/rediscover'],
    ] as const)
      expect([path, codeOf(await send(method, path, method === 'POST' ? {} : undefined))]).toEqual([
        path,
        'CLIENT_NOT_FOUND',
      ])
    expect(codeOf(await send('GET', '/admin-api/clients/gone/tools/hello'))).toBe('TOOL_NOT_FOUND')
    await simple('gone')
    expect(jsonOf<{ items: unknown[] }>(await send('GET', '/admin-api/schedules?client=gone')).items).toEqual([])
    const second = await detail('gone')
    expect(second).toMatchObject({ upstreamAuth: { configured: false }, revision: 1, enabledToolsCount: 1 })
    expect(second.createdAt).not.toBe(createdAt)
    expect(await audit('gone')).toContain('client.delete')
  })
})

describe('records', () => {
  it('have exactly the fields of the contract, and say who touched them last [ct.10.1.summary ct.10.1.detail ct.10.2.row ct.10.2.detail ct.10.stamps ct.7.2.get ct.7.2.list ct.7.3.get]', async () => {
    await registered(gateway, { name: 'shape', openapi_url: `${api.url}/openapi.json` })
    const one = await send('GET', '/admin-api/clients/shape')
    expect(ClientDetail.strict().parse(one.json)).toMatchObject({
      revision: 1,
      createdBy: expect.stringMatching(/^bearer:/),
      healthUrl: null,
      openapiUrl: `${api.url}/openapi.json`,
    })
    expect(one.headers.get('etag')).toBe('"1"')
    expect((await send('GET', '/admin-api/clients/shape', undefined, { 'if-none-match': '"1"' })).status).toBe(304)
    const list = jsonOf<{ items: unknown[] }>(await send('GET', '/admin-api/clients?limit=200'))
    for (const row of list.items) ClientSummary.strict().parse(row)
    const rows = jsonOf<{ items: unknown[] }>(await send('GET', '/admin-api/tools?client=shape'))
    for (const row of rows.items) ToolRow.strict().parse(row)
    const tool = await send('GET', '/admin-api/clients/shape/tools/getPet')
    expect(ToolDetail.strict().parse(tool.json)).toMatchObject({ endpoint: '/pets/{id}', method: 'GET', revision: 1 })
    expect(tool.headers.get('etag')).toBe('"1"')
  })

  it('are changed against a revision only when it is the current one', async () => {
    await simple('race')
    const stale = { 'if-match': '"9"' }
    for (const [method, path, body] of [
      ['PATCH', '/admin-api/clients/race', { description: 'x' }],
      ['PATCH', '/admin-api/clients/race/tools/hello', { enabled: false }],
    ] as const) {
      expect(codeOf(await send(method, path, body, stale))).toBe('PRECONDITION_FAILED')
      expect(codeOf(await send(method, path, { ...body, revision: 9 }))).toBe('PRECONDITION_FAILED')
      const fine = await send(method, path, body, { 'if-match': '"1"' })
      expect([fine.status, fine.headers.get('etag')]).toEqual([200, '"2"'])
    }
  })

  it('clear what null clears [ct.1.3.patch-null ct.7.2.tags ct.7.4.tags ct.7.4.tag-tools ct.7.4.tag ct.7.3.tags ct.1.3.query-boolean]', async () => {
    await simple('clear', { description: 'words' })
    const patched = await send('PATCH', '/admin-api/clients/clear', {
      description: null,
      healthUrl: null,
      guards: { circuitBreaker: { failureThreshold: 2 } },
    })
    expect(jsonOf(patched)).toMatchObject({
      description: null,
      healthUrl: null,
      guards: { circuitBreaker: { failureThreshold: 2 } },
    })
    expect(jsonOf(await send('PATCH', '/admin-api/clients/clear', { guards: null }))).toMatchObject({ guards: null })
    expect(jsonOf(await send('PUT', '/admin-api/clients/clear/tools/hello/tags', { tags: ['Zulu ', 'a-b'] }))).toEqual({
      name: 'clear',
      tool: 'hello',
      tags: ['a-b', 'zulu'],
    })
    expect(jsonOf<{ items: unknown[] }>(await send('GET', '/admin-api/tags')).items).toContainEqual({
      tag: 'zulu',
      count: 1,
    })
    expect(jsonOf(await send('GET', '/admin-api/tags/zulu/tools'))).toEqual({
      items: [{ client: 'clear', tool: 'hello' }],
    })
    expect(codeOf(await send('PUT', '/admin-api/clients/clear/tags', { tags: ['no spaces'] }))).toBe('VALIDATION_ERROR')
    expect(codeOf(await send('GET', '/admin-api/clients?enabled=yes'))).toBe('VALIDATION_ERROR')
  })
})

describe('who may', () => {
  it('register: operators, and no role below them [ct.2.3.o gw.registration.6-auth gw.route.register gw.auth.register]', async () => {
    const body = { name: 'mine', tools: [TOOL], base_url: api.url }
    expect(codeOf(await gateway.ask('/register', { method: 'POST', body }))).toBe('UNAUTHORIZED')
    const viewer = await aUser(gateway, 'vera', 'viewer')
    const operator = await aUser(gateway, 'otto', 'operator')
    expect(codeOf(await gateway.ask('/register', { method: 'POST', body, headers: { ...viewer } }))).toBe('FORBIDDEN')
    const { cookie } = operator
    expect(codeOf(await gateway.ask('/register', { method: 'POST', body, headers: { cookie } }))).toBe(
      'CSRF_VALIDATION_FAILED',
    )
    expect((await gateway.ask('/register', { method: 'POST', body, headers: { ...operator } })).status).toBe(200)
    const auth = { method: 'PUT', body: { type: 'bearer', token: 'x' }, headers: { ...operator } }
    expect(codeOf(await gateway.ask('/admin-api/clients/mine/upstream-auth', auth))).toBe('FORBIDDEN')
  })
})
