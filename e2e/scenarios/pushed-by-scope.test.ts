// What an upstream pushes to clients, by what the key of each client reaches: on the stream of a session, beside an answer, on a subscription.
import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { bearer, change, mint } from './access.fixture.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { type Gateway, startGateway } from './gateway.fixture.ts'
import { NEAR } from './registration.fixture.ts'
import { aSession, aStateless, type Message } from './transparent.fixture.ts'

type Json = Record<string, unknown>

const URI = 'test://secret'
/** One of each kind that an upstream can send without being asked. */
const PUSHES: readonly Json[] = [
  { method: 'notifications/message', params: { level: 'error', data: 'pushed log' } },
  { method: 'notifications/resources/updated', params: { uri: URI } },
  { method: 'notifications/resources/list_changed' },
  { method: 'notifications/prompts/list_changed' },
  { method: 'notifications/vendor/news', params: { text: 'pushed news' } },
  { id: 'p1', method: 'sampling/createMessage', params: { maxTokens: 1, messages: [] } },
  { id: 'p2', method: 'roots/list' },
  {
    id: 'p3',
    method: 'elicitation/create',
    params: { message: 'pushed', requestedSchema: { type: 'object', properties: {} } },
  },
]
const CAPABILITIES = { sampling: {}, roots: { listChanged: true }, elicitation: { form: {} } }

/** A legacy MCP server whose streams a test writes to; `tell` sends the pushes beside its answer. */
function anUpstream() {
  const streams = new Set<ServerResponse>()
  const write = (response: ServerResponse, message: Json): void =>
    void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
  const open = (response: ServerResponse): void => void response.writeHead(200, { 'content-type': 'text/event-stream' })
  const resultOf = ({ method, params }: Json): Json => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: '2025-11-25',
          serverInfo: { name: 'pusher', version: '1' },
          capabilities: {
            tools: { listChanged: true },
            prompts: { listChanged: true },
            resources: { subscribe: true, listChanged: true },
            logging: {},
          },
        }
      case 'tools/list':
        return { tools: ['tell', 'other'].map((name) => ({ name, inputSchema: { type: 'object' } })) }
      case 'tools/call':
        return { content: [{ type: 'text', text: String((params as Json).name) }] }
      default:
        return {}
    }
  }
  let sessions = 0
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      open(response)
      response.write(': open\n\n')
      streams.add(response)
      response.on('close', () => streams.delete(response))
      return
    }
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      const message = (body === '' ? {} : JSON.parse(body)) as Json // JSON-RPC, which the gateway wrote
      if (message.method === undefined || message.id === undefined) return void response.writeHead(202).end()
      const answer = { id: message.id, result: resultOf(message) }
      if (message.method === 'initialize') response.setHeader('mcp-session-id', `s${(sessions += 1)}`)
      if (message.method !== 'tools/call' || (message.params as Json).name !== 'tell') {
        response.writeHead(200, { 'content-type': 'application/json' })
        return void response.end(JSON.stringify({ jsonrpc: '2.0', ...answer }))
      }
      open(response)
      for (const push of PUSHES) if (!('id' in push)) write(response, push)
      write(response, answer)
      response.end()
    })
  })
  return {
    server,
    streams: () => streams.size,
    push(): void {
      for (const stream of streams) for (const push of PUSHES) write(stream, push)
    },
  }
}

const upstream = anUpstream()
let gateway: Gateway
const keys: Record<string, Awaited<ReturnType<typeof mint>>> = {}
beforeAll(async () => {
  const { url } = await listening(upstream.server)
  gateway = await startGateway({ ...NEAR, OPENAPI_DISCOVERY_TIMEOUT_MS: '60000' })
  await registerUpstream(gateway, 'up', `${url}/mcp`)
  for (const [who, given] of Object.entries({
    'of everything': {},
    'of the backend': { scopes: { clients: ['up'] } },
    'of one tool': { scopes: { tools: ['up__tell'] } },
    'that allows one tool': { allowedTools: ['up__tell'] },
    'of another backend': { scopes: { clients: ['elsewhere'] } },
  }))
    keys[who] = await mint(gateway, given)
})
afterAll(async () => {
  await gateway.end()
  upstream.server.closeAllConnections()
  await new Promise((resolve) => upstream.server.close(resolve))
})

const headersOf = (who: string): Record<string, string> => bearer(keys[who]?.key ?? '')
const FULL = ['of everything', 'of the backend']
const NARROW = ['of one tool', 'that allows one tool', 'of another backend']

/** Everything that arrives on a stream, as long as it is open. */
function collected(messages: AsyncGenerator<Message>): { readonly got: string[]; readonly ended: Promise<void> } {
  const got: string[] = []
  const ended = (async () => {
    for await (const { method } of messages) if (method !== undefined) got.push(method)
  })().catch(() => undefined)
  return { got, ended }
}
const methods = PUSHES.map(({ method }) => String(method))
/** Kinds that the gateway itself sends every client of a surface, at most once a second. */
const counted = (got: readonly string[]): string[] => [...new Set(got)].sort()

/** Pushes until a client that may receive everything has received it. */
async function pushed(witness: readonly string[]): Promise<void> {
  const hasListeners = (): boolean => counted(witness).length === counted(methods).length
  await expect.poll(() => hasListeners() || (upstream.push(), false), { timeout: 20_000, interval: 250 }).toBe(true)
}

/** The gateway's own watch of the lists is a stream as well. */
async function streamsAre(more: number, work: () => Promise<unknown>): Promise<void> {
  const before = upstream.streams()
  await work()
  await expect.poll(upstream.streams, { timeout: 20_000 }).toBe(before + more)
}

describe('the stream of a session', () => {
  it.each(FULL)('of a key %s carries every kind of push', async (who) => {
    const client = await aSession(gateway, CAPABILITIES, { headers: headersOf(who) })
    let got: string[] = []
    await streamsAre(1, async () => {
      got = collected(await client.listen()).got
    })
    upstream.push()
    await expect.poll(() => counted(got), { timeout: 20_000 }).toEqual(counted(methods))
  })

  it.each(NARROW)('of a key %s carries none, and its client is asked nothing', async (who) => {
    // A full client beside it shows that the push arrived.
    const [witness, client] = [
      await aSession(gateway, CAPABILITIES, { headers: headersOf('of everything') }),
      await aSession(gateway, CAPABILITIES, { headers: headersOf(who) }),
    ]
    const seen = collected(await witness.listen()).got
    const got = collected(await client.listen()).got
    await client.ask('tools/call', { name: 'tell' })
    await pushed(seen)
    expect(got.filter((method) => method !== 'notifications/tools/list_changed')).toEqual([])
  })

  it('ends when its key is narrowed, and the next one carries nothing', async () => {
    const key = await mint(gateway)
    const client = await aSession(gateway, CAPABILITIES, { headers: bearer(key.key) })
    const { ended } = collected(await client.listen())
    expect((await change(gateway, key, { scopes: { tools: ['up__tell'] } })).status).toBe(200)
    await ended
    const { got } = collected(await client.listen())
    const witness = await aSession(gateway, CAPABILITIES, { headers: headersOf('of everything') })
    const seen = collected(await witness.listen()).got
    await pushed(seen)
    expect(got.filter((method) => method !== 'notifications/tools/list_changed')).toEqual([])
  })
})

describe('beside the answer to a call', () => {
  const own = ['notifications/message', 'notifications/vendor/news']
  const beside = ['resources/updated', 'resources/list_changed', 'prompts/list_changed'].map(
    (each) => `notifications/${each}`,
  )

  it.each([...FULL, ...NARROW.slice(0, 2)])('of a key %s comes what belongs to the call', async (who) => {
    const client = await aSession(gateway, {}, { headers: headersOf(who) })
    const { before, answer } = await client.ask('tools/call', { name: 'tell' })
    expect(answer.result).toMatchObject({ content: [{ text: 'tell' }] })
    expect(counted(before.map(({ method }) => method ?? ''))).toEqual(
      counted(FULL.includes(who) ? [...own, ...beside] : own),
    )
  })
})

describe('a subscription of the era without sessions', () => {
  const wanted = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: [URI],
  }
  it.each([...FULL, ...NARROW])('of a key %s is to what the key reaches', async (who) => {
    const client = aStateless(gateway, {}, { headers: headersOf(who) })
    const abort = new AbortController()
    const response = await client.send('subscriptions/listen', { notifications: wanted }, abort.signal)
    const text = new TextDecoder().decode((await response.body?.getReader().read())?.value)
    abort.abort()
    expect(/"notifications":(\{.*?\})/.exec(text)?.[1]).toBe(
      JSON.stringify(FULL.includes(who) ? wanted : { toolsListChanged: true }),
    )
  })
})
