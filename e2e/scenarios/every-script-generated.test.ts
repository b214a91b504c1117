// Generated texts of every script through every kind of backend: as an argument, as a result, as a key, as a resource. What arrives is what was sent.
import { buildSchema, graphql } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { openWsBackend, type WsBackend } from '../../gateway/sockets/ws-backend.fixture.ts'
import { type McpPeer, type PeerOptions, startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { type McpSdkPeer, startMcpSdkPeer } from '../../gateway/upstream/mcp-sdk-peer.fixture.ts'
import { compositeInABundle, step } from './composites.fixture.ts'
import { call, ROOMY, rpc } from './data-plane.fixture.ts'
import { type Gateway, startGateway } from './gateway.fixture.ts'
import { asAgent, PCG_ENV } from './pcg.fixture.ts'
import { registered } from './registration.fixture.ts'
import { BLOCKS, BLOCKS_OF_TEXT, type Script, SEEDS, scripts } from './scripts.fixture.ts'

const TEXTS: readonly Script[] = SEEDS.flatMap(scripts)
const ERAS: Readonly<Record<string, PeerOptions>> = {
  modern: { era: 'modern', as: 'json' },
  'modern-events': { era: 'modern', as: 'sse', splitBytes: 7 },
  stateful: { era: 'legacy', as: 'json' },
  stateless: { era: 'legacy', as: 'sse', stateless: true },
}
const RESOURCE = 'ui://page'

let gateway: Gateway
let rest: UpstreamServer
let graph: UpstreamServer
let sockets: WsBackend
let sdk: McpSdkPeer
const peers = new Map<string, McpPeer>()
let composite = { name: '', bundle: '' }
let graphPath = ''
let node = ''
/** What the backend received last. */
let received: unknown
/** What an upstream has to say next. */
let page = ''

const answerRead: PeerOptions['intercept'] = ({ method, id, answer, params }) => {
  if (method === 'tools/call') received = (params.arguments as { text: unknown }).text // as it is called below
  if (method !== 'resources/read') return undefined
  const result = { resultType: 'complete', contents: [{ uri: RESOURCE, mimeType: 'text/html', text: page }] }
  void answer({ jsonrpc: '2.0', id, result })
  return true
}

beforeAll(async () => {
  const schema = buildSchema('type Query { say(text: String!): String }')
  const root = { say: ({ text }: { text: string }) => ((received = text), text) }
  ;[gateway, rest, graph, sockets, sdk] = await Promise.all([
    startGateway({ ...ROOMY, ...PCG_ENV }),
    startServer(({ body, url }, response) => {
      const { text } = JSON.parse(body) as { text: string } // the schema of the tool
      received = text
      if (url === '/json') answerJson(response, { [text]: text, list: [text] })
      else if (url === '/events')
        response.setHeader('content-type', 'text/event-stream').end(`data: ${JSON.stringify({ text })}\n\n`)
      else response.setHeader('content-type', 'text/plain; charset=utf-8').end(text)
    }),
    startServer(({ body }, response) => {
      const { query, variables } = JSON.parse(body) as { query: string; variables?: Record<string, unknown> } // GraphQL
      const asked = graphql({ schema, source: query, rootValue: root, variableValues: variables ?? {} })
      void asked.then((answer) => answerJson(response, answer))
    }),
    openWsBackend(),
    startMcpSdkPeer('sse'),
  ])
  const tool = {
    description: 'd',
    method: 'POST',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  }
  const tools = ['json', 'text', 'events', 'socket'].map((name) => ({ ...tool, name, endpoint: `/${name}` }))
  await registered(gateway, { name: 'rest', base_url: rest.url, tools })
  await registered(gateway, { name: 'graph', graphql_url: graph.url })
  await registered(gateway, { name: 'sse', mcp_url: sdk.url, mcp_transport: 'sse' })
  for (const [name, options] of Object.entries(ERAS)) {
    const peer = await startMcpPeer({ ...options, besideTools: true, intercept: answerRead })
    peers.set(name, peer)
    await registered(gateway, { name, mcp_url: peer.url })
  }
  for (const [name, config] of Object.entries({
    events: { streaming: { format: 'sse' } },
    socket: { ws: { wsUrl: `${sockets.url}/echo`, maxMessages: 1 } },
  })) {
    const set = await gateway.admin(`/admin-api/clients/rest/tools/${name}`, { method: 'PATCH', body: config })
    expect(set.status, set.text).toBe(200)
  }
  composite = await compositeInABundle(gateway, {
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    steps: [step('rest', 'json', { text: { $ref: 'input.text' } })],
  })
  graphPath = String((await asAgent(gateway, 'create_pcg_graph', { name: 'Scripts' })).asset_path)
  const added = { pcg_graph_path: graphPath, node_type: 'PCGAddTagSettings' }
  node = String((await asAgent(gateway, 'add_pcg_node', added)).node_name)
})
afterAll(async () => {
  await Promise.all([gateway.end(), rest.close(), graph.close(), sockets.close(), sdk.close()])
  for (const peer of peers.values()) await peer.close()
})

/** All texts of a result; JSON in a text is opened. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') {
    try {
      const inner: unknown = JSON.parse(value)
      return typeof inner === 'object' ? [value, ...textsOf(inner)] : [value]
    } catch {
      return [value]
    }
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

type Way = (text: string) => Promise<readonly string[]>
const through =
  (client: string, tool: string): Way =>
  async (text) => {
    const result = await call(gateway, tool, { text }, client.startsWith('/') ? client : `/mcp/${client}`)
    expect(result.isError, result.content[0]?.text?.slice(0, 200)).toBeUndefined()
    return textsOf([result.content, result.structuredContent])
  }
const editor: Way = async (text) => {
  const at = { pcg_graph_path: graphPath, node_name: node }
  await asAgent(gateway, 'set_pcg_node_properties', { ...at, properties: { Prefix: text } })
  received = text
  return textsOf(await asAgent(gateway, 'get_pcg_node_properties', at))
}
const WAYS: Readonly<Record<string, Way>> = {
  'REST, JSON': through('rest', 'json'),
  'REST, text': through('rest', 'text'),
  'REST, events': through('rest', 'events'),
  WebSocket: async (text) => {
    const texts = await through('rest', 'socket')(text)
    const { received: messages } = sockets
    received = (JSON.parse(messages.at(-1) ?? '{}') as { text?: unknown }).text // as the tool sends it
    return texts
  },
  GraphQL: through('graph', 'say'),
  ...Object.fromEntries(Object.keys(ERAS).map((name) => [`MCP, ${name}`, through(name, 'echo')])),
  'MCP, HTTP with SSE': async (text) => {
    const texts = await through('sse', 'echo')(text)
    // The server of the SDK repeats what it received.
    received = texts.includes(text) ? text : undefined
    return texts
  },
  'a composite': (text) => through(`/mcp-custom/${composite.bundle}`, composite.name)(text),
  'a PCG editor': editor,
}

it('has texts of all blocks and all sequences', () => {
  expect(BLOCKS.length).toBeGreaterThan(1_000)
  expect(TEXTS.length).toBe(SEEDS.length * (Math.ceil(BLOCKS.length / BLOCKS_OF_TEXT) + 15))
  // A text that none of the forms of normalisation leaves as it is.
  for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'])
    expect(TEXTS.filter(({ text }) => text !== text.normalize(form)).length).toBeGreaterThan(10)
})

describe.each(Object.entries(WAYS))('%s', (_name, way) => {
  it('keeps every text, in both directions [ct.0.10.results]', async () => {
    for (const { what, text } of TEXTS) {
      received = undefined
      const texts = await way(text)
      expect([what, received === text, texts.includes(text)]).toEqual([what, true, true])
    }
  })
})

it('keys of a result are kept [ct.0.10.keys]', async () => {
  for (const { what, text } of TEXTS) {
    const { structuredContent } = await call(gateway, 'json', { text }, '/mcp/rest')
    expect([what, Object.keys(structuredContent ?? {})[0] === text]).toEqual([what, true])
  }
})

it.each(Object.keys(ERAS))(
  'resources of an upstream (%s) are kept, the page of an app too [ct.0.10.resources]',
  async (name) => {
    for (const { what, text } of TEXTS) {
      page = text
      const { json } = await rpc(gateway, 'resources/read', { uri: RESOURCE }, { path: `/mcp/${name}` })
      const { result } = json as { result?: { contents?: { text: string }[] } } // JSON-RPC
      expect([what, result?.contents?.[0]?.text === text]).toEqual([what, true])
    }
  },
)
