// How many subscriptions a principal or a session has, also where all of them are asked for at the same moment.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { type Gateway, startGateway } from './gateway.fixture.ts'
import { aSession, aStateless } from './transparent.fixture.ts'

const CAPABILITIES = { tools: {}, resources: { subscribe: true, listChanged: true } }
const PAUSE_MS = 20
type Asked = { readonly id?: number; readonly method?: string; readonly params?: { readonly uri?: string } }

let upstream: UpstreamServer
let gateway: Gateway
const subscribed = new Set<string>()
beforeAll(async () => {
  upstream = await startServer(({ method, body }, response) => {
    const { id, method: asked, params } = JSON.parse(body === '' ? '{}' : body) as Asked // what the gateway wrote
    if (method !== 'POST' || id === undefined) return response.writeHead(method === 'POST' ? 202 : 405).end()
    if (asked === 'resources/subscribe') subscribed.add(params?.uri ?? '')
    const started = {
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'u', version: '1' },
      capabilities: CAPABILITIES,
    }
    const tools = { tools: [{ name: 'a', inputSchema: { type: 'object' } }] }
    const result = asked === 'initialize' ? started : asked === 'tools/list' ? tools : {}
    return setTimeout(() => answerJson(response, { jsonrpc: '2.0', id, result }), PAUSE_MS)
  })
  gateway = await startGateway(ROOMY)
  await registerUpstream(gateway, 'up', `${upstream.url}/mcp`)
})
afterAll(async () => {
  await gateway.end()
  await upstream.close()
})

const tally = (values: readonly (number | string)[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(values, String)].map(([value, all]) => [value, all.length]))

it('opens 32 streams for one principal that asks for 100 at once, and refuses the others', async () => {
  const client = aStateless(gateway)
  const wanted = { notifications: { toolsListChanged: true, resourceSubscriptions: ['test://one'] } }
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async () => (await client.send('subscriptions/listen', wanted, abort.signal)).status),
  )
  expect(tally(statuses)).toEqual({ 200: 32, 503: 68 })
})

it('keeps 256 subscriptions of a session that asks for 400 at once, and those that end make room', async () => {
  const client = await aSession(gateway)
  const ask = async (uri: string, method = 'resources/subscribe') => {
    const { answer } = await client.ask(method, { uri })
    return answer.error === undefined ? 'ok' : answer.error.message
  }
  const most = 'A session has at most 256 subscriptions'
  subscribed.clear()
  const answers = await Promise.all(Array.from({ length: 400 }, (_, at) => ask(`test://${at}`)))
  expect(tally(answers)).toEqual({ ok: 256, [most]: 144 })
  subscribed.delete('test://one')
  expect(subscribed.size).toBe(256)
  expect([await ask('test://more'), await ask('test://0')]).toEqual([most, 'ok'])
  await ask('test://0', 'resources/unsubscribe')
  expect(await ask('test://more')).toBe('ok')
})
