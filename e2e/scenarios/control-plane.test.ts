// The control plane over real sockets: who gets in, what the tools do to a running gateway, both eras, a client that is not ours.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { asAdmin, legacy, modern, resultFields, resultOf, sys } from './control-plane.fixture.ts'
import { anUpstream, aShop, aShopGateway, call, refusalOf, rpc } from './data-plane.fixture.ts'
import {
  ADMIN_KEY,
  addUser,
  aGateway,
  aUser,
  type Env,
  type Gateway,
  passwordOf,
  signIn,
  startGateway,
} from './gateway.fixture.ts'

const SMALL = {
  name: 'small',
  base_url: 'http://93.184.215.14',
  tools: [{ name: 'read', method: 'GET', endpoint: '/r', description: 'Reads' }],
}

const ERAS = [
  ['with sessions', legacy],
  ['without sessions', modern],
] as const
const bearer = (key: string): Env => ({ authorization: `Bearer ${key}` })
const codeOf = (json: unknown): unknown => (json as { error?: { code?: unknown } }).error?.code // the envelope

// One gateway for both eras: what is asked of it here changes nothing.
let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_PRIVATE_IPS: 'true' })
  await resultFields(gateway, 'sys_register_client', { ...SMALL, base_url: 'http://127.0.0.1:18099' })
  await addUser(gateway, 'colleague', 'admin')
})
afterAll(() => gateway.end())

describe.each(ERAS)('to the control plane, in the era %s,', (_era, ask) => {
  it('no caller gets in without a system role, however open the data plane is [ct.2.1.control-missing ct.2.1.control-role ct.5.10.system-role gw.auth.control-plane gw.route.control gw.prompt.5-role]', async () => {
    const session = await signIn(gateway, 'colleague', passwordOf('colleague'))
    const methods = ['tools/list', 'tools/call', 'prompts/list', 'prompts/get', 'ping', 'nope'] as const
    const unauthenticated: readonly Env[] = [
      {},
      bearer('wrong'),
      { authorization: 'Basic eDp5' },
      { ...session },
      bearer(`${ADMIN_KEY}x`),
    ]
    for (const headers of unauthenticated)
      for (const method of methods) {
        const answer = await ask(gateway, method, { name: 'sys_metrics' }, headers)
        expect([answer.status, codeOf(answer.json)]).toEqual([401, 'UNAUTHORIZED'])
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
      }
    const closed = await aGateway({ MCP_API_KEYS: 'a-key-of-the-data-plane' })
    for (const method of methods) {
      const answer = await ask(closed, method, { name: 'sys_metrics' }, bearer('a-key-of-the-data-plane'))
      expect([answer.status, codeOf(answer.json)]).toEqual([403, 'FORBIDDEN'])
    }
    expect((await ask(closed, 'tools/list', {}, bearer('wrong'))).status).toBe(401)
  })

  it('the admin key gets the tools, the prompts and nothing of a backend [gw.service.surface-control gw.service.no-flat-endpoint ct.5.5.prompts-control ct.6.4.list]', async () => {
    const { tools } = resultOf(await ask(gateway, 'tools/list')) as { tools: { name: string }[] } // a list of tools
    const names = tools.map(({ name }) => name)
    expect(names.slice(0, -1)).toEqual(names.slice(0, -1).toSorted())
    expect(names.at(-1)).toBe('search_tools')
    expect(names.filter((name) => !name.startsWith('sys_'))).toEqual(['search_tools'])
    const { prompts } = resultOf(await ask(gateway, 'prompts/list'))
    expect(prompts).toEqual(
      [
        ['onboard-a-backend', { source: false, kind: false }],
        ['diagnose-tool-failure', { tool: true, error: false }],
        ['harden-this-client', { client: true }],
      ].map(([name, args = {}]) => ({
        name,
        title: expect.any(String),
        description: expect.any(String),
        arguments: Object.entries(args).map(([name, required]) => ({
          name,
          description: expect.any(String),
          required,
        })),
      })),
    )
    for (const name of ['read', 'small__read'])
      expect(await sys(gateway, name, {}, asAdmin, ask)).toMatchObject({
        isError: true,
        structuredContent: { code: 'unknown_tool' },
      })
  })

  it('answers one object, as text and structured [ct.6.1.result ct.6.1.error ct.6.1.lists]', async () => {
    const found = await sys(gateway, 'sys_list_clients', {}, asAdmin, ask)
    expect(found.content).toEqual([{ type: 'text', text: JSON.stringify(found.structuredContent) }])
    expect(found.structuredContent).toMatchObject({
      items: [{ name: 'small', enabled: true, status: expect.any(String) }],
    })
    expect(found.structuredContent).not.toHaveProperty('nextCursor')
    const missing = await ask(gateway, 'tools/call', { name: 'sys_get_client', arguments: { name: 'nope' } })
    expect(resultOf(missing)).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Client not found' }],
      structuredContent: {
        code: 'CLIENT_NOT_FOUND',
        message: 'Client not found',
        request_id: missing.headers.get('x-request-id'),
      },
    })
  })

  it('answers prompts and refuses what they do not take [ct.18.call.prompts gw.prompt.5-static]', async () => {
    const get = (params: object) => ask(gateway, 'prompts/get', params)
    const good = await get({ name: 'harden-this-client', arguments: { client: 'petstore' } })
    expect(resultOf(good)).toMatchObject({
      description: expect.any(String),
      messages: [{ role: 'user', content: { type: 'text', text: expect.stringContaining('"petstore"') } }],
    })
    for (const [params, code] of [
      [{ name: 'nope' }, 'PROMPT_NOT_FOUND'],
      [{ name: 'harden-this-client' }, 'PROMPT_ARGUMENT_MISSING'],
      [{ name: 'harden-this-client', arguments: { client: 'x', zzz: 'y' } }, 'PROMPT_ARGUMENT_UNKNOWN'],
      [{ name: 'harden-this-client', arguments: { client: 5 } }, 'PROMPT_ARGUMENT_INVALID'],
      [{ name: 'harden-this-client', arguments: [] }, 'INVALID_PARAMS'],
    ] as const)
      expect((await get(params)).json).toMatchObject({ id: 1, error: { code: -32_602, data: { code } } })
  })

  it('finds its tools by words [ct.5.7.listed]', async () => {
    const found = await resultFields(gateway, 'search_tools', { query: 'circuit breaker', limit: 1 }, asAdmin, ask)
    expect(found).toMatchObject({ count: 1, matches: [{ name: 'sys_reset_circuit_breaker' }] })
    expect(await sys(gateway, 'search_tools', { query: '' }, asAdmin, ask)).toMatchObject({
      isError: true,
      structuredContent: { code: 'invalid_arguments' },
    })
  })
})

describe('the transport of the control plane', () => {
  it('supports the era with sessions for the SDK, lists to no other caller, and ends', async () => {
    const { gateway } = await aShop()
    const client = new Client({ name: 'sdk', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), {
      requestInit: { headers: { ...asAdmin } },
    })
    await client.connect(transport)
    onTestFinished(() => client.close())
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false }, prompts: { listChanged: false } })
    expect(client.getInstructions()?.length).toBeLessThanOrEqual(600)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('sys_diagnose')
    const read = await client.callTool({ name: 'sys_get_client', arguments: { name: 'petstore' } })
    expect(read.structuredContent).toMatchObject({ name: 'petstore', mcpPath: '/mcp/petstore' })
    expect((await client.listPrompts()).prompts).toHaveLength(3)
    const prompt = await client.getPrompt({ name: 'diagnose-tool-failure', arguments: { tool: 'petstore__addPet' } })
    expect(JSON.stringify(prompt.messages)).toContain('petstore__addPet')
    // A session of the control plane is not valid on a shard, and the other way round.
    const session = { 'mcp-session-id': transport.sessionId ?? '' }
    expect((await rpc(gateway, 'ping', {}, { headers: session })).status).toBe(404)
    await transport.terminateSession()
    expect((await legacy(gateway, 'ping', {}, { ...asAdmin, ...session })).status).toBe(404)
  })

  it('serves the era without sessions whole: discovery, ages of lists, headers held against the body', async () => {
    const gateway = await aGateway()
    expect(resultOf(await modern(gateway, 'server/discover'))).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining(['2026-07-28']),
      capabilities: { tools: { listChanged: false }, prompts: { listChanged: false } },
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'gantry' } },
    })
    for (const method of ['tools/list', 'prompts/list'])
      expect(resultOf(await modern(gateway, method))).toMatchObject({
        resultType: 'complete',
        ttlMs: 30_000,
        cacheScope: 'private',
      })
    expect(await sys(gateway, 'sys_metrics', {}, asAdmin, modern)).toMatchObject({ resultType: 'complete' })
    const wrong = await modern(gateway, 'tools/call', { name: 'sys_metrics' }, { ...asAdmin, 'mcp-name': 'sys_other' })
    expect([wrong.status, wrong.json]).toMatchObject([400, { error: { code: -32_020 } }])
    expect((await modern(gateway, 'resources/list')).status).toBe(404)
    const unknown = await legacy(gateway, 'resources/list')
    expect([unknown.status, unknown.json]).toMatchObject([200, { error: { code: -32_601 } }])
    for (const method of ['GET', 'DELETE'])
      expect((await gateway.ask('/mcp', { method, headers: asAdmin })).status).toBe(405)
  })

  it('is marked by AUTH_DISABLED, under which every caller is an elevated admin that cannot mint', async () => {
    const gateway = await aGateway({ AUTH_DISABLED: 'true', ALLOW_UNSAFE_AUTH_DISABLED: 'true' })
    await resultFields(gateway, 'sys_list_clients', {}, {})
    const registered = await resultFields(gateway, 'sys_register_client', SMALL, {})
    expect(registered).toMatchObject({ status: 'registered' })
    const { items } = await resultFields(gateway, 'sys_audit_tail', { limit: 1 }, {})
    expect(items).toMatchObject([{ action: 'client.register', actor: 'auth-disabled' }])
  })
})

describe('the tools act on the running gateway', () => {
  it('registers, reads, and forgets a backend [ct.6.3.sys_register_client ct.6.3.sys_get_client ct.6.3.sys_delete_client gw.sys.sys_register_client gw.sys.sys_get_client gw.sys.sys_delete_client ct.6.2.audited]', async () => {
    const [gateway, upstream] = await Promise.all([aShopGateway(), anUpstream()])
    const tools = [{ name: 'ok', method: 'GET', endpoint: '/ok', description: 'Is fine' }]
    const made = await resultFields(gateway, 'sys_register_client', {
      name: 'shop',
      base_url: upstream.url,
      tools,
      zzz: 1,
    })
    expect(made).toMatchObject({
      status: 'registered',
      name: 'shop',
      tools_count: 1,
      warnings: expect.arrayContaining([expect.stringContaining('"zzz"')]),
    })
    expect(await call(gateway, 'ok', {}, '/mcp/shop')).toMatchObject({ structuredContent: { ok: true } })
    const read = await resultFields(gateway, 'sys_get_client', { name: 'shop' })
    expect(read).toEqual((await gateway.admin('/admin-api/clients/shop')).json)
    expect(await resultFields(gateway, 'sys_delete_client', { name: 'shop' })).toEqual({ name: 'shop', deleted: true })
    expect((await rpc(gateway, 'tools/list', {}, { path: '/mcp/shop' })).status).toBe(404)
    const { items } = await resultFields(gateway, 'sys_audit_tail', { limit: 2 })
    // The same actions and actor as in the admin API.
    expect(items).toMatchObject([
      { action: 'client.delete', target: 'shop', actor: expect.stringMatching(/^bearer:[0-9a-f]{8}$/) },
      { action: 'client.register', target: 'shop', detail: { input: 'tools', added: 1 } },
    ])
  })

  it('refuses to register what the SSRF check refuses, and half of nothing', async () => {
    const gateway = await aGateway()
    for (const [args, code] of [
      [{ ...SMALL, base_url: 'http://127.0.0.1:18099' }, 'SSRF_BLOCKED'],
      [{ ...SMALL, base_url: 'http://169.254.169.254' }, 'SSRF_BLOCKED'],
      [{ ...SMALL, openapi_url: 'http://93.184.215.14/x' }, 'VALIDATION_ERROR'],
    ] as const)
      expect(await sys(gateway, 'sys_register_client', args)).toMatchObject({
        isError: true,
        structuredContent: { code },
      })
    expect(await resultFields(gateway, 'sys_list_clients')).toEqual({ items: [] })
  })

  it('switches backends and tools [ct.6.3.sys_set_client_enabled ct.6.3.sys_set_tool_enabled gw.sys.sys_set_client_enabled gw.sys.sys_set_tool_enabled gw.state.disable-ways]', async () => {
    const { gateway } = await aShop()
    const code = async () => refusalOf(await call(gateway, 'ok')).code
    const switched = await resultFields(gateway, 'sys_set_client_enabled', { name: 'petstore', enabled: false })
    expect(switched).toMatchObject({ name: 'petstore', enabled: false, toolsCount: expect.any(Number) })
    expect(switched).not.toHaveProperty('tools')
    expect(await code()).toBe('disabled')
    await resultFields(gateway, 'sys_set_client_enabled', { name: 'petstore', enabled: true })
    expect(await code()).toBeUndefined()
    const off = { client: 'petstore', tool: 'ok', enabled: false }
    expect(await resultFields(gateway, 'sys_set_tool_enabled', off)).toEqual(off)
    expect(await code()).toBe('disabled')
    // The other two ways to the same switch.
    await resultFields(gateway, 'sys_set_tool_enabled', { ...off, enabled: true })
    for (const [path, body] of [
      ['/admin-api/clients/petstore', { enabled: false }],
      ['/admin-api/clients', { names: ['petstore'], enabled: false }],
    ] as const) {
      await gateway.admin(path, { method: 'PATCH', body })
      expect(await code()).toBe('disabled')
      await resultFields(gateway, 'sys_set_client_enabled', { name: 'petstore', enabled: true })
      expect(await code()).toBeUndefined()
    }
  })

  it('sets guards as the per-tool PATCH does, and clears them [ct.6.3.sys_set_guard ct.6.2.one-registry]', async () => {
    const { gateway } = await aShop()
    const pair = { client: 'petstore', tool: 'ok' }
    const guard = (guards: object | null) => resultFields(gateway, 'sys_set_guard', { ...pair, guards })
    const none = {
      rateLimitPerMin: null,
      rateLimitScope: 'tool',
      timeoutMs: null,
      allowedKeyHashes: [],
      allowedKeyIds: [],
    }
    expect(await guard({ rateLimitPerMin: 1 })).toEqual({ ...pair, guards: { ...none, rateLimitPerMin: 1 } })
    // What is left out stays.
    expect(await guard({ timeoutMs: 5_000 })).toMatchObject({ guards: { rateLimitPerMin: 1, timeoutMs: 5_000 } })
    const { json } = await gateway.admin('/admin-api/clients/petstore/tools/ok')
    expect(json).toMatchObject({ guards: { rateLimitPerMin: 1, timeoutMs: 5_000 } })
    await call(gateway, 'ok')
    expect(refusalOf(await call(gateway, 'ok')).code).toBe('rate_limit')
    const listed = await guard({ allowedApiKeys: ['a raw key that is never shown'] })
    expect(JSON.stringify(listed)).not.toContain('a raw key')
    expect(await guard(null)).toEqual({ ...pair, guards: null })
    expect(refusalOf(await call(gateway, 'ok')).code).toBeUndefined()
    for (const guards of [{ rateLimitPerMin: -1 }, { rateLimitPerMin: 1e10 }, { timeoutMs: 'x' }, 'none', { zzz: 1 }])
      expect(await sys(gateway, 'sys_set_guard', { ...pair, guards })).toMatchObject({
        structuredContent: { code: 'invalid_arguments' },
      })
    const { items } = await resultFields(gateway, 'sys_audit_tail')
    expect(JSON.stringify(items)).not.toContain('a raw key')
    expect((items as { action: string }[]).filter(({ action }) => action === 'tool.guards.update')).toHaveLength(4)
  })

  it('closes an open breaker [ct.6.3.sys_reset_circuit_breaker gw.sys.sys_reset_circuit_breaker gw.breaker.forced-reset]', async () => {
    const { gateway } = await aShop({ CIRCUIT_BREAKER_FAILURE_THRESHOLD: '1', RETRY_MAX_ATTEMPTS: '0' })
    await call(gateway, 'broken')
    expect(refusalOf(await call(gateway, 'ok')).code).toBe('circuit_open')
    const closed = { name: 'petstore', state: 'closed', previousState: 'open' }
    expect(await resultFields(gateway, 'sys_reset_circuit_breaker', { name: 'petstore' })).toEqual(closed)
    expect(refusalOf(await call(gateway, 'ok')).code).toBeUndefined()
    await gateway.admin('/clients/petstore', { method: 'DELETE' })
    expect(await sys(gateway, 'sys_reset_circuit_breaker', { name: 'petstore' })).toMatchObject({
      structuredContent: { code: 'CLIENT_NOT_LIVE' },
    })
  })

  it('makes a bundle whole or not at all, without composites [ct.6.3.sys_create_bundle ct.6.3.sys_list_bundles gw.sys.sys_create_bundle gw.sys.sys_list_bundles]', async () => {
    const { gateway } = await aShop()
    const bundle = { name: 'pets', description: 'Pets', tools: [{ client: 'petstore', tool: 'ok' }] }
    for (const [args, code] of [
      [{ ...bundle, tools: [...bundle.tools, { client: 'petstore', tool: 'nope' }] }, 'UNKNOWN_TOOL'],
      [{ ...bundle, composites: [] }, 'invalid_arguments'],
      [{ ...bundle, name: 'Not A Name' }, 'invalid_arguments'],
    ] as const)
      expect(await sys(gateway, 'sys_create_bundle', args)).toMatchObject({ structuredContent: { code } })
    expect(await resultFields(gateway, 'sys_list_bundles')).toEqual({ items: [] })
    expect(await resultFields(gateway, 'sys_create_bundle', bundle)).toMatchObject({
      ...bundle,
      composites: [],
      enabled: true,
      revision: 1,
    })
    expect(await sys(gateway, 'sys_create_bundle', bundle)).toMatchObject({
      structuredContent: { code: 'ALREADY_EXISTS' },
    })
    expect(await call(gateway, 'petstore__ok', {}, '/mcp-custom/pets')).toMatchObject({
      structuredContent: { ok: true },
    })
    const other = await resultFields(gateway, 'sys_create_bundle', { name: 'more', tools: [] })
    expect(other).toMatchObject({ toolsCount: 0 })
    const first = await resultFields(gateway, 'sys_list_bundles', { limit: 1 })
    expect(first).toMatchObject({ items: [{ name: 'more' }], nextCursor: expect.any(String) })
    const second = await resultFields(gateway, 'sys_list_bundles', { limit: 1, cursor: first.nextCursor })
    expect(second).toEqual({ items: [expect.objectContaining({ name: 'pets', toolsCount: 1 })] })
  })

  it('pages backends and tools to their end [gw.control.list-clients-paged gw.sys.sys_list_clients gw.sys.sys_list_tools]', async () => {
    const gateway = await aGateway()
    for (const name of ['c', 'a', 'b']) await resultFields(gateway, 'sys_register_client', { ...SMALL, name })
    const walked: unknown[] = []
    let cursor: unknown
    do {
      const page = await resultFields(gateway, 'sys_list_clients', {
        limit: 1,
        ...(cursor === undefined ? {} : { cursor }),
      })
      walked.push(...(page.items as { name: string }[]).map(({ name }) => name))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(walked).toEqual(['a', 'b', 'c'])
    const { items } = await resultFields(gateway, 'sys_list_tools')
    expect((items as { client: string; tool: string }[]).map(({ client, tool }) => `${client}__${tool}`)).toEqual([
      'a__read',
      'b__read',
      'c__read',
    ])
  })

  it('diagnoses alike over MCP and the admin API, by both spellings of the tool [ct.6.3.sys_diagnose ct.7.3.diagnose gw.sys.sys_diagnose]', async () => {
    const { gateway } = await aShop()
    await resultFields(gateway, 'sys_set_tool_enabled', { client: 'petstore', tool: 'ok', enabled: false })
    await call(gateway, 'ok')
    const found = await resultFields(gateway, 'sys_diagnose', { client: 'petstore', tool: 'ok' })
    expect(found).toMatchObject({
      toolEnabled: false,
      denials: { sampled: 1, byCode: { disabled: 1 } },
      findings: [{ gate: 'availability', fix: expect.stringContaining('sys_set_tool_enabled') }],
    })
    expect(await resultFields(gateway, 'sys_diagnose', { tool: 'petstore__ok' })).toEqual(found)
    expect((await gateway.admin('/admin-api/clients/petstore/tools/ok/diagnose')).json).toEqual(found)
    const narrow = await gateway.admin('/admin-api/clients/petstore/tools/ok/diagnose?windowMs=1000')
    expect(narrow.json).toMatchObject({ denials: { windowMs: 1_000 } })
    for (const windowMs of ['999', '2592000001', 'x'])
      expect((await gateway.admin(`/admin-api/clients/petstore/tools/ok/diagnose?windowMs=${windowMs}`)).status).toBe(
        400,
      )
    expect(await sys(gateway, 'sys_diagnose', { tool: 'ok' })).toMatchObject({
      structuredContent: { code: 'invalid_arguments' },
    })
    for (const [name, status] of [
      ['a-viewer', 403],
      ['an-operator', 200],
    ] as const) {
      const session = await aUser(gateway, name, name.replace(/^an?-/, ''))
      const answer = await gateway.ask('/admin-api/clients/petstore/tools/ok/diagnose', { headers: { ...session } })
      expect(answer.status).toBe(status)
    }
  })

  it('follows no prompt past a gate: each step is an ordinary call [gw.prompt.6-no-capability ct.18.call.control-plane]', async () => {
    const gateway = await aGateway()
    await legacy(gateway, 'prompts/get', { name: 'onboard-a-backend', arguments: { source: 'http://127.0.0.1:1' } })
    expect(await sys(gateway, 'sys_register_client', { ...SMALL, base_url: 'http://127.0.0.1:18099' })).toMatchObject({
      structuredContent: { code: 'SSRF_BLOCKED' },
    })
  })
})
