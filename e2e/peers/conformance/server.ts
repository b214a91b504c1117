// A real MCP server of both eras over node:http, with what the conformance suites expect to find: written after their descriptions.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening } from '../../../gateway/net/listening.fixture.ts'
import { createCatalogue, getPrompt, RESOURCES, readResource, TEMPLATES } from './catalogue.ts'
import { type Context, Fault, InputRequired, isRecord, type Json, recordOf } from './context.ts'
import { createResumable, RECONNECTION, RECONNECTION_TOOL } from './resumable.ts'

type Id = string | number
type PeerSession = {
  readonly capabilities: Json
  readonly subscriptions: Set<string>
  readonly asked: Map<Id, (answer: Json) => void>
  level: string
  stream: ServerResponse | undefined
}
type Listener = { readonly id: Id; readonly filter: Json; readonly response: ServerResponse }

export type ConformancePeer = {
  readonly url: string
  /** Methods of all requests, in order of arrival. */
  readonly seen: readonly { readonly method: string; readonly params: Json; readonly session: string | undefined }[]
  readonly holds: (session: string | undefined) => boolean
  /** How many calls were answered after their stream had ended. */
  readonly resumed: () => number
  /** Notifies its subscribers. */
  updated(uri: string): void
  close(): Promise<void>
}

const MODERN = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const SERVER = { name: 'conformance-peer', version: '1.0.0' }
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const CACHED = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'])
const NAMED: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

const CAPABILITIES: Json = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
}

/** What the tools of the session revisions ask, they push: in the stateless revision such a server fails them. */
const PUSHES: ReadonlySet<unknown> = new Set([
  'test_sampling',
  'test_elicitation',
  'test_elicitation_sep1034_defaults',
  'test_elicitation_sep1330_enums',
  'test_roots',
])

type Options = {
  /** In the stateless revision those tools answer `input_required` instead. */
  readonly asksInResults?: boolean
  /** In a session every answer is a stream, and one tool ends its stream before it answers. */
  readonly resumes?: boolean
}

export async function startConformancePeer(
  era: 'legacy' | 'modern' | 'both' = 'both',
  { asksInResults = era === 'modern', resumes = false }: Options = {},
): Promise<ConformancePeer> {
  const catalogue = createCatalogue()
  const resumable = createResumable()
  const sessions = new Map<string, PeerSession>()
  const listeners = new Set<Listener>()
  const seen: { method: string; params: Json; session: string | undefined }[] = []

  const say = (response: ServerResponse, message: Json): void => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
  }
  const finish = (response: ServerResponse, message: Json, status = 200): void => {
    if (response.headersSent) {
      say(response, message)
      response.end()
    } else
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }

  function tell(method: string, wanted: (listener: Listener) => boolean, params: Json = {}): void {
    for (const listener of listeners)
      if (wanted(listener))
        say(listener.response, { method, params: { ...params, _meta: { [`${META}subscriptionId`]: listener.id } } })
  }

  function changed(kind: 'tools' | 'prompts'): void {
    catalogue.toggle(kind)
    const method = `notifications/${kind}/list_changed`
    tell(method, ({ filter }) => filter[`${kind}ListChanged`] === true)
    for (const { stream } of sessions.values()) if (stream) say(stream, { method })
  }

  async function answer(context: Context, method: string, params: Json): Promise<Json> {
    const args = recordOf(params.arguments)
    switch (method) {
      case 'tools/list':
        return { tools: [...catalogue.tools(), ...(resumes ? [RECONNECTION_TOOL] : [])] }
      case 'tools/call':
        return catalogue.call(context, params.name, args)
      case 'prompts/list':
        return { prompts: catalogue.prompts() }
      case 'prompts/get':
        return getPrompt(context, params.name, args)
      case 'resources/list':
        return { resources: RESOURCES }
      case 'resources/templates/list':
        return { resourceTemplates: TEMPLATES }
      case 'resources/read':
        return readResource(String(params.uri), context.modern)
      case 'completion/complete':
        return { completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } }
      default:
        throw new Fault(-32_601, `Method not found: ${method}`, undefined, 404)
    }
  }

  async function modern(request: IncomingMessage, response: ServerResponse, message: Json): Promise<void> {
    const { id, method } = message as { id: Id; method: string }
    const params = recordOf(message.params)
    const meta = recordOf(params._meta)
    try {
      if (
        request.headers['mcp-protocol-version'] !== meta[`${META}protocolVersion`] ||
        request.headers['mcp-method'] !== method
      )
        throw new Fault(-32_020, 'Header mismatch', undefined, 400)
      const named = NAMED[method]
      if (named !== undefined && request.headers['mcp-name']?.toString().trim() !== params[named])
        throw new Fault(-32_020, 'Mcp-Name mismatch', undefined, 400)
      if (meta[`${META}protocolVersion`] !== MODERN)
        throw new Fault(-32_022, 'Unsupported', { supported: [MODERN], requested: meta[`${META}protocolVersion`] }, 400)
      if (!isRecord(meta[`${META}clientCapabilities`]))
        throw new Fault(-32_602, 'clientCapabilities are required', undefined, 400)
      if (params.inputResponses !== undefined && !isRecord(params.inputResponses))
        throw new Fault(-32_602, 'inputResponses must be an object')
      if (method === 'server/discover') {
        const about = { supportedVersions: [MODERN], capabilities: CAPABILITIES, ttlMs: 0, cacheScope: 'public' }
        finish(response, { id, result: { resultType: 'complete', ...about, _meta: { [`${META}serverInfo`]: SERVER } } })
        return
      }
      if (method === 'subscriptions/listen') {
        const listener = { id, filter: recordOf(params.notifications), response }
        listeners.add(listener)
        response.on('close', () => listeners.delete(listener))
        say(response, {
          method: 'notifications/subscriptions/acknowledged',
          params: { notifications: listener.filter, _meta: { [`${META}subscriptionId`]: id } },
        })
        return
      }
      const inputs = recordOf(params.inputResponses)
      const level = meta[`${META}logLevel`]
      const context: Context = {
        modern: true,
        capabilities: recordOf(meta[`${META}clientCapabilities`]),
        inputs,
        state: params.requestState,
        progress: (progress, total) => {
          if (meta.progressToken !== undefined)
            say(response, {
              method: 'notifications/progress',
              params: { progressToken: meta.progressToken, progress, total },
            })
        },
        log: (at, data) => {
          if (typeof level === 'string' && LEVELS.indexOf(at) >= LEVELS.indexOf(level))
            say(response, { method: 'notifications/message', params: { level: at, data } })
        },
        ask: async (key, asked, what) => {
          if (!asksInResults && PUSHES.has(String(params.name)))
            throw new Fault(-32_603, `${String(params.name)} asks its client during the call, which needs a session`)
          const given = inputs[key]
          if (isRecord(given)) return given
          throw new InputRequired({ [key]: { method: asked, params: what } })
        },
        changed,
      }
      const result = await answer(context, method, params)
      const hints = CACHED.has(method) ? { ttlMs: 1_000, cacheScope: 'public' } : {}
      finish(response, {
        id,
        result: { resultType: 'complete', ...hints, ...result, _meta: { [`${META}serverInfo`]: SERVER } },
      })
    } catch (error) {
      if (error instanceof InputRequired) {
        const state = error.state === undefined ? {} : { requestState: error.state }
        finish(response, { id, result: { resultType: 'input_required', inputRequests: error.requests, ...state } })
      } else refuse(response, id, error)
    }
  }

  function refuse(response: ServerResponse, id: Id | null, error: unknown): void {
    const fault = error instanceof Fault ? error : new Fault(-32_603, String(error), undefined, 500)
    const { code, message, data, status } = fault
    finish(response, { id, error: { code, message, ...(data === undefined ? {} : { data }) } }, status)
  }

  function initialize(response: ServerResponse, id: Id, params: Json): void {
    const session = randomUUID()
    const asked = LEGACY.find((known) => known === params.protocolVersion)
    sessions.set(session, {
      capabilities: recordOf(params.capabilities),
      subscriptions: new Set(),
      asked: new Map(),
      level: 'debug',
      stream: undefined,
    })
    response.setHeader('mcp-session-id', session)
    finish(response, {
      id,
      result: { protocolVersion: asked ?? LEGACY[0], capabilities: CAPABILITIES, serverInfo: SERVER },
    })
  }

  function sessionContext(session: PeerSession, response: ServerResponse, token: unknown): Context {
    return {
      modern: false,
      capabilities: session.capabilities,
      inputs: {},
      state: undefined,
      progress: (progress, total) => {
        if (token !== undefined)
          say(response, { method: 'notifications/progress', params: { progressToken: token, progress, total } })
      },
      log: (level, data) => {
        if (LEVELS.indexOf(level) >= LEVELS.indexOf(session.level))
          say(response, { method: 'notifications/message', params: { level, data } })
      },
      ask: (_key, method, params) => {
        const [capability = ''] = method.split('/', 1)
        if (session.capabilities[capability] === undefined) throw new Fault(-32_603, `The client has no ${capability}`)
        const id = randomUUID()
        return new Promise((resolve, reject) => {
          session.asked.set(id, (given) => {
            if (isRecord(given.result)) resolve(given.result)
            else reject(new Fault(-32_603, `The client answered ${JSON.stringify(given.error)}`))
          })
          response.on('close', () => session.asked.delete(id))
          say(response, { id, method, params })
        })
      },
      changed,
    }
  }

  async function legacy(session: PeerSession, response: ServerResponse, message: Json): Promise<void> {
    const { id, method } = message as { id: Id; method: string }
    const params = recordOf(message.params)
    try {
      if (method === 'ping') return finish(response, { id, result: {} })
      if (method === 'logging/setLevel') {
        session.level = String(params.level)
        return finish(response, { id, result: {} })
      }
      if (method === 'resources/subscribe' || method === 'resources/unsubscribe') {
        if (method === 'resources/subscribe') session.subscriptions.add(String(params.uri))
        else session.subscriptions.delete(String(params.uri))
        return finish(response, { id, result: {} })
      }
      if (resumes && method === 'tools/call' && params.name === RECONNECTION) return resumable.interrupt(response, id)
      const context = sessionContext(session, response, recordOf(params._meta).progressToken)
      if (resumes) response.writeHead(200, { 'content-type': 'text/event-stream' })
      return finish(response, { id, result: await answer(context, method, params) })
    } catch (error) {
      const asked = error instanceof InputRequired ? new Fault(-32_603, 'This tool needs the modern era') : error
      refuse(response, id, asked instanceof Fault ? new Fault(asked.code, asked.message, asked.data) : asked)
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = request.headers.host ?? ''
    if (!/^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(host)) return void response.writeHead(403).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = recordOf(chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {})
    const name = request.headers['mcp-session-id']?.toString()
    const session = name === undefined ? undefined : sessions.get(name)
    if (typeof body.method === 'string')
      seen.push({ method: body.method, params: recordOf(body.params), session: name })
    const { id } = body as { id?: Id }
    if (request.method === 'DELETE') {
      const known = sessions.delete(name ?? '')
      return void response.writeHead(known ? 200 : 404).end()
    }
    if (request.method === 'GET') {
      if (!session) return void response.writeHead(name === undefined ? 405 : 404).end()
      if (await resumable.resume(response, request.headers['last-event-id']?.toString())) return undefined
      session.stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      response.on('close', () => {
        session.stream = undefined
      })
      return undefined
    }
    const meta = recordOf(recordOf(body.params)._meta)
    const declares = request.headers['mcp-protocol-version'] === MODERN || meta[`${META}protocolVersion`] !== undefined
    if (declares && era !== 'legacy') {
      if (meta[`${META}protocolVersion`] === undefined)
        return refuse(response, id ?? null, new Fault(-32_602, '_meta is incomplete', undefined, 400))
      return id === undefined ? void response.writeHead(202).end() : modern(request, response, body)
    }
    if (era === 'modern' || declares)
      return refuse(response, null, new Fault(-32_000, 'Bad Request: Unsupported protocol version', undefined, 400))
    if (body.method === 'initialize' && id !== undefined) return initialize(response, id, recordOf(body.params))
    if (!session) {
      const status = name === undefined ? 400 : 404
      return finish(response, { id: id ?? null, error: { code: -32_000, message: 'No such session' } }, status)
    }
    if (body.method === undefined && id !== undefined) {
      session.asked.get(id)?.(body)
      session.asked.delete(id)
    }
    return id === undefined || body.method === undefined
      ? void response.writeHead(202).end()
      : legacy(session, response, body)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  const { url, close } = await listening(server)
  return {
    url: `${url}/mcp`,
    seen,
    resumed: resumable.resumed,
    holds: (session) => session !== undefined && sessions.has(session),
    updated(uri) {
      const method = 'notifications/resources/updated'
      const wants = (list: unknown): boolean => Array.isArray(list) && list.includes(uri)
      tell(method, ({ filter }) => wants(filter.resourceSubscriptions), { uri })
      for (const { stream, subscriptions } of sessions.values())
        if (stream && subscriptions.has(uri)) say(stream, { method, params: { uri } })
    },
    close,
  }
}
