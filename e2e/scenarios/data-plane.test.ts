// The data plane over real sockets: calls as the contract's examples have them, every refusal, sessions and both eras.
import { describe, expect, it } from 'vitest'
import {
  aProcessShop,
  aShop,
  call,
  configure,
  disable,
  failureOf,
  openSession,
  openStreaming,
  refusalOf,
  rpc,
} from './data-plane.fixture.ts'
import { aGateway } from './gateway.fixture.ts'

const MODERN = '2026-07-28'
const modern = (method: string, params: object = {}, name?: string) => ({
  params: {
    ...params,
    _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} },
  },
  headers: {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  },
})

describe('a call', () => {
  it('of the examples answers, refuses and fails as they do [ct.5.14.call ct.5.14.confirm ct.5.14.failure ct.5.14.not-found]', async () => {
    const { gateway, upstream } = await aShop({ AUTO_GATE_WRITE_METHODS: 'true' })
    expect(await call(gateway, 'getPetById', { id: '5' })).toEqual({
      content: [{ type: 'text', text: '{"id":5,"name":"Rex","url":"/pets/5"}' }],
      structuredContent: { id: 5, name: 'Rex', url: '/pets/5' },
      _meta: {
        'gantry/call': {
          request_id: expect.any(String),
          durationMs: expect.any(Number),
          attempts: 1,
          target: 'primary',
        },
      },
    })

    const refused = await call(gateway, 'deletePet', { id: 5 })
    const refusal = {
      code: 'confirm_required',
      gate: 'confirmation',
      request_id: expect.any(String),
      tool: 'deletePet',
    }
    expect(refused).toMatchObject({
      isError: true,
      content: [
        {
          type: 'text',
          text: `Tool 'deletePet' is sensitive: repeat the call with {"__confirm": true} or use an elevated key.`,
        },
      ],
      structuredContent: refusal,
      _meta: { 'gantry/refusal': refusal },
    })
    expect(await call(gateway, 'deletePet', { id: 5, __confirm: true })).not.toHaveProperty('isError')
    expect(upstream.seen).toEqual(['GET /pets/5', 'DELETE /pets/5'])

    const failed = await call(gateway, 'broken')
    expect(failed).toMatchObject({ isError: true, content: [{ text: 'HTTP 500 from petstore: broken' }] })
    expect(failureOf(failed)).toMatchObject({ kind: 'upstream_status', status: 500, retryable: true })
    expect(failed).not.toHaveProperty('structuredContent')

    const nowhere = await rpc(gateway, 'tools/list', {}, { path: '/mcp/nope' })
    expect([nowhere.status, nowhere.json]).toMatchObject([
      404,
      { error: { code: 'CLIENT_NOT_FOUND', message: 'Client not found' } },
    ])
  })

  it('is refused with the code of the gate that held it, and reaches no backend [ct.5.8.shape ct.5.8.fields ct.5.8.unknown_tool]', async () => {
    const { gateway, upstream } = await aShop()
    const code = async (name: string, args: object = {}): Promise<unknown> => {
      const result = await call(gateway, name, args)
      expect(result._meta['gantry/refusal']).toEqual(result.structuredContent)
      return [refusalOf(result).code, refusalOf(result).gate]
    }
    await configure(gateway, 'ok', { enabled: false })
    await configure(gateway, 'addPet', { guardrails: { denyPatterns: ['drop\\s+table'], blockSecrets: true } })
    await configure(gateway, 'getPetById', { guards: { allowedApiKeys: ['an-unknown-key'] } })
    await configure(gateway, 'notfound', { guards: { rateLimitPerMin: 1 } })

    expect(await code('nope')).toEqual(['unknown_tool', 'resolution'])
    expect(await code('ok')).toEqual(['disabled', 'availability'])
    expect(await code('addPet', { name: 'DROP  TABLE pets' })).toEqual(['guardrail_input', 'input_guardrails'])
    expect(await code('addPet', { more: `ghp_${'a'.repeat(36)}` })).toEqual(['guardrail_input', 'input_guardrails'])
    expect(await code('getPetById', { id: 5 })).toEqual(['allowed_key', 'key_allowlist'])
    expect(upstream.seen).toEqual([])

    await call(gateway, 'notfound')
    const limited = await call(gateway, 'notfound')
    expect(refusalOf(limited)).toMatchObject({ code: 'rate_limit', gate: 'rate_limit', tool: 'notfound' })
    expect(refusalOf(limited).retryAfterMs).toBeGreaterThan(0)
    expect(upstream.seen).toEqual(['GET /notfound'])

    await disable(gateway)
    expect(await code('addPet')).toEqual(['disabled', 'availability'])
  })

  it('with arguments that cannot be sent receives the reason [ct.5.13.placeholder ct.5.13.undeclared]', async () => {
    const { gateway, upstream } = await aShop()
    const wrong = await call(gateway, 'getPetById', { id: 'five' })
    expect(wrong).toMatchObject({ isError: true, content: [{ text: 'Invalid arguments: id must be integer' }] })
    expect(failureOf(wrong)).toMatchObject({ kind: 'invalid_arguments', retryable: false })
    expect(await call(gateway, 'getPetById', { id: 5, admin: true })).not.toHaveProperty('isError')
    expect(upstream.seen).toEqual(['GET /pets/5'])
  })
})

describe('a session', () => {
  it('is opened, used and ended; no other caller finds it [ct.5.2.initialize ct.5.2.delete ct.5.14.session ct.5.5.ping]', async () => {
    const { gateway } = await aShop()
    const headers = await openSession(gateway)
    expect((await rpc(gateway, 'ping', {}, { headers })).json).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    const ended = await gateway.ask('/mcp/petstore', { method: 'DELETE', headers })
    expect([ended.status, ended.text]).toEqual([200, ''])
    const gone = await rpc(gateway, 'ping', {}, { headers, id: 9 })
    expect([gone.status, gone.json]).toMatchObject([
      404,
      {
        jsonrpc: '2.0',
        id: 9,
        error: { code: -32_000, message: 'Session not found or expired', data: { code: 'SESSION_NOT_FOUND' } },
      },
    ])
    const nonsense = await rpc(gateway, 'ping', {}, { headers: { 'mcp-session-id': 'nonsense' } })
    expect([nonsense.status, nonsense.json]).toMatchObject([400, { error: { code: 'INVALID_SESSION_ID' } }])
  })

  it('stays ended over a restart, however the gateway ended', async () => {
    const { gateway } = await aProcessShop()
    const [ended, other] = [await openSession(gateway), await openSession(gateway)]
    expect((await gateway.ask('/mcp/petstore', { method: 'DELETE', headers: ended })).status).toBe(200)
    gateway.signal('SIGKILL')
    await gateway.exited
    const again = await aGateway({ ALLOW_PRIVATE_IPS: 'true' }, gateway.folder)
    const late = await rpc(again, 'tools/list', {}, { headers: ended })
    expect([late.status, late.json]).toMatchObject([404, { error: { data: { code: 'SESSION_NOT_FOUND' } } }])
    expect((await rpc(again, 'tools/list', {}, { headers: other })).status).toBe(200)
  })

  it('outlives a restart of the gateway', async () => {
    const { gateway } = await aShop()
    const headers = await openSession(gateway)
    await gateway.stop()
    const again = await aGateway({ ALLOW_PRIVATE_IPS: 'true' }, gateway.folder)
    const { status, json } = await rpc(again, 'tools/list', {}, { headers })
    expect([status, json]).toMatchObject([200, { result: { tools: expect.any(Array) } }])
  })

  it('is refused where there is no room, and not needed where none is given [ct.5.10.capacity ct.5.2.sessionless ct.5.2.initialized-202]', async () => {
    const { gateway } = await aShop({ MAX_SESSIONS: '1' })
    await openStreaming(gateway)
    const params = { protocolVersion: '2025-11-25', capabilities: {} }
    const full = await rpc(gateway, 'initialize', params, { id: 'i' })
    expect([full.status, full.headers.get('retry-after'), full.json]).toMatchObject([
      503,
      '5',
      { id: 'i', error: { code: -32_000, data: { code: 'SESSION_CAPACITY' } } },
    ])
    const listed = await rpc(gateway, 'tools/list')
    expect([listed.status, listed.headers.get('mcp-session-id')]).toEqual([200, null])
    const body = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const opening = await gateway.ask('/mcp/petstore', { method: 'POST', body })
    expect([opening.status, opening.text]).toEqual([202, ''])
  })

  it('can be demanded [ct.5.2.sessionless-off ct.5.10.session-required]', async () => {
    const { gateway } = await aShop({ MCP_SESSIONLESS: 'false' })
    const { status, json } = await rpc(gateway, 'tools/list', {}, { id: 3 })
    expect([status, json]).toMatchObject([400, { id: 3, error: { code: -32_000, data: { code: 'SESSION_REQUIRED' } } }])
  })

  it('of an old revision takes batches, and no other does [ct.5.3.batches ct.5.2.sessionless-batch]', async () => {
    const { gateway } = await aShop()
    const batch = (size: number, headers = {}) =>
      gateway.ask('/mcp/petstore', {
        method: 'POST',
        headers,
        body: Array.from({ length: size }, (_each, id) => ({ jsonrpc: '2.0', id, method: 'ping' })),
      })
    const old = await openSession(gateway, '2025-03-26')
    expect((await batch(2, old)).json).toEqual([
      { jsonrpc: '2.0', id: 0, result: {} },
      { jsonrpc: '2.0', id: 1, result: {} },
    ])
    const refused = [batch(0, old), batch(51, old), batch(1), batch(1, await openSession(gateway, '2025-06-18'))]
    for (const { status, json } of await Promise.all(refused))
      expect([status, json]).toMatchObject([400, { id: null, error: { code: -32_600 } }])
  })
})

describe('the transport', () => {
  it('judges who sends before what is sent [ct.5.10.credential ct.5.10.http ct.5.10.parse]', async () => {
    const { gateway } = await aShop({ MCP_API_KEYS: 'the-key-of-an-agent', MAX_BODY_BYTES: '2048' })
    const key = { authorization: 'Bearer the-key-of-an-agent' }
    const post = async (headers: object, body: string, path = '/mcp/petstore') => {
      const { status, json } = await gateway.ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      })
      return [status, JSON.stringify(json)]
    }
    const large = JSON.stringify('x'.repeat(3_000))
    expect(await post({}, large)).toEqual([401, expect.stringContaining('UNAUTHORIZED')])
    expect(await post({}, '{', '/mcp/nope')).toEqual([401, expect.stringContaining('UNAUTHORIZED')])
    expect(await post(key, '{', '/mcp/nope')).toEqual([404, expect.stringContaining('CLIENT_NOT_FOUND')])
    expect(await post(key, large)).toEqual([413, expect.stringContaining('PAYLOAD_TOO_LARGE')])
    expect(await post({ ...key, 'content-type': 'text/plain' }, 'x')).toEqual([
      415,
      expect.stringContaining('UNSUPPORTED_MEDIA_TYPE'),
    ])
    expect(await post(key, '['.repeat(40))).toEqual([400, expect.stringContaining('JSON_TOO_DEEP')])
    expect(await post(key, '{"a":')).toEqual([400, expect.stringMatching(/"id":null.*-32700/)])
    const good = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    expect(await post({ ...key, accept: 'text/html' }, good)).toEqual([406, expect.stringContaining('NOT_ACCEPTABLE')])
    expect(await post({ ...key, 'mcp-session-id': 'x' }, large)).toEqual([
      400,
      expect.stringContaining('INVALID_SESSION_ID'),
    ])
    expect(await post(key, good)).toEqual([200, '{"jsonrpc":"2.0","id":1,"result":{}}'])
  })

  it('answers events where only events are taken, and to progress [ct.5.4.accept ct.5.4.json ct.5.4.sse]', async () => {
    const { gateway } = await aShop()
    const typeOf = async (accept: string, params: object = {}) =>
      (await rpc(gateway, 'tools/call', { name: 'ok', ...params }, { headers: { accept } })).headers.get('content-type')
    const both = 'application/json, text/event-stream'
    const token = { _meta: { progressToken: 1 } }
    expect(await typeOf(both)).toMatch(/^application\/json/)
    expect(await typeOf('text/event-stream')).toBe('text/event-stream')
    expect(await typeOf(both, token)).toBe('text/event-stream')
    expect(await typeOf('application/json', token)).toMatch(/^application\/json/)
    const answered = await rpc(gateway, 'tools/call', { name: 'ok', ...token }, { headers: { accept: both } })
    expect(answered.text).toMatch(/^event: message\ndata: \{"jsonrpc":"2.0","id":1,"result":.*\}\n\n$/)
  })

  it('has no GET and no DELETE without a session, and one stream with one (security case MC-13) [ct.5.4.get ct.5.4.get-405]', async () => {
    const { gateway } = await aShop()
    const none = await gateway.ask('/mcp/petstore')
    expect([none.status, none.headers.get('allow')]).toEqual([405, 'POST, DELETE'])
    expect((await gateway.ask('/mcp/petstore', { method: 'DELETE' })).status).toBe(405)
    const headers = { ...(await openSession(gateway)), accept: 'text/event-stream' }
    const stream = await fetch(`${gateway.url}/mcp/petstore`, { headers })
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    const second = await gateway.ask('/mcp/petstore', { headers })
    expect([second.status, second.json]).toMatchObject([409, { error: { code: 'STREAM_EXISTS' } }])
    if (stream.body === null) throw new Error('A stream has a body')
    const received = stream.body.pipeThrough(new TextDecoderStream()).getReader()
    await disable(gateway)
    let text = ''
    while (!text.includes('event:')) text += (await received.read()).value ?? ''
    expect(text).toContain('notifications/tools/list_changed')
    await received.cancel()
  })

  it('refuses revisions it does not speak, naming those it does [ct.5.3.header-bad ct.5.10.version ct.5.3.header-other]', async () => {
    const { gateway } = await aShop()
    const headers = await openSession(gateway, '2025-06-18')
    const bad = await rpc(gateway, 'ping', {}, { headers: { ...headers, 'mcp-protocol-version': '1999-01-01' }, id: 7 })
    expect([bad.status, bad.json]).toMatchObject([
      400,
      {
        id: 7,
        error: { code: -32_022, data: { requested: '1999-01-01', supported: expect.arrayContaining([MODERN]) } },
      },
    ])
    const other = await rpc(gateway, 'ping', {}, { headers: { ...headers, 'mcp-protocol-version': '2025-11-25' } })
    expect(other.status).toBe(200)
  })

  it('refuses unsupported methods [ct.5.5.unknown ct.5.10.method ct.5.10.params]', async () => {
    const { gateway } = await aShop()
    const ask = async (method: string, params: object) => {
      const { status, json } = await rpc(gateway, method, params)
      return [status, (json as { error: { code: number } }).error.code]
    }
    expect(await ask('resources/list', {})).toEqual([200, -32_601])
    expect(await ask('tools/call', {})).toEqual([200, -32_602])
    expect(await ask('tools/call', { name: 'ok', arguments: [] })).toEqual([200, -32_602])
    expect(await ask('tools/list', { cursor: 'nonsense' })).toEqual([200, -32_602])
  })
})

describe('the stateless era', () => {
  it('is served on the same URL, decided by the body [ct.0.1.era-body ct.0.1.same-urls ct.0.1.list-ttl]', async () => {
    const { gateway } = await aShop()
    const ask = async (method: string, params: object = {}, name?: string, more: object = {}) => {
      const { params: sent, headers } = modern(method, params, name)
      return rpc(gateway, method, sent, { headers: { ...headers, ...more }, id: 'm' })
    }
    expect((await ask('server/discover')).json).toMatchObject({
      id: 'm',
      result: { resultType: 'complete', supportedVersions: expect.arrayContaining([MODERN]), cacheScope: 'private' },
    })
    expect((await ask('tools/list')).json).toMatchObject({ result: { ttlMs: 30_000, cacheScope: 'private' } })
    expect((await ask('tools/call', { name: 'ok' }, 'ok')).json).toMatchObject({
      result: { resultType: 'complete', structuredContent: { ok: true } },
    })
    // A session header means nothing here.
    expect((await ask('tools/list', {}, undefined, { 'mcp-session-id': 'x' })).status).toBe(200)
  })

  it('refuses in its own codes, with the id of the message [ct.0.1.unknown-method ct.0.1.header-mismatch ct.0.1.version]', async () => {
    const { gateway } = await aShop()
    const ask = async (method: string, params: object, headers: object) => {
      const { status, json } = await rpc(gateway, method, params, { headers: { ...headers }, id: 'm' })
      const { id, error } = json as { id: unknown; error: { code: number } }
      return [status, id, error.code]
    }
    const unknown = modern('ping')
    expect(await ask('ping', unknown.params, unknown.headers)).toEqual([404, 'm', -32_601])
    const call = modern('tools/call', { name: 'ok' }, 'other')
    expect(await ask('tools/call', call.params, call.headers)).toEqual([400, 'm', -32_020])
    const list = modern('tools/list')
    expect(await ask('tools/list', list.params, {})).toEqual([400, 'm', -32_020])
    const later = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } }
    expect(await ask('tools/list', later, {})).toEqual([400, 'm', -32_022])
    const bare = { _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN } }
    expect(await ask('tools/list', bare, list.headers)).toEqual([400, 'm', -32_602])
    expect(await ask('tools/list', {}, list.headers)).toEqual([400, 'm', -32_602])
  })
})
