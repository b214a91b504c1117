// A shop whose answers have to be shaped: lists without an end, streams that never end, a slow tool, and a model to summarize them.
import type { ServerResponse } from 'node:http'
import {
  type Answering,
  answerJson,
  startServer,
  type UpstreamServer,
} from '../../gateway/registry/upstream-server.fixture.ts'
import { type McpPeer, startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import type { Env, Gateway } from './gateway.fixture.ts'
import { registered, startGraphql, startNear } from './registration.fixture.ts'

export type Shaping = {
  readonly gateway: Gateway
  readonly shop: UpstreamServer
  readonly graphql: UpstreamServer
  readonly peer: McpPeer
  readonly model: UpstreamServer
  /** Streams that have not been cut off yet. */
  readonly open: ReadonlySet<ServerResponse>
  /** Ends the calls of the slow tool, the oldest first. */
  readonly waiting: (() => void)[]
  /** What the model says; undefined lets it think for ever. */
  summary: string | undefined
  end(): Promise<unknown>
}

const answering =
  (open: Set<ServerResponse>, waiting: (() => void)[]): Answering =>
  ({ url, body }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    switch (pathname) {
      case '/echo':
        return answerJson(response, { url, body: body === '' ? null : (JSON.parse(body) as unknown), pin: '1234' })
      case '/list': {
        const at = Number(searchParams.get('after') ?? 0)
        return answerJson(response, { items: [{ id: at, pin: at }], next: at + 1 })
      }
      case '/events':
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: {"id":1,"pin":2}\n\ndata: {"id":2}\n\n')
        if (searchParams.has('end')) return response.end('data: [DONE]\n\n')
        open.add(response)
        return response.on('close', () => open.delete(response))
      case '/slow':
        return void waiting.push(() => answerJson(response, { late: true }))
      default:
        return answerJson(response, { error: 'no such page', pin: '1234' }, 404)
    }
  }

const tool = (name: string, method: string, properties: object = {}) => ({
  name,
  method,
  endpoint: `/${name}`,
  description: `About ${name}`,
  inputSchema: { type: 'object', properties },
})
const TOOLS = [
  tool('echo', 'POST', { name: { type: 'string' }, size: { type: 'integer', default: 3 } }),
  tool('list', 'GET', { limit: { type: 'integer' } }),
  tool('events', 'GET', { end: { type: 'boolean' } }),
  tool('slow', 'GET'),
  tool('nothing', 'GET'),
]

export async function startShaping(env: Env = {}): Promise<Shaping> {
  const [open, waiting] = [new Set<ServerResponse>(), [] as (() => void)[]]
  let summary: string | undefined
  const [gateway, shop, graphql, peer, model] = await Promise.all([
    startNear({ ...ROOMY, RETRY_MAX_ATTEMPTS: '0', ...env }),
    startServer(answering(open, waiting)),
    startGraphql(),
    startMcpPeer({ era: 'legacy' }),
    startServer((_hit, response) => {
      if (summary !== undefined) answerJson(response, { choices: [{ message: { content: summary } }] })
    }),
  ])
  await registered(gateway, { name: 'shop', base_url: shop.url, tools: TOOLS })
  await registered(gateway, { name: 'graph', graphql_url: graphql.url })
  await registered(gateway, { name: 'peer', kind: 'mcp', mcp_url: peer.url })
  return {
    gateway,
    shop,
    graphql,
    peer,
    model,
    open,
    waiting,
    get summary() {
      return summary
    },
    set summary(text) {
      summary = text
    },
    end: () => Promise.all([gateway.end(), ...[shop, graphql, peer, model].map((server) => server.close())]),
  }
}
