// Editor tools behind the guards of all tools: keys, switches, rates, bundles, foreign web pages; and messages of editors, cleaned.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Env, type Gateway, startGateway } from './gateway.fixture.ts'
import { adminCall, asPerson, EDITORS, fieldsOf, itemsOf, mcpCall, PCG_ENV } from './pcg.fixture.ts'

const KEY = { authorization: 'Bearer key-of-an-agent' }
const LOOK = ['list_pcg_node_types', {}] as const

// The machine may be busy with others.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ ...PCG_ENV, MCP_API_KEYS: 'key-of-an-agent' })
})
afterAll(() => gateway.end())

it('without a key no call passes; with one the switches, rates and words of the tool hold, and each refusal is counted (security case PC-20)', async () => {
  const call = (tool: string, args: Record<string, unknown>) => mcpCall(gateway, tool, args, { headers: KEY })
  const unauthenticated: readonly Env[] = [{}, { authorization: 'Bearer wrong' }]
  for (const headers of unauthenticated) {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: LOOK[0], arguments: {} } }
    expect((await gateway.ask('/mcp/pcg', { method: 'POST', body, headers })).status).toBe(401)
    expect((await gateway.ask('/mcp/pcg-inspect', { method: 'POST', body, headers })).status).toBe(401)
  }
  const set = (tool: string, body: unknown) =>
    gateway.admin(`/admin-api/clients/pcg/tools/${tool}`, { method: 'PATCH', body })
  await set('remove_pcg_node', { enabled: false })
  await set('cleanup_pcg_component', { sensitive: true })
  await set('list_pcg_node_types', { guards: { rateLimitPerMin: 1 } })
  const gone = { pcg_graph_path: '/Game/A', node_name: 'B' }
  expect(await call('remove_pcg_node', gone)).toMatchObject({ structuredContent: { code: 'disabled' } })
  const cleanup = { actor_name: 'Boulder_0' }
  expect(await call('cleanup_pcg_component', cleanup)).toMatchObject({
    structuredContent: { code: 'confirm_required' },
  })
  const confirmed = await call('cleanup_pcg_component', { ...cleanup, __confirm: true })
  expect(confirmed._meta).toMatchObject({ 'gantry/failure': { details: { code: 'COMPONENT_NOT_FOUND' } } })
  expect(await call(...LOOK)).not.toHaveProperty('isError')
  expect(await call(...LOOK)).toMatchObject({ structuredContent: { code: 'rate_limit' } })
  const { text } = await gateway.admin('/metrics')
  for (const code of ['disabled', 'confirm_required', 'rate_limit'])
    expect(text).toContain(`mcp_tool_refusals_total{code="${code}"} 1`)
})

it('a bundle of editor tools is the same tools under the same guards (security case PC-20)', async () => {
  const tools = ['create_pcg_graph', 'cleanup_pcg_component'].map((tool) => ({ client: 'pcg', tool }))
  const made = await gateway.admin('/admin-api/bundles', { method: 'POST', body: { name: 'artists', tools } })
  expect(made.status).toBe(201)
  await gateway.admin('/admin-api/clients/pcg/tools/cleanup_pcg_component', {
    method: 'PATCH',
    body: { enabled: false },
  })
  const ask = async (method: string, params: object) =>
    fieldsOf(
      await gateway.ask('/mcp-custom/artists', {
        method: 'POST',
        body: { jsonrpc: '2.0', id: 1, method, params },
        headers: { accept: 'application/json, text/event-stream', ...KEY },
      }),
    ).result
  const created = await ask('tools/call', { name: 'pcg__create_pcg_graph', arguments: { name: 'Bundled' } })
  expect(created).toMatchObject({ structuredContent: { asset_path: '/Game/PCG/Bundled' } })
  const off = await ask('tools/call', { name: 'pcg__cleanup_pcg_component', arguments: { actor_name: 'x' } })
  expect(off).toMatchObject({ isError: true, structuredContent: { code: 'disabled' } })
  const other = await ask('tools/call', { name: 'pcg__list_pcg_node_types', arguments: {} })
  expect(other).toMatchObject({ isError: true, structuredContent: { code: 'unknown_tool' } })
})

it('a foreign web page reaches neither the tools nor the editors (security case PC-14)', async () => {
  const unauthenticated = { ...KEY, origin: 'https://elsewhere.example' }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: LOOK[0], arguments: {} } }
  expect((await gateway.ask('/mcp/pcg', { method: 'POST', body, headers: unauthenticated })).status).toBe(403)
  expect(
    (await gateway.ask('/mcp/pcg', { method: 'POST', body, headers: { ...KEY, host: 'rebound.example' } })).status,
  ).toBe(403)
  const call = await gateway.ask(`${EDITORS}/pcg/call`, {
    method: 'POST',
    body: { tool: LOOK[0] },
    headers: unauthenticated,
  })
  expect([401, 403]).toContain(call.status)
})

it('what stands in an asset is data: control characters and tags do not reach an agent (security case PC-21)', async () => {
  const { asset_path } = await asPerson(gateway, 'create_pcg_graph', { name: 'Foreign' })
  const at = { pcg_graph_path: asset_path }
  const { node_name } = await asPerson(gateway, 'add_pcg_node', { ...at, node_type: 'PCGAddTagSettings' })
  const hidden = 'seen\u001b[31m\u200c\u202ehidden\u{e0041}'
  const properties = { TagsToAdd: hidden }
  expect(fieldsOf(await adminCall(gateway, 'set_pcg_node_properties', { ...at, node_name, properties }))).toMatchObject(
    {
      ok: true,
    },
  )
  const answer = JSON.stringify(
    await mcpCall(gateway, 'get_pcg_node_properties', { ...at, node_name }, { headers: KEY }),
  )
  expect(answer).toContain('seen\u200chidden')
  expect(answer).not.toMatch(/\u001b|\\u001b|\u202e|\u{e0041}/u)
  expect(itemsOf(await gateway.admin(`${EDITORS}/pcg/history?limit=1`))).toHaveLength(1)
})
