// Clients of the data plane that mean harm, beside those that do not: sessions, cancellation, progress, floods, searches, programs.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type McpPeer, startMcpPeer } from '../peers/mcp.ts'
import { bearer, mint, outcome } from './access.fixture.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { openSession, openUpstream, type Result, ROOMY, register, rpc, type Upstream } from './data-plane.fixture.ts'
import { type Env, type Gateway, startGateway } from './gateway.fixture.ts'
import { all, aSession } from './transparent.fixture.ts'

const KEYS = ['the-key-of-ann', 'the-key-of-bob'] as const
const [ANN, BOB] = [bearer(KEYS[0]), bearer(KEYS[1])]
const UP = '/mcp/up'

let gateway: Gateway
let shop: Upstream
let peer: McpPeer
let intercept: NonNullable<Parameters<typeof startMcpPeer>[0]>['intercept']
beforeAll(async () => {
  ;[gateway, shop, peer] = await Promise.all([
    startGateway({
      ...ROOMY,
      MCP_API_KEYS: KEYS.join(','),
      LOG_LEVEL: 'debug',
      MAX_SESSIONS: '60',
      MCP_UPSTREAM_POOL_MAX: '2',
    }),
    openUpstream(),
    startMcpPeer({ intercept: (request) => intercept?.(request) }),
  ])
  await register(gateway, shop)
  await registerUpstream(gateway, 'up', peer.url)
})
afterAll(async () => {
  await gateway.end()
  await Promise.all([shop.close(), peer.close()])
})
beforeEach(() => {
  intercept = undefined
  shop.answer = undefined
})

const post = (headers: Env, body: object, path = '/mcp/petstore') =>
  gateway.ask(path, { method: 'POST', headers, body })
const cancel = (headers: Env, requestId: unknown, path?: string) =>
  post(headers, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, path)
const as = async (key: Env, path?: string): Promise<Env> => ({
  ...key,
  ...(await openSession(gateway, '2025-11-25', path, key)),
})
const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await gateway.admin('/metrics')).text)?.[1])

describe('a session id (security case MC-03)', () => {
  it('is never the choice of a client, and stands in no log and no file', async () => {
    const chosen = 'a-session-that-i-have-chosen'
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const asked = await rpc(gateway, 'initialize', params, { headers: { ...ANN, 'mcp-session-id': chosen } })
    expect([asked.status, asked.headers.get('mcp-session-id')]).toEqual([400, null])
    const used = await rpc(gateway, 'ping', {}, { headers: { ...ANN, 'mcp-session-id': chosen } })
    expect(used.json).toMatchObject({ error: { code: 'INVALID_SESSION_ID' } })
    const session = await as(ANN)
    await rpc(gateway, 'tools/call', { name: 'broken' }, { headers: session })
    await rpc(gateway, 'ping', {}, { headers: { ...session, ...BOB } })
    const id = session['mcp-session-id'] ?? ''
    expect(gateway.output()).toContain('answered')
    expect(gateway.output()).not.toContain(id)
    for (const file of readdirSync(gateway.folder).filter((name) => name.startsWith('gantry.db')))
      expect(readFileSync(join(gateway.folder, file)).includes(id)).toBe(false)
  })
})

describe('a cancellation (security case MC-09)', () => {
  it('ends the call of its own session, and no other that has the same id', async () => {
    const [ann, bob] = [await as(ANN), await as(BOB)]
    const before = shop.seen.length
    const aborted = shop.aborted()
    const hanging = [ann, bob].map((headers) => rpc(gateway, 'tools/call', { name: 'hang' }, { headers, id: 'same' }))
    const lone = rpc(gateway, 'tools/call', { name: 'hang' }, { headers: ann, id: 'of-ann' })
    await vi.waitUntil(() => shop.seen.length === before + 3, 20_000)
    // Not hers, unknown, no id, over already: none of them belongs to any call.
    const done = await rpc(gateway, 'tools/call', { name: 'ok' }, { headers: bob, id: 'done' })
    for (const id of ['of-ann', 'missing', null, {}, 'done', 1]) expect((await cancel(bob, id)).status).toBe(202)
    expect((await cancel({ ...BOB, 'mcp-session-id': ann['mcp-session-id'] ?? '' }, 'of-ann')).status).toBe(404)
    expect((await cancel(BOB, 'of-ann')).status).toBe(202)
    expect([done.status, shop.aborted()]).toEqual([200, aborted])
    await cancel(bob, 'same')
    expect((await hanging[1])?.text).toBe('')
    await vi.waitUntil(() => shop.aborted() === aborted + 1, { timeout: 20_000 })
    await Promise.all([cancel(ann, 'same'), cancel(ann, 'of-ann')])
    expect([(await hanging[0])?.text, (await lone).text]).toEqual(['', ''])
    await vi.waitUntil(() => shop.aborted() === aborted + 3, { timeout: 20_000 })
  })

  it('reaches the upstream and frees its connection; a storm of them does no harm', async () => {
    const ann = await as(ANN, UP)
    const shown = peer.count('notifications/cancelled')
    const started = peer.count('tools/call')
    const slow = [1, 2].map((id) =>
      rpc(gateway, 'tools/call', { name: 'slow', arguments: {} }, { path: UP, headers: ann, id }),
    )
    await vi.waitUntil(() => peer.count('tools/call') === started + 2, 20_000)
    // Both connections are taken: this one waits for its turn.
    const next = rpc(gateway, 'tools/call', { name: 'echo', arguments: { a: 1 } }, { path: UP, headers: ann, id: 3 })
    const storm = Array.from({ length: 200 }, (_, at) => cancel(ann, `stray-${at % 7}`, UP))
    expect((await Promise.all(storm)).every(({ status }) => status === 202)).toBe(true)
    expect(peer.count('tools/call')).toBe(started + 2)
    await cancel(ann, 1, UP)
    expect((await next).json).toMatchObject({ id: 3, result: { structuredContent: { a: 1 } } })
    await Promise.all(Array.from({ length: 50 }, () => cancel(ann, 2, UP)))
    expect((await Promise.all(slow)).map(({ text }) => text)).toEqual(['', ''])
    await vi.waitUntil(() => peer.count('notifications/cancelled') === shown + 2, { timeout: 20_000 })
  })
})

it('progress with one token in two sessions goes to its own session, with any session that the upstream names (security case MC-10)', async () => {
  const held: { who: unknown; token: unknown; go: () => void }[] = []
  const tell = (progressToken: unknown, message: string, progress: number) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken, progress, total: 4, message },
  })
  intercept = ({ method, id, params, answer }) => {
    if (method !== 'tools/call') return false
    const { who } = params.arguments as { who: unknown }
    const { progressToken } = params._meta as { progressToken: unknown }
    held.push({
      who,
      token: progressToken,
      go: () => {
        const others = held.filter((each) => each.who !== who).map(({ token }) => token)
        const stray = [...others, 'same', 0].map((token) => tell(token, `stray of ${String(who)}`, 3))
        const own = [1, 2].map((step) => tell(progressToken, `step of ${String(who)}`, step))
        void answer({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: String(who) }] } }, [
          ...own,
          ...stray,
        ])
      },
    })
    return true
  }
  const clients = await Promise.all([ANN, BOB].map((headers) => aSession(gateway, {}, { path: UP, headers })))
  const asked = clients.map(async (client, at) =>
    all(
      await client.post({
        id: 1,
        method: 'tools/call',
        params: { name: 'progress', arguments: { who: at }, _meta: { progressToken: 'same' } },
      }),
    ),
  )
  await vi.waitUntil(() => held.length === 2, { timeout: 20_000 })
  expect(new Set(held.map(({ token }) => token)).size).toBe(2)
  for (const { go } of held) go()
  for (const [at, messages] of (await Promise.all(asked)).entries()) {
    const steps = messages.slice(0, -1).map(({ params }) => [params?.progressToken, params?.message])
    expect(steps).toEqual(Array.from({ length: 2 }, () => ['same', `step of ${at}`]))
    expect(messages.at(-1)?.result).toMatchObject({ content: [{ text: String(at) }] })
  }
})

it('an upstream session that is lost under fifty calls is opened once, and no call is done twice (security case MC-11)', async () => {
  const executed: unknown[] = []
  const live = (headers: Readonly<Record<string, unknown>>): boolean =>
    peer.sessions.has(String(headers['mcp-session-id']))
  intercept = ({ method, params, headers }) => {
    if (method === 'tools/call' && live(headers)) executed.push((params.arguments as { nonce: unknown }).nonce)
    return false
  }
  const calls = (from: number) =>
    Array.from({ length: 50 }, (_, at) =>
      rpc(
        gateway,
        'tools/call',
        { name: 'echo', arguments: { nonce: from + at, ms: 5 } },
        { path: UP, headers: ANN, id: from + at },
      ),
    )
  await Promise.all(calls(0))
  const met = peer.count('initialize')
  const running = calls(100)
  await vi.waitUntil(() => executed.length > 60, 20_000)
  peer.forgetSessions()
  const answers = await Promise.all(running)
  expect(answers.map(({ json }) => (json as { result: Result }).result.structuredContent?.nonce)).toEqual(
    answers.map((_, at) => 100 + at),
  )
  expect(peer.count('initialize') - met).toBe(1)
  expect([executed.length, new Set(executed).size]).toEqual([100, 100])
})

it('a search shows nothing its caller cannot reach, and is not taken for a pattern (security case MC-14)', async () => {
  const { key } = await mint(gateway, { scopes: { tools: ['petstore__getPetById'] } })
  const search = async (query: string) => {
    const params = { name: 'search_tools', arguments: { query, limit: 50, detail: 'schema' } }
    return rpc(gateway, 'tools/call', params, { headers: bearer(key) })
  }
  const found = async (query: string) =>
    ((await search(query)).json as { result: Result }).result.structuredContent as { count: number; matches: object[] }
  const hidden = ['deletePet', 'addPet', 'hang', 'zeros', 'echo']
  for (const query of [...hidden, '.*', '[a-z]+', '(p|P)et', 'getPet|deletePet']) {
    const text = JSON.stringify((await found(query)).matches)
    for (const name of hidden) expect(text).not.toContain(name)
  }
  // Neither its score nor its count depends on what is hidden: the same words weigh the same where nothing is.
  expect((await found('pet')).count).toBe(1)
  for (const query of ['x'.repeat(513), 'x'.repeat(1_000_000)]) {
    const answer = await search(query)
    expect(answer.json).toMatchObject({
      result: { isError: true, _meta: { 'gantry/failure': { kind: 'invalid_arguments' } } },
    })
    expect(answer.text.length).toBeLessThan(1_000)
  }
  expect((await search('x'.repeat(2_000_000))).status).toBe(413)
})

describe('a program to start (security cases AZ-17, MC-15)', () => {
  const marker = (): string => join(gateway.folder, 'started')
  const rows = async (path: string): Promise<unknown> => {
    const { json } = await gateway.admin(path)
    return (json as { items: { name?: string; id?: string }[] }).items.map(({ name, id }) => [name, id])
  }
  const program = () => ({ command: 'touch', args: [marker()], env: { A: '1' } })
  const shapes = (): readonly object[] => {
    const url = { mcp_url: peer.url }
    return [
      { ...url, command: 'touch' },
      { ...url, args: [marker()] },
      { ...url, transport: 'stdio', ...program() },
      { ...url, mcp_transport: 'stdio' },
      { kind: 'stdio', ...program() },
      { type: 'stdio', ...program() },
      { kind: 'mcp', ...program() },
      { mcp_url: `stdio:///usr/bin/touch ${marker()}` },
      { mcp_url: `file://${marker()}` },
      { mcpServers: { a: program() } },
    ]
  }

  it.each(['/register', '/admin-api/discovery/preview'])('is refused by %s', async (path) => {
    const before = await rows('/admin-api/clients')
    for (const shape of shapes()) {
      const answer = await gateway.admin(path, { method: 'POST', body: { name: 'program', ...shape } })
      expect([shape, answer.status]).toEqual([shape, 400])
    }
    expect([await rows('/admin-api/clients'), existsSync(marker())]).toEqual([before, false])
  })

  it('is refused by the catalog, in a template and when one is installed', async () => {
    const before = await rows('/admin-api/catalog')
    const template = { slug: 'program', name: 'Program', description: 'd', kind: 'mcp', category: 'c' }
    for (const shape of shapes()) {
      const answer = await gateway.admin('/admin-api/catalog', { method: 'POST', body: { ...template, ...shape } })
      expect([shape, answer.status]).toEqual([shape, 400])
      const installed = await gateway.admin('/admin-api/catalog/1/install', { method: 'POST', body: { ...shape } })
      expect([400, 404]).toContain(installed.status)
    }
    expect([await rows('/admin-api/catalog'), existsSync(marker())]).toEqual([before, false])
  })
})

it('a flood of unauthenticated callers takes no session and no quota from the holder of a key (security case RL-07)', async () => {
  const made = await gateway.admin('/admin-api/consumers', { method: 'POST', body: { name: 'acme', monthlyQuota: 1 } })
  const { id } = made.json as { id: number }
  const own = await mint(gateway, { consumerId: id })
  const before = await metric('mcp_sessions_active')
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const unauthenticated: readonly Env[] = [
    {},
    bearer('wrong'),
    bearer(own.key.slice(0, -1)),
    bearer(own.key.toUpperCase()),
  ]
  const flood = Array.from({ length: 200 }, (_, at) => {
    const headers = unauthenticated[at % unauthenticated.length] ?? {}
    return at % 2 === 0
      ? rpc(gateway, 'initialize', params, { headers })
      : rpc(gateway, 'tools/call', { name: 'ok' }, { headers })
  })
  expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([401]))
  expect(await metric('mcp_sessions_active')).toBe(before)
  const session = await as(bearer(own.key))
  expect([await outcome(gateway, session), await outcome(gateway, session)]).toEqual(['ok', 'quota'])
})

it('a call while tools are changed gets the old or the new one, whole (security case NF-14)', async () => {
  const tool = (version: string) => ({
    name: 'getPetById',
    method: 'GET',
    endpoint: `/${version}/pets/:id`,
    description: `The pet of ${version}`,
    inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  })
  const admin = async (path: string, method: string, body: object): Promise<void> => {
    const { status, text } = await gateway.admin(path, { method, body })
    expect([status, text]).toEqual([200, expect.any(String)])
  }
  const change = async (turn: number): Promise<void> => {
    const tools = [tool(turn % 2 === 0 ? 'v1' : 'v2')]
    await admin('/register', 'POST', { name: 'moving', base_url: shop.url, tools })
    await admin('/admin-api/clients/moving/tools/getPetById', 'PATCH', {
      overrides: { description: `Turn ${turn}` },
      guards: { rateLimitPerMin: 1_000_000 - turn },
    })
    await admin('/admin-api/clients/up/rediscover', 'POST', {})
  }
  await change(0)
  const over = new AbortController()
  let asked = 0
  const caller = async (name: string, path: string, args: (nonce: number) => object): Promise<void> => {
    while (!over.signal.aborted) {
      const nonce = (asked += 1)
      const { status, json, text } = await rpc(
        gateway,
        'tools/call',
        { name, arguments: args(nonce) },
        { path, headers: ANN },
      )
      const { result } = json as { result: Result }
      expect([status, result.isError, text]).toEqual([200, undefined, expect.any(String)])
      const { url, a } = result.structuredContent ?? {}
      expect(a === undefined ? [`/v1/pets/${nonce}`, `/v2/pets/${nonce}`] : [nonce]).toContain(a ?? url)
    }
  }
  const callers = [
    ...Array.from({ length: 3 }, () => caller('getPetById', '/mcp/moving', (id) => ({ id }))),
    caller('echo', UP, (a) => ({ a })),
  ]
  const changes = async (): Promise<void> => {
    for (let turn = 1; turn <= 5; turn += 1) await change(turn)
  }
  await Promise.all([changes().finally(() => over.abort()), ...callers])
  expect(asked).toBeGreaterThan(5)
})
