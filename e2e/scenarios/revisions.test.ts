// What each revision of the protocol promises of a surface, over one gateway.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Env, type Gateway, startGateway } from './gateway.fixture.ts'

const MODERN = '2026-07-28'
const META = 'io.modelcontextprotocol/'
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway({ PCG_ENABLED: 'true', RATE_LIMIT_MCP: '1000000' })
}, 120_000)
afterAll(() => gateway.end())

type Reply = { readonly result: Record<string, unknown> }
const result = ({ json }: Answer): Record<string, unknown> => (json as Reply).result // what a test then looks at

const post = (body: unknown, headers: Env = {}): Promise<Answer> =>
  gateway.ask('/mcp/pcg', { method: 'POST', headers, body })
const rpc = (method: string, params: object = {}, headers: Env = {}): Promise<Answer> =>
  post({ jsonrpc: '2.0', id: 1, method, params }, headers)
const initialize = (protocolVersion: string): Promise<Answer> =>
  rpc('initialize', { protocolVersion, capabilities: {} })
const sessionOf = async (revision: string): Promise<Env> => ({
  'mcp-session-id': (await initialize(revision)).headers.get('mcp-session-id') ?? '',
})
const stateless = (method: string, params: object = {}, more: Env = {}): Promise<Answer> =>
  rpc(
    method,
    { ...params, _meta: { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} } },
    { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...more },
  )

describe('initialize', () => {
  it('answers the revision it was asked for, and the newest when it does not know it [ct.5.3.echoed ct.5.3.2025-11-25]', async () => {
    for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])
      expect(result(await initialize(revision)).protocolVersion).toBe(revision)
    for (const revision of ['1999-01-01', MODERN, 'DRAFT'])
      expect(result(await initialize(revision)).protocolVersion).toBe('2025-11-25')
  })

  it('states who answers and how to use it, the same for all callers [ct.5.5.initialize ct.5.5.instructions]', async () => {
    const [first, second] = [result(await initialize('2025-11-25')), result(await initialize('2024-11-05'))]
    expect(first).toEqual({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'gantry', title: 'Gantry', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      capabilities: { tools: { listChanged: true } },
      instructions: expect.any(String),
    })
    expect(second.instructions).toBe(first.instructions)
    expect(String(first.instructions).length).toBeLessThanOrEqual(600)
  })
})

describe('a session', () => {
  it('holds its revision where no header names one, and minds a header that does [ct.5.3.header-absent ct.5.3.2025-06-18]', async () => {
    const batch = [{ jsonrpc: '2.0', id: 1, method: 'ping' }]
    expect((await post(batch, await sessionOf('2025-03-26'))).json).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
    const newer = await sessionOf('2025-06-18')
    expect((await post(batch, newer)).status).toBe(400)
    expect((await rpc('ping', {}, { ...newer, 'mcp-protocol-version': '2025-06-18' })).status).toBe(200)
    const bad = await rpc('ping', {}, { ...newer, 'mcp-protocol-version': '2020-01-01' })
    expect([bad.status, bad.json]).toMatchObject([400, { error: { code: -32_022 } }])
  })

  it('of any revision is given all fields there are [ct.5.3.all-fields]', async () => {
    for (const revision of ['2025-11-25', '2024-11-05']) {
      const headers = await sessionOf(revision)
      const { tools } = result(await rpc('tools/list', {}, headers)) as { tools: Record<string, unknown>[] }
      expect(tools[0]).toMatchObject({ title: expect.any(String), annotations: { readOnlyHint: expect.any(Boolean) } })
      const searched = await rpc('tools/call', { name: 'search_tools', arguments: { query: 'graph' } }, headers)
      expect(result(searched)).toHaveProperty('structuredContent.matches')
    }
  })

  it('takes notifications, and answers nothing to them [ct.5.4.notifications ct.5.5.notifications]', async () => {
    const headers = await sessionOf('2025-11-25')
    for (const method of ['initialized', 'cancelled', 'progress', 'roots/list_changed']) {
      const { status, text } = await post({ jsonrpc: '2.0', method: `notifications/${method}`, params: {} }, headers)
      expect([method, status, text]).toEqual([method, 202, ''])
    }
    const answered = await post({ jsonrpc: '2.0', id: 7, result: {} }, headers)
    expect([answered.status, answered.text]).toEqual([202, ''])
  })

  it('gives its events no ids, and looks at none [ct.5.4.no-ids ct.5.4.sse-order]', async () => {
    const headers = {
      ...(await sessionOf('2025-11-25')),
      accept: 'application/json, text/event-stream',
      'last-event-id': '7',
    }
    const { content } = result(
      await rpc('tools/call', { name: 'create_pcg_graph', arguments: { name: 'PCG_Events' } }, headers),
    ) as { content: { text: string }[] }
    const { asset_path: path } = JSON.parse(content[0]?.text ?? '{}') as { asset_path: string }
    const spawned = await rpc(
      'tools/call',
      { name: 'spawn_pcg_volume', arguments: { extent: [100, 100, 100], pcg_graph_path: path } },
      headers,
    )
    const { actor_name: actor } = result(spawned).structuredContent as { actor_name: string }
    const streamed = await rpc(
      'tools/call',
      { name: 'generate_pcg_component', arguments: { actor_name: actor }, _meta: { progressToken: 't' } },
      headers,
    )
    const events = streamed.text.split('\n\n').filter((event) => event.startsWith('event: message'))
    const messages = events.map(
      (event) => JSON.parse(event.split('data: ')[1] ?? '') as { id?: number; method?: string },
    )
    expect(streamed.text).not.toMatch(/^id:/m)
    expect(messages.at(-1)).toMatchObject({ id: 1, result: expect.anything() })
    expect(messages.slice(0, -1).map(({ method }) => method)).toContain('notifications/progress')
    expect(messages.slice(0, -1).some(({ id }) => id !== undefined)).toBe(false)
  })
})

describe('the stateless revision', () => {
  it('has no session, no GET and no DELETE, and headers that match [ct.5.3.2026-07-28 ct.5.3.stateless]', async () => {
    const discovered = await stateless('server/discover')
    expect(result(discovered)).toMatchObject({ supportedVersions: expect.arrayContaining([MODERN]) })
    expect(discovered.headers.get('mcp-session-id')).toBeNull()
    const headers = { 'mcp-protocol-version': MODERN, accept: 'text/event-stream' }
    expect((await gateway.ask('/mcp/pcg', { headers })).status).toBe(405)
    expect((await gateway.ask('/mcp/pcg', { method: 'DELETE', headers })).status).toBe(405)
    const wrong = await stateless('server/discover', {}, { 'mcp-method': 'tools/list' })
    expect([wrong.status, wrong.json]).toMatchObject([400, { error: { code: -32_020 } }])
    const other = await rpc(
      'tools/list',
      { _meta: { [`${META}protocolVersion`]: '2099-01-01' } },
      { 'mcp-protocol-version': MODERN },
    )
    expect([other.status, other.json]).toMatchObject([400, { error: { code: -32_020 } }])
  })

  it('says how long a list holds, and for whom [ct.5.3.stateless-list]', async () => {
    expect(result(await stateless('tools/list'))).toMatchObject({ ttlMs: 30_000, cacheScope: 'private' })
  })
})
