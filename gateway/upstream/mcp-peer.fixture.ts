// A real MCP upstream for tests: raw JSON-RPC over node:http, of either era, as well-behaved or as hostile as a test wants.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening } from '../net/listening.fixture.ts'

type Json = Record<string, unknown>
export type PeerRequest = {
  readonly httpMethod: string
  readonly headers: IncomingMessage['headers']
  readonly method: string
  readonly id: string | number | undefined
  readonly params: Json
  readonly response: ServerResponse
  /** Sends the answer the way this upstream does: JSON, or events with notifications first. */
  readonly answer: (message: Json, before?: readonly Json[]) => Promise<void>
}

export type PeerOptions = {
  readonly era?: 'modern' | 'legacy' | 'both'
  readonly as?: 'json' | 'sse'
  /** Cuts what is sent as events into pieces of this size. */
  readonly splitBytes?: number
  /** Legacy without `Mcp-Session-Id`. */
  readonly stateless?: boolean
  readonly revision?: string
  readonly listChanged?: boolean
  /** With resources, prompts, completion and logging. */
  readonly besideTools?: boolean
  readonly tools?: readonly Json[]
  readonly pageSize?: number
  /** Answers 401 to everything without it. */
  readonly bearer?: string
  /** Takes a request over. */
  readonly intercept?: (request: PeerRequest) => boolean | undefined
}

export type McpPeer = {
  readonly url: string
  readonly seen: readonly PeerRequest[]
  /** Requests whose connection was closed before they were answered. */
  readonly abandoned: readonly string[]
  readonly connections: () => number
  readonly sessions: ReadonlySet<string>
  readonly streams: () => number
  count(method: string): number
  forgetSessions(): void
  become(options: PeerOptions): void
  changeTools(tools: readonly Json[]): void
  /** Ends the streams that tell of changes. */
  endStreams(): void
  close(): Promise<void>
}

const MODERN = '2026-07-28'
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId'

export const PEER_TOOLS: readonly Json[] = [
  'echo',
  'slow',
  'progress',
  'fail',
  'fault',
  'extras',
  'reflect',
  'ask',
].map((name) => ({
  name,
  description: `The tool ${name}`,
  inputSchema: { type: 'object' },
  vendorField: { kept: name },
}))

const BESIDE_TOOLS: Readonly<Record<string, Json>> = {
  'resources/list': { resources: [{ uri: 'peer://notes', name: 'notes' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'peer://{name}', name: 'any' }] },
  'resources/read': { contents: [{ uri: 'peer://notes', mimeType: 'text/plain', text: 'what was noted' }] },
  'resources/subscribe': {},
  'resources/unsubscribe': {},
  'prompts/list': { prompts: [{ name: 'greet' }] },
  'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'Say hello' } }] },
  'completion/complete': { completion: { values: ['one'] } },
  'logging/setLevel': {},
}

const rpc = (id: PeerRequest['id'], result: unknown): Json => ({ jsonrpc: '2.0', id, result })
const fault = (id: PeerRequest['id'] | null, code: number, message: string, data?: unknown): Json => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
})
const notice = (method: string, params: Json = {}): Json => ({ jsonrpc: '2.0', method, params })
const text = (value: string): Json => ({ content: [{ type: 'text', text: value }] })
const record = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})

export async function startMcpPeer(given: PeerOptions = {}): Promise<McpPeer> {
  let options = given
  let tools = given.tools ?? PEER_TOOLS
  const seen: PeerRequest[] = []
  const abandoned: string[] = []
  const sessions = new Set<string>()
  const streams = new Map<ServerResponse, { subscription?: string | number }>()
  const answers = new Map<string | number, (message: Json) => void>()
  let connections = 0
  let asked = 0

  const json = (response: ServerResponse, status: number, body: Json, headers: Record<string, string> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

  async function events(response: ServerResponse, messages: readonly Json[]): Promise<void> {
    const whole = Buffer.from(messages.map((each) => `event: message\ndata: ${JSON.stringify(each)}\n\n`).join(''))
    const size = options.splitBytes ?? whole.length
    for (let at = 0; at < whole.length; at += size) {
      response.write(whole.subarray(at, at + size))
      if (size < whole.length) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  function openEvents(response: ServerResponse): void {
    if (response.headersSent) return
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
  }

  /** Undefined: it was answered otherwise. */
  async function called({
    params,
    id,
    headers,
    response,
  }: PeerRequest): Promise<{ message: Json; before?: Json[] } | undefined> {
    const args = record(params.arguments)
    const token = record(params._meta).progressToken
    switch (params.name) {
      case 'echo':
        if (typeof args.ms === 'number') await new Promise((resolve) => setTimeout(resolve, Number(args.ms)))
        return { message: rpc(id, { ...text(JSON.stringify(args)), structuredContent: args }) }
      case 'slow':
        await new Promise((resolve) => setTimeout(resolve, typeof args.ms === 'number' ? args.ms : 60_000).unref())
        return { message: rpc(id, text('late')) }
      case 'progress':
        return {
          message: rpc(id, text('done')),
          before: [1, 2, 3].map((progress) =>
            notice('notifications/progress', { progressToken: token, progress, total: 3, message: `step ${progress}` }),
          ),
        }
      case 'fail':
        return { message: rpc(id, { ...text('it broke'), isError: true, vendorField: 1 }) }
      case 'fault':
        return { message: fault(id, Number(args.code), 'no good', { why: 'changed' }) }
      case 'extras':
        return {
          message: rpc(id, {
            content: [
              { type: 'hologram', shape: { deep: [1] } },
              { type: 'text', text: 'plain', note: 'kept' },
            ],
            futureField: { a: 1 },
            _meta: { 'vendor/x': true },
          }),
        }
      case 'reflect':
        return { message: rpc(id, text(JSON.stringify(headers))) }
      case 'ask': {
        asked += 1
        const question = `q${asked}`
        const received = new Promise<Json>((resolve) => answers.set(question, resolve))
        openEvents(response)
        await events(response, [
          { jsonrpc: '2.0', id: question, method: 'sampling/createMessage', params: { maxTokens: 1 } },
        ])
        return { message: rpc(id, text(JSON.stringify(await received))) }
      }
      default:
        return { message: fault(id, -32_602, `Unknown tool: ${String(params.name)}`) }
    }
  }

  function listed({ id, params }: PeerRequest): Json {
    const size = options.pageSize ?? tools.length
    const from = params.cursor === undefined ? 0 : Number(params.cursor)
    const next = from + size < tools.length ? { nextCursor: String(from + size) } : {}
    return rpc(id, { tools: tools.slice(from, from + size), ...next })
  }

  const capabilities = (): Json => ({
    tools: { listChanged: options.listChanged ?? false },
    ...(options.besideTools && { resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} }),
  })

  async function common(request: PeerRequest): Promise<void> {
    const { method, id } = request
    if (method === 'tools/list') await request.answer(listed(request))
    else if (method === 'tools/call') {
      const done = await called(request)
      if (done) await request.answer(done.message, done.before)
    } else if (method === 'ping') await request.answer(rpc(id, {}))
    else if (options.besideTools && BESIDE_TOOLS[method]) await request.answer(rpc(id, BESIDE_TOOLS[method]))
    else json(request.response, 200, fault(id, -32_601, `Unknown method ${method}`))
  }

  async function modern(request: PeerRequest): Promise<void> {
    const { method, id, headers, params, response } = request
    const mismatch = headers['mcp-protocol-version'] !== MODERN || headers['mcp-method'] !== method
    const misnamed = method === 'tools/call' && headers['mcp-name'] !== params.name
    if (mismatch || misnamed) return json(response, 400, fault(id, -32_020, 'Header mismatch'))
    if (method === 'server/discover') {
      const about = { 'io.modelcontextprotocol/serverInfo': { name: 'peer', version: '1' } }
      const facts = { supportedVersions: [MODERN], capabilities: capabilities(), ttlMs: 0, cacheScope: 'public' }
      return request.answer(rpc(id, { resultType: 'complete', ...facts, _meta: about }))
    }
    if (method === 'subscriptions/listen') {
      openEvents(response)
      const _meta = { [SUBSCRIPTION_KEY]: id }
      streams.set(response, id === undefined ? {} : { subscription: id })
      response.on('close', () => streams.delete(response))
      return events(response, [
        notice('notifications/subscriptions/acknowledged', { _meta, notifications: { toolsListChanged: true } }),
      ])
    }
    if (method === 'ping' || method === 'initialize') return json(response, 404, fault(id, -32_601, 'Unknown method'))
    return common(request)
  }

  async function legacy(request: PeerRequest): Promise<void> {
    const { method, id, headers, params, response } = request
    if (method === 'initialize') {
      const session = randomUUID()
      if (!options.stateless) sessions.add(session)
      const result = {
        protocolVersion: options.revision ?? '2025-11-25',
        capabilities: capabilities(),
        serverInfo: { name: 'peer', version: '1' },
      }
      if (!options.stateless) response.setHeader('mcp-session-id', session)
      return request.answer(rpc(id, { ...result, asked: params.protocolVersion }))
    }
    const session = headers['mcp-session-id']
    if (!options.stateless && session === undefined)
      return json(response, 400, fault(null, -32_000, 'Bad Request: Server not initialized'))
    if (!options.stateless && !sessions.has(String(session)))
      return json(response, 404, fault(null, -32_001, 'Session not found'))
    if (id === undefined) {
      response.writeHead(202).end()
      return
    }
    return common(request)
  }

  async function handle(httpRequest: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of httpRequest) chunks.push(chunk as Buffer)
    const body = chunks.length > 0 ? record(JSON.parse(Buffer.concat(chunks).toString())) : {}
    const { headers } = httpRequest
    const params = record(body.params)
    const method = typeof body.method === 'string' ? body.method : ''
    const request: PeerRequest = {
      httpMethod: httpRequest.method ?? '',
      headers,
      method,
      id: body.id as PeerRequest['id'],
      params,
      response,
      async answer(message, before = []) {
        if (response.destroyed) return
        if (options.as !== 'sse' && before.length === 0 && !response.headersSent) return json(response, 200, message)
        openEvents(response)
        await events(response, [...before, message])
        response.end()
      },
    }
    seen.push(request)
    response.on('close', () => {
      if (!response.writableFinished) abandoned.push(method || request.httpMethod)
    })
    if (options.bearer !== undefined && headers.authorization !== `Bearer ${options.bearer}`)
      return json(response, 401, { error: 'no' })
    if (options.intercept?.(request)) return
    if (httpRequest.method === 'DELETE') {
      sessions.delete(String(headers['mcp-session-id']))
      response.writeHead(200).end()
    } else if (httpRequest.method === 'GET') {
      if (options.era === 'modern' || options.stateless) return void response.writeHead(405).end()
      if (!sessions.has(String(headers['mcp-session-id'])))
        return json(response, 404, fault(null, -32_001, 'Session not found'))
      openEvents(response)
      response.write(': open\n\n')
      streams.set(response, {})
      response.on('close', () => streams.delete(response))
    } else if (method === '' && body.id !== undefined) {
      answers.get(body.id as string)?.(body)
      response.writeHead(202).end()
    } else {
      const isModern = record(params._meta)[VERSION_KEY] === MODERN
      const era = options.era ?? 'legacy'
      if (isModern && era === 'legacy')
        return json(response, 400, fault(null, -32_000, 'Bad Request: Unsupported protocol version'))
      if (!isModern && era === 'modern')
        return json(response, 400, fault(request.id, -32_022, 'Unsupported', { supported: [MODERN] }))
      await (isModern ? modern(request) : legacy(request))
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.on('connection', () => (connections += 1))
  const { url, close } = await listening(server)

  return {
    url: `${url}/mcp`,
    seen,
    abandoned,
    connections: () => connections,
    sessions,
    streams: () => streams.size,
    count: (method) => seen.filter((each) => each.method === method).length,
    forgetSessions: () => sessions.clear(),
    become(next) {
      options = next
      sessions.clear()
    },
    changeTools(next) {
      tools = next
      for (const [response, { subscription }] of streams) {
        const params = subscription === undefined ? {} : { _meta: { [SUBSCRIPTION_KEY]: subscription } }
        void events(response, [notice('notifications/tools/list_changed', params)])
      }
    },
    endStreams() {
      for (const response of streams.keys()) response.end()
      streams.clear()
    },
    close,
  }
}
