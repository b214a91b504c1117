// A shop behind a real gateway: a loopback REST upstream that behaves as its paths say, and an agent that speaks raw MCP to it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { type Answer, aGateway, type Ends, type Env, type Gateway } from './gateway.fixture.ts'
import { aGatewayProcess, type GatewayProcess } from './gateway-process.fixture.ts'

export type Upstream = {
  readonly url: string
  /** `METHOD /path?query` of every request, in order of arrival. */
  readonly seen: string[]
  /** How many requests were cut off before they were answered. */
  readonly aborted: () => number
  /** Answers the next requests with this, until changed. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  readonly close: () => Promise<void>
}

/** 200 MiB of nothing, as it travels. */
const zeros = (): Buffer => gzipSync(Buffer.alloc(200 * 1024 * 1024))
let bomb: Buffer | undefined

const PATHS: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  '/ok': (_request, response) => void response.setHeader('content-type', 'application/json').end('{"ok":true}'),
  '/hang': () => undefined,
  '/drip': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  },
  '/half': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"half":')
    response.socket?.end()
  },
  '/reset': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"half":')
    setTimeout(() => response.socket?.resetAndDestroy(), 10)
  },
  '/garbage': (_request, response) => void response.socket?.end('this is no HTTP\r\n\r\n'),
  '/mislabelled': (_request, response) => void response.setHeader('content-type', 'application/json').end('<html>'),
  '/zeros': (_request, response) => {
    bomb ??= zeros()
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    response.end(bomb)
  },
  '/notfound': (_request, response) => void response.writeHead(404).end('nothing here'),
  '/broken': (_request, response) => void response.writeHead(500).end('broken'),
  '/away': (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
}

/** An upstream that goes with the test. */
export async function anUpstream(ends: Ends = onTestFinished): Promise<Upstream> {
  const upstream = await openUpstream()
  ends(upstream.close)
  return upstream
}

export async function openUpstream(): Promise<Upstream> {
  const seen: string[] = []
  let aborted = 0
  const upstream = { answer: undefined } as { answer: Upstream['answer'] }
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    response.on('close', () => {
      if (!response.writableFinished) aborted += 1
    })
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const known = upstream.answer ?? PATHS[path]
    if (known) known(request, response)
    else
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ id: 5, name: 'Rex', url: request.url }))
  })
  const { url, close } = await listening(server)
  return Object.assign(upstream, { url, seen, aborted: () => aborted, close })
}

const tool = (name: string, method: string, endpoint: string, properties: object = {}, required: string[] = []) => ({
  name,
  method,
  endpoint,
  description: `About ${name}`,
  inputSchema: { type: 'object', properties, required },
})

const id = { id: { type: 'integer' } }
const TOOLS = [
  tool('getPetById', 'GET', '/pets/:id', id, ['id']),
  tool('deletePet', 'DELETE', '/pets/:id', id, ['id']),
  tool('addPet', 'POST', '/pets', { name: { type: 'string' } }),
  ...Object.keys(PATHS).map((path) => tool(path.slice(1), 'GET', path)),
]

/** Limits that no scenario meets by accident, retries that do not make it wait. */
export const ROOMY: Env = {
  ALLOW_PRIVATE_IPS: 'true',
  RATE_LIMIT_MCP: '1000000',
  RATE_LIMIT_REGISTER: '1000000',
  RETRY_BASE_DELAY_MS: '1',
  CIRCUIT_BREAKER_FAILURE_THRESHOLD: '1000',
}

export async function aShopGateway(env: Env = {}, folder?: string): Promise<Gateway> {
  return aGateway({ ...ROOMY, ...env }, folder)
}

export async function aShopProcess(env: Env = {}, folder?: string, ends?: Ends): Promise<GatewayProcess> {
  return aGatewayProcess({ ...ROOMY, ...env }, folder, ends)
}

export async function register(gateway: Gateway, { url }: Upstream, name = 'petstore'): Promise<void> {
  const made = await gateway.admin('/register', { method: 'POST', body: { name, base_url: url, tools: TOOLS } })
  if (made.status !== 200) throw new Error(`Registering answered ${made.status}: ${made.text}`)
}

export async function configure(gateway: Gateway, name: string, patch: object): Promise<void> {
  const path = `/admin-api/clients/petstore/tools/${name}`
  const made = await gateway.admin(path, { method: 'PATCH', body: patch })
  if (made.status !== 200) throw new Error(`Configuring ${name} answered ${made.status}: ${made.text}`)
}

export async function disable(gateway: Gateway, enabled = false): Promise<void> {
  const made = await gateway.admin('/admin-api/clients/petstore', { method: 'PATCH', body: { enabled } })
  if (made.status !== 200) throw new Error(`Switching the backend answered ${made.status}: ${made.text}`)
}

type Shop<G extends Gateway> = { readonly gateway: G; readonly upstream: Upstream }

async function furnished<G extends Gateway>(starting: Promise<G>): Promise<Shop<G>> {
  const [gateway, upstream] = await Promise.all([starting, anUpstream()])
  await register(gateway, upstream)
  return { gateway, upstream }
}

export const aShop = (env: Env = {}): Promise<Shop<Gateway>> => furnished(aShopGateway(env))
export const aProcessShop = (env: Env = {}): Promise<Shop<GatewayProcess>> => furnished(aShopProcess(env))

export type Result = {
  readonly isError?: boolean
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly _meta: Record<string, Record<string, unknown> | undefined>
}

/** A POST of one JSON-RPC request to a shard. */
export function rpc(
  gateway: Gateway,
  method: string,
  params: object = {},
  { path = '/mcp/petstore', headers = {}, id: given = 1 }: { path?: string; headers?: Env; id?: number | string } = {},
): Promise<Answer> {
  return gateway.ask(path, { method: 'POST', headers, body: { jsonrpc: '2.0', id: given, method, params } })
}

/** The result of one call, sessionless. */
export async function call(gateway: Gateway, name: string, args: object = {}, path = '/mcp/petstore'): Promise<Result> {
  const { json, text } = await rpc(gateway, 'tools/call', { name, arguments: args }, { path })
  if (typeof json !== 'object' || json === null || !('result' in json)) throw new Error(`No result: ${text}`)
  return json.result as Result // the shape a test expects is what it then looks at
}

export const failureOf = ({ _meta }: Result): Record<string, unknown> => _meta['gantry/failure'] ?? {}
export const refusalOf = ({ structuredContent }: Result): Record<string, unknown> => structuredContent ?? {}

/** A session in use for as long as the test runs: it holds its stream open. */
export async function openStreaming(gateway: Gateway, path = '/mcp/petstore'): Promise<Env> {
  const session = await openSession(gateway, '2025-11-25', path)
  const left = new AbortController()
  onTestFinished(() => left.abort())
  const { status } = await fetch(gateway.url + path, {
    headers: { accept: 'text/event-stream', ...session },
    signal: left.signal,
  })
  if (status !== 200) throw new Error(`No stream: ${status}`)
  return session
}

export async function openSession(
  gateway: Gateway,
  revision = '2025-11-25',
  path = '/mcp/petstore',
  headers: Env = {},
): Promise<Env> {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'agent', version: '1' } }
  const { headers: reply, text } = await rpc(gateway, 'initialize', params, { path, headers })
  const session = reply.get('mcp-session-id')
  if (session === null) throw new Error(`No session: ${text}`)
  return { 'mcp-session-id': session }
}
