// A shard of an MCP upstream over real sockets: both eras of client and upstream, and what must not pass between two clients.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startMcpPeer } from '../peers/mcp.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { aShop, aShopGateway, aShopProcess, rpc } from './data-plane.fixture.ts'
import {
  all,
  aRelayed,
  aRelayedProcess,
  aSession,
  aStateless,
  messagesOf,
  textOf,
  until,
} from './transparent.fixture.ts'

const FORM = { elicitation: { form: {} } }
const accepted = (content: object) => ({ action: 'accept', content })

describe('a session on a shard', () => {
  it.each(['legacy', 'both'] as const)(
    'of a %s upstream is what its upstream is (security case RX-05) [ct.0.2.transparent ct.0.2.capabilities ct.0.2.get-stream]',
    async (era) => {
      const { gateway, peer } = await aRelayed(era)
      const client = await aSession(gateway, { ...FORM, roots: { listChanged: true } })
      expect(client.initialized.result?.capabilities).toEqual({
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      })
      const read = await client.ask('resources/read', { uri: 'test://static-text' })
      expect(read.answer.result).toMatchObject({ contents: [{ text: expect.stringContaining('static text') }] })
      expect(read.answer.result).not.toHaveProperty('resultType')
      const missing = await client.ask('resources/read', { uri: 'test://nope' })
      expect(missing.answer.error).toMatchObject({ code: -32_002, data: { uri: 'test://nope' } })
      // No template is matched on the way, and a list without end goes nowhere.
      const uri = `test://nope/${'x,'.repeat(50_000)}`
      const long = await client.ask('resources/read', { uri })
      expect(long.answer.error).toMatchObject({
        code: -32_602,
        message: expect.stringContaining('1 to 8192 characters'),
      })

      // Log messages come on the stream of the call they belong to, from the level on that was set.
      await client.ask('logging/setLevel', { level: 'error' })
      expect((await client.ask('tools/call', { name: 'test_tool_with_logging' })).before).toEqual([])
      await client.ask('logging/setLevel', { level: 'info' })
      const logged = await client.ask('tools/call', { name: 'test_tool_with_logging' })
      expect(logged.before.map(({ params }) => params?.data)).toEqual([
        'Tool execution started',
        'Tool processing data',
        'Tool execution completed',
      ])

      // Its own stream carries what it subscribed to, and changed lists.
      const stream = await client.listen()
      await client.ask('resources/subscribe', { uri: 'test://watched-resource' })
      const updating = setInterval(() => peer.updated('test://watched-resource'), 100)
      onTestFinished(() => clearInterval(updating))
      const updated = await until(stream, ({ method }) => method === 'notifications/resources/updated')
      expect(updated.params).toMatchObject({ uri: 'test://watched-resource' })
      await client.ask('tools/call', { name: 'test_trigger_prompt_change' })
      await until(stream, ({ method }) => method === 'notifications/prompts/list_changed')
      await client.ask('tools/call', { name: 'test_trigger_tool_change' })
      await until(stream, ({ method }) => method === 'notifications/tools/list_changed')
      const { answer } = await client.ask('tools/list')
      expect(JSON.stringify(answer.result)).toContain('test_dynamic_tool')

      // What it says of itself reaches an upstream that has sessions.
      await client.post({ method: 'notifications/roots/list_changed' })
      if (era === 'legacy')
        await vi.waitUntil(() => peer.seen.some(({ method }) => method === 'notifications/roots/list_changed'), {
          timeout: 20_000,
        })
    },
  )

  it.each(['legacy', 'both'] as const)('is asked what a %s upstream asks, on the stream of its call', async (era) => {
    const { gateway } = await aRelayed(era)
    const client = await aSession(gateway, FORM)
    const call = { id: 'c', method: 'tools/call', params: { name: 'test_elicitation', arguments: { message: 'Who?' } } }
    const messages = messagesOf(await client.post(call))
    const question = await until(messages, ({ method }) => method === 'elicitation/create')
    expect(question.params).toMatchObject({ message: 'Who?', requestedSchema: { type: 'object' } })
    // An answer without a question has no effect, nor does one from another session.
    const unknown = await aSession(gateway, FORM)
    await unknown.post({ id: question.id, result: accepted({ username: 'mallory', email: 'm' }) })
    await client.post({ id: 4_711, result: accepted({ username: 'mallory', email: 'm' }) })
    await client.post({ id: question.id, result: accepted({ username: 'ann', email: 'a@b' }) })
    const answer = await until(messages, ({ id }) => id === 'c')
    expect(textOf(answer)).toContain('"username":"ann"')

    // What it did not declare it is not asked for: the tool says what it lacks.
    const sampled = await client.ask('tools/call', { name: 'test_sampling', arguments: { prompt: 'x' } })
    expect(sampled.answer.result).toMatchObject({ isError: true })
    expect(sampled.before).toEqual([])
  })

  it('is cancelled at the upstream too, also while it is being asked', async () => {
    const { gateway } = await aRelayed('legacy')
    const client = await aSession(gateway, FORM)
    const call = { id: 'c', method: 'tools/call', params: { name: 'test_elicitation', arguments: { message: 'Who?' } } }
    const messages = messagesOf(await client.post(call))
    await until(messages, ({ method }) => method === 'elicitation/create')
    await client.post({ method: 'notifications/cancelled', params: { requestId: 'c' } })
    const rest: (string | undefined)[] = []
    for await (const { method, id } of messages) rest.push(method ?? String(id))
    expect(rest).toEqual(['notifications/cancelled'])
  })

  it('shares no session of the upstream with another, and takes its own along', async () => {
    const { gateway, peer } = await aRelayed('legacy', { MCP_API_KEYS: 'first-key-of-an-agent,second-key-of-an-agent' })
    const clients = await Promise.all(
      ['first', 'first', 'second'].map((who) =>
        aSession(gateway, {}, { headers: { authorization: `Bearer ${who}-key-of-an-agent` } }),
      ),
    )
    for (const client of clients) await client.ask('tools/call', { name: 'test_simple_text' })
    const used = peer.seen.filter(({ method }) => method === 'tools/call').map(({ session }) => session)
    expect(new Set(used).size).toBe(3)
    expect(used.every(peer.holds)).toBe(true)
    for (const { headers } of clients) await gateway.ask('/mcp/up', { method: 'DELETE', headers })
    await vi.waitUntil(() => !used.some(peer.holds), { timeout: 20_000 })
  })

  it('outlives a restart of the gateway with what it can be asked', async () => {
    const { gateway } = await aRelayed('legacy')
    const { headers } = await aSession(gateway, FORM)
    await gateway.stop()
    const again = await aShopGateway({}, gateway.folder)
    const post = (body: object) => fetch(`${again.url}/mcp/up`, { method: 'POST', headers, body: JSON.stringify(body) })
    const params = { name: 'test_elicitation', arguments: { message: 'Still there?' } }
    const messages = messagesOf(await post({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params }))
    const { id } = await until(messages, ({ method }) => method === 'elicitation/create')
    await post({ jsonrpc: '2.0', id, result: { action: 'decline' } })
    expect(textOf(await until(messages, (message) => message.id === 'c'))).toContain('decline')
  })
})

describe('a stateless client of a legacy upstream', () => {
  const params = { name: 'test_elicitation', arguments: { message: 'Who?' } }
  const keys = { MCP_API_KEYS: 'first-key-of-an-agent,second-key-of-an-agent' }
  const as = (who: string) => ({ headers: { authorization: `Bearer ${who}-key-of-an-agent` } })

  it('is asked in rounds, while the upstream waits', async () => {
    const { gateway } = await aRelayed('legacy')
    const client = aStateless(gateway, FORM)
    const first = await client.ask('tools/call', params)
    expect(first.answer.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { input_1: { method: 'elicitation/create', params: { message: 'Who?' } } },
      requestState: expect.any(String),
    })
    const { requestState } = first.answer.result ?? {}
    // Nothing that was asked is answered: it is asked again, under another state.
    const again = await client.ask('tools/call', { ...params, requestState, inputResponses: { other: accepted({}) } })
    expect(again.answer.result).toMatchObject({ resultType: 'input_required', inputRequests: { input_1: {} } })
    const last = await client.ask('tools/call', {
      ...params,
      requestState: again.answer.result?.requestState,
      inputResponses: { input_1: accepted({ username: 'ann', email: 'a@b' }) },
    })
    expect(last.answer.result).toMatchObject({ resultType: 'complete' })
    expect(textOf(last.answer)).toContain('"username":"ann"')
  })

  it('has its state to itself: no other principal, request or time takes it up', async () => {
    const { gateway } = await aRelayed('legacy', keys)
    const mine = aStateless(gateway, FORM, as('first'))
    const { answer } = await mine.ask('tools/call', params)
    const requestState = String(answer.result?.requestState)
    const inputResponses = { input_1: accepted({ username: 'mallory', email: 'm' }) }
    const refusals = [
      await aStateless(gateway, FORM, as('second')).ask('tools/call', { ...params, requestState, inputResponses }),
      await mine.ask('tools/call', { ...params, arguments: { message: 'Other' }, requestState, inputResponses }),
      await mine.ask('tools/call', { ...params, requestState: `${requestState}x`, inputResponses }),
      await mine.ask('tools/call', { ...params, requestState: 'gantry.v1.AAAA', inputResponses }),
      await mine.ask('tools/call', { ...params, requestState, inputResponses: 'yes' }),
    ]
    expect(refusals.map((each) => each.answer.error?.code)).toEqual([-32_602, -32_602, -32_602, -32_602, -32_602])
    const given = { input_1: accepted({ username: 'ann', email: 'a@b' }) }
    const done = await mine.ask('tools/call', { ...params, requestState, inputResponses: given })
    expect(textOf(done.answer)).toContain('"username":"ann"')
    const twice = await mine.ask('tools/call', { ...params, requestState, inputResponses: given })
    expect(twice.answer.error?.code).toBe(-32_602)
  })

  it('receives changes of its resources, and the end', async () => {
    const { gateway, peer } = await aRelayedProcess('legacy')
    const client = aStateless(gateway)
    const notifications = { resourceSubscriptions: ['test://watched-resource'], promptsListChanged: true }
    const stream = messagesOf(await client.send('subscriptions/listen', { notifications }))
    const acknowledged = await until(stream, ({ method }) => method === 'notifications/subscriptions/acknowledged')
    expect(acknowledged.params).toMatchObject({ notifications })
    const updating = setInterval(() => peer.updated('test://watched-resource'), 100)
    onTestFinished(() => clearInterval(updating))
    const updated = await until(stream, ({ method }) => method === 'notifications/resources/updated')
    expect(updated.params?._meta).toEqual(acknowledged.params?._meta)
    gateway.signal('SIGTERM')
    const last = await until(stream, ({ result }) => result !== undefined)
    expect(last.result).toMatchObject({ resultType: 'complete', _meta: acknowledged.params?._meta })
  })

  it('receives log messages only on request', async () => {
    const { gateway } = await aRelayed('legacy')
    const call = { name: 'test_tool_with_logging' }
    expect((await aStateless(gateway).ask('tools/call', call)).before).toEqual([])
    const meta = { 'io.modelcontextprotocol/logLevel': 'info' }
    const { before, answer } = await aStateless(gateway, {}, { meta }).ask('tools/call', call)
    expect(before).toHaveLength(3)
    expect(answer.result).toMatchObject({ resultType: 'complete' })
  })
})

describe('a subscription', () => {
  it('is one of a bounded number', async () => {
    const { gateway } = await aShop({ MAX_SESSIONS: '2' })
    const client = aStateless(gateway, {}, { path: '/mcp/petstore' })
    const open = [await client.send('subscriptions/listen'), await client.send('subscriptions/listen')]
    expect(open.map(({ status }) => status)).toEqual([200, 200])
    const third = await client.send('subscriptions/listen')
    expect([third.status, third.headers.get('retry-after'), await all(third)]).toMatchObject([
      503,
      '5',
      [{ error: { code: -32_000, data: { code: 'SESSION_CAPACITY' } } }],
    ])
    for (const { body } of open) await body?.cancel()
  })
})

describe('what is no tool', () => {
  it('is unknown on every other surface [ct.0.2.others ct.5.5.prompts]', async () => {
    const { gateway } = await aShop()
    for (const method of ['resources/list', 'resources/read', 'prompts/list', 'prompts/get', 'completion/complete'])
      expect([method, (await rpc(gateway, method)).json]).toMatchObject([method, { error: { code: -32_601 } }])
    expect((await rpc(gateway, 'logging/setLevel', { level: 'info' })).json).toMatchObject({ error: { code: -32_601 } })
  })

  it('leaves a row where it read something, and is held off where its backend is off', async () => {
    const { gateway } = await aRelayed('both')
    const client = await aSession(gateway)
    await client.ask('prompts/get', { name: 'test_simple_prompt' })
    const switched = await gateway.admin('/admin-api/clients/up', { method: 'PATCH', body: { enabled: false } })
    expect(switched.status).toBe(200)
    const { answer } = await client.ask('resources/read', { uri: 'test://static-text' })
    expect(answer.error).toMatchObject({ code: -32_000, data: { code: 'disabled' } })
    await gateway.stop()
    const database = new Database(join(gateway.folder, 'gantry.db'), { readonly: true })
    onTestFinished(() => void database.close())
    // A handshake has a row as well, where the upstream had not been met before.
    const rows = database.prepare(
      "SELECT client, tool, called_as, outcome, deny_code FROM calls WHERE method IN ('prompts/get', 'resources/read') ORDER BY id",
    )
    expect(rows.all()).toEqual([
      { client: 'up', tool: '', called_as: 'prompts/get test_simple_prompt', outcome: 'success', deny_code: null },
      {
        client: 'up',
        tool: '',
        called_as: 'resources/read test://static-text',
        outcome: 'refused',
        deny_code: 'disabled',
      },
    ])
  })
})

describe('an upstream', () => {
  it('that was not reached since the start and is away is reported as unreachable, for every request', async () => {
    const { gateway, peer } = await aRelayed('legacy')
    await gateway.stop()
    await peer.close()
    const again = await aShopGateway({}, gateway.folder)
    const client = await aSession(again)
    for (const [method, params] of [
      ['prompts/list', {}],
      ['resources/read', { uri: 'test://static-text' }],
    ] as const) {
      const { answer } = await client.ask(method, params)
      expect(answer.error).toMatchObject({ code: -32_000, data: { kind: 'network', retryable: true } })
      expect(answer.error?.message).toContain('up')
    }
  })

  it('may answer with fields unknown here [ct.0.2.unknown-relayed]', async () => {
    const [gateway, peer] = [await aShopGateway(), await startMcpPeer()]
    onTestFinished(() => peer.close())
    await registerUpstream(gateway, 'up', peer.url)
    const client = await aSession(gateway)
    const { answer } = await client.ask('tools/call', { name: 'extras' })
    expect(answer.result).toMatchObject({
      content: [
        { type: 'hologram', shape: { deep: [1] } },
        { type: 'text', text: 'plain', note: 'kept' },
      ],
      futureField: { a: 1 },
      _meta: { 'vendor/x': true },
    })
  })

  it('that floods its client with questions is cut off, and harms no other call (security case MC-07)', async () => {
    const gateway = await aShopGateway()
    const peer = await startMcpPeer({
      intercept({ method, params, response }) {
        if (method !== 'tools/call' || params.name !== 'slow') return false
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        for (let id = 0; id < 500; id += 1)
          response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: `q${id}`, method: 'roots/list' })}\n\n`)
        return true
      },
    })
    onTestFinished(() => peer.close())
    await registerUpstream(gateway, 'up', peer.url)
    const client = await aSession(gateway, { roots: {} })
    const flood = client.ask('tools/call', { name: 'slow' })
    const other = await aSession(gateway)
    expect((await other.ask('tools/call', { name: 'echo', arguments: { a: 1 } })).answer.result).toMatchObject({
      structuredContent: { a: 1 },
    })
    const { answer, before } = await flood
    expect(answer.result).toMatchObject({ isError: true, _meta: { 'gantry/failure': { kind: 'bad_response' } } })
    expect(before.filter(({ method }) => method === 'roots/list').length).toBeLessThanOrEqual(16)
  })
})

describe('a stopping gateway', () => {
  it('answers who still comes in the form of the protocol [ct.5.10.shutdown]', async () => {
    let letGo = (): void => undefined
    const peer = await startMcpPeer({
      intercept({ method, id, answer }) {
        if (method !== 'tools/call') return false
        letGo = () => void answer({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'late' }] } })
        return true
      },
    })
    onTestFinished(() => peer.close())
    const gateway = await aShopProcess()
    await registerUpstream(gateway, 'up', peer.url)
    const client = await aSession(gateway)
    const held = client.ask('tools/call', { name: 'slow', arguments: {} })
    await vi.waitUntil(() => peer.count('tools/call') === 1, { timeout: 20_000 })
    gateway.signal('SIGTERM')
    const late = await vi.waitUntil(
      async () => {
        // A connection that had sent nothing when the stop began is closed.
        const response = await rpc(gateway, 'ping', {}, { path: '/mcp/up', id: 'late' }).catch(() => undefined)
        return response?.status === 503 ? response : undefined
      },
      { timeout: 20_000, interval: 20 },
    )
    expect([late.headers.get('retry-after'), late.json]).toMatchObject([
      expect.any(String),
      { jsonrpc: '2.0', id: null, error: { code: -32_000, data: { code: 'SHUTTING_DOWN' } } },
    ])
    letGo()
    expect(textOf((await held).answer)).toBe('late')
  })

  it('lets go of who waits for a client', async () => {
    const { gateway } = await aRelayedProcess('legacy')
    const client = await aSession(gateway, FORM)
    const params = { name: 'test_elicitation', arguments: { message: 'Who?' } }
    const messages = messagesOf(await client.post({ id: 'c', method: 'tools/call', params }))
    await until(messages, ({ method }) => method === 'elicitation/create')
    gateway.signal('SIGTERM')
    const answer = await until(messages, ({ id }) => id === 'c')
    expect(answer.result).toMatchObject({ isError: true })
    expect((await gateway.exited).code).toBe(0)
  })
})
