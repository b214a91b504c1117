// Tools whose calls are an exchange of messages over a WebSocket: set, returned, exported, called, and what a backend can do wrong.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { openWsBackend, type WsBackend } from '../../gateway/sockets/ws-backend.fixture.ts'
import { failureOf, type Result, ROOMY, refusalOf, rpc } from './data-plane.fixture.ts'
import { type Answer, type Gateway, startGateway } from './gateway.fixture.ts'

let gateway: Gateway
let backend: WsBackend
let other: UpstreamServer
const SECRET = 'upstream-secret-1234'
const TOOL = '/admin-api/clients/shop/tools/ask'
beforeAll(async () => {
  const started = await Promise.all([
    startGateway({
      ...ROOMY,
      SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      MAX_RESPONSE_BYTES: '4096',
    }),
    openWsBackend(),
    startServer((_hit, response) => answerJson(response, { by: 'http' })),
  ])
  gateway = started[0]
  backend = started[1]
  other = started[2]
  const ask = {
    name: 'ask',
    method: 'GET',
    endpoint: '/ask',
    description: 'd',
    inputSchema: { type: 'object', properties: { n: { type: 'integer', default: 7 }, say: { type: 'string' } } },
  }
  const url = backend.url.replace('ws:', 'http:')
  const registered = await gateway.admin('/register', {
    method: 'POST',
    body: { name: 'shop', base_url: url, health_url: `${other.url}/`, tools: [ask, { ...ask, name: 'plain' }] },
  })
  expect(registered.status, registered.text).toBe(200)
  const body = { type: 'bearer', token: SECRET }
  const set = await gateway.admin('/admin-api/clients/shop/upstream-auth', { method: 'PUT', body })
  expect(set.status, set.text).toBe(200)
})
afterAll(() => Promise.all([gateway.end(), backend.close(), other.close()]))
beforeEach(() => {
  for (const list of [backend.seen, backend.received, backend.closed]) list.length = 0
})

const patch = (ws: unknown, more: object = {}): Promise<Answer> =>
  gateway.admin(TOOL, { method: 'PATCH', body: { ws, ...more } })
const codeOf = ({ json }: Answer): string => (json as { error: { code: string } }).error.code // the envelope of every error
async function exchange(path: string, more: object = {}, guards: object = {}): Promise<void> {
  const answer = await patch({ wsUrl: backend.url + path, ...more }, { guards })
  expect(answer.status, answer.text).toBe(200)
}
async function call(args: object = {}, meta: object = {}): Promise<{ result: Result; progress: unknown[] }> {
  const headers = { accept: 'application/json, text/event-stream' }
  const { text } = await rpc(
    gateway,
    'tools/call',
    { name: 'ask', arguments: args, ...meta },
    { path: '/mcp/shop', headers },
  )
  const messages = (text.startsWith('{') ? [text] : text.split('\n').filter((line) => line.startsWith('data: {'))).map(
    (line) => JSON.parse(line.replace(/^data: /, '')) as { result?: Result; params?: unknown }, // JSON-RPC
  )
  const result = messages.find((message) => message.result)?.result
  if (result === undefined) throw new Error(`No result: ${text}`)
  return { result, progress: messages.flatMap(({ params }) => (params === undefined ? [] : [params])) }
}

describe('the WebSocket of a tool', () => {
  it('is set with its address vetted, returned without what it was vetted at, and audited [ct.8.13.ws]', async () => {
    const bad: readonly (readonly [unknown, string])[] = [
      [{}, 'VALIDATION_ERROR'],
      [{ wsUrl: backend.url, maxMessages: 0 }, 'VALIDATION_ERROR'],
      [{ wsUrl: backend.url, addresses: ['127.0.0.1'] }, 'VALIDATION_ERROR'],
      [{ wsUrl: 'http://127.0.0.1/' }, 'INVALID_URL'],
      [{ wsUrl: 'ws://169.254.169.254/' }, 'SSRF_BLOCKED'],
    ]
    for (const [ws, code] of bad) expect(codeOf(await patch(ws))).toBe(code)
    await exchange('/echo')
    const answer = (await gateway.admin(TOOL)).json as { config: { ws: unknown }; features: string[] }
    expect(answer.config.ws).toEqual({
      enabled: true,
      wsUrl: `${backend.url}/echo`,
      persistent: false,
      maxMessages: 1000,
    })
    expect(answer.features).toEqual(['ws'])
    expect((await patch({ wsUrl: backend.url }, { streaming: { format: 'sse' } })).status).toBe(400)
    const audit = await gateway.admin('/admin-api/audit-log?target=shop__ask&action=tool.ws.update')
    const { items } = audit.json as { items: { detail: object }[] } // a page, by the contract
    expect(items[0]?.detail).toMatchObject({ after: { ws: answer.config.ws } })
  })

  it('makes it neither read-only nor idempotent, with any method before [ct.5.11.websocket]', async () => {
    const hints = async (name: string) => {
      const { json } = await rpc(gateway, 'tools/list', {}, { path: '/mcp/shop' })
      const { tools } = (json as { result: { tools: { name: string; annotations: object }[] } }).result // MCP's own shape
      return tools.find((tool) => tool.name === name)?.annotations
    }
    await exchange('/echo')
    expect(await hints('ask')).toEqual({
      title: 'Ask',
      readOnlyHint: false,
      idempotentHint: false,
      openWorldHint: true,
    })
    expect(await hints('plain')).toMatchObject({ readOnlyHint: true })
  })

  it('travels in a document without defaults, and comes back vetted', async () => {
    await exchange('/count', { persistent: true })
    const exported = await gateway.admin('/admin-api/config/export?sections=clients')
    expect(exported.text).toContain(`"wsUrl": "${backend.url}/count"`)
    expect(exported.text).not.toMatch(/addresses|maxMessages/)
    await patch(null)
    const body = exported.json as { clients: { tools: { ws: { wsUrl: string } }[] }[] }
    const imported = await gateway.admin('/admin-api/config/import?confirm=true', { method: 'POST', body })
    expect(imported.json).toMatchObject({ applied: { tools: { created: 1 } }, skipped: [] })
    expect((await gateway.admin('/admin-api/config/export?sections=clients')).text).toBe(exported.text)
    expect((await call({ n: 1 })).result.isError).toBeUndefined()
    const moved = structuredClone(body)
    const [tool] = moved.clients[0]?.tools ?? []
    if (tool) tool.ws.wsUrl = 'ws://169.254.169.254/'
    expect(
      (await gateway.admin('/admin-api/config/import?confirm=true', { method: 'POST', body: moved })).json,
    ).toMatchObject({
      applied: { tools: { updated: 0 } },
      skipped: [{ type: 'tools', id: 'shop__ask' }],
    })
  })
})

describe('a call over a WebSocket', () => {
  it('sends its arguments as one text frame and answers with the first that comes [ct.8.13.ws ct.8.13.ws-frames]', async () => {
    await exchange('/echo?fixed=1')
    const { result } = await call({ n: 3 })
    expect(result).toMatchObject({ content: [{ type: 'text', text: '{"n":3}' }], structuredContent: { n: 3 } })
    expect(backend.received).toEqual(['{"n":3}'])
    await expect.poll(() => backend.closed).toEqual([1000])
    expect(backend.seen).toMatchObject([
      { url: '/echo?fixed=1', headers: { authorization: `Bearer ${SECRET}`, 'user-agent': 'Gantry' } },
    ])
    expect(result._meta['gantry/call']).toMatchObject({ attempts: 1 })
    // Defaults are applied as for every call.
    expect((await call()).result.structuredContent).toEqual({ n: 7 })
    await patch({ wsUrl: `${backend.url}/echo`, enabled: false })
    expect(failureOf((await call()).result)).toMatchObject({ status: 426 })
  })

  it('takes the credential out of what comes back, and gives it to no other server', async () => {
    await exchange('/say')
    const { result } = await call({ say: `it is ${SECRET}, vis\u202eible` })
    expect(result.content).toEqual([{ type: 'text', text: 'it is [credential removed], visible' }])
    await exchange('/echo', { wsUrl: `${backend.url.replace('127.0.0.1', 'localhost')}/echo` })
    await call()
    expect(backend.seen.at(-1)?.headers.authorization).toBeUndefined()
  })

  it('that is persistent reports every frame as progress, and answers with the last [ct.8.13.ws-frames]', async () => {
    await exchange('/count', { persistent: true })
    const { result, progress } = await call({ n: 1 }, { _meta: { progressToken: 'p' } })
    expect(result.structuredContent).toEqual({ part: 'three', received: { n: 1 } })
    expect(progress).toMatchObject([
      { progress: 1, message: '{"part":"one","received":{"n":1}}' },
      { progress: 2 },
      { progress: 3 },
    ])
    await exchange('/count', { persistent: true, maxMessages: 2 })
    expect((await call()).result.structuredContent).toMatchObject({ part: 'two' })
    await exchange('/trickle', { persistent: true }, { timeoutMs: 300 })
    expect((await call()).result.content).toEqual([{ type: 'text', text: 'two' }])
  })

  it.each([
    ['a binary frame', '/binary', { kind: 'bad_response' }],
    ['no answer in time', '/mute', { kind: 'timeout' }],
    ['a close without an answer', '/leave', { kind: 'network' }],
    ['a broken connection', '/break', { kind: 'network' }],
    ['a handshake that is refused', '/refused', { kind: 'bad_response' }],
    ['a redirect', '/away', { kind: 'bad_response' }],
    ['a handshake that is wrong', '/bad-accept', { kind: 'bad_response' }],
    ['a message beyond the limit', '/flood', { kind: 'response_too_large' }],
  ])('fails on %s, and is not sent again [ct.5.13.retry-unsafe ct.8.13.ws-frames]', async (_what, path, failure) => {
    await exchange(path, {}, { timeoutMs: 300 })
    const { result } = await call({ n: 9 })
    expect(failureOf(result)).toMatchObject(failure)
    expect(backend.seen).toHaveLength(1)
  })

  it('is under the whole guard stack', async () => {
    await exchange('/echo')
    await gateway.admin(TOOL, { method: 'PATCH', body: { sensitive: true } })
    expect(refusalOf((await call()).result)).toMatchObject({ code: 'confirm_required' })
    await gateway.admin(TOOL, { method: 'PATCH', body: { sensitive: null } })
    expect(backend.seen).toEqual([])
  })
})
