// Streamable HTTP for the surfaces: POST, GET and DELETE, both eras on one URL. Contract 5.1–5.4, 5.10.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '../contract/error.ts'
import { type HttpLog, replyError } from '../http/error-reply.ts'
import { parseJson } from '../http/json-body.ts'
import { openSse, type SseStream } from '../http/sse.ts'
import type { Streams } from '../http/streams.ts'
import type { Caller } from '../pipeline/call.ts'
import { asRpc, createDelivery, type Post, sendText } from './deliver.ts'
import {
  checkModernHeaders,
  checkModernMeta,
  declaredVersion,
  isLegacyRevision,
  LEGACY,
  META_CLIENT,
  META_SUBSCRIPTION,
  META_VERSION,
  MODERN,
  metaOf,
  SESSIONLESS_REVISION,
  SUPPORTED,
  takesBatches,
  unsupportedVersion,
} from './era.ts'
import { type Forms, formsOf } from './forms.ts'
import type { Answerer } from './handlers.ts'
import {
  errorText,
  idOf,
  notificationText,
  RPC,
  RpcError,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  readMessage,
  resultText,
} from './json-rpc.ts'
import type { ListChanges } from './list-changes.ts'
import type { Session, Sessions } from './sessions.ts'
import type { Surface } from './surface.ts'

export type EndpointParts = {
  readonly sessions: Sessions
  readonly listChanges: ListChanges
  readonly answerer: Answerer
  readonly streams: Streams
  readonly log: HttpLog
  readonly sessionless: boolean
  readonly maxBodyBytes: number
  readonly maxJsonDepth: number
  /** Monotonic. */
  readonly now: () => number
  /** The caller of a request, or 401. */
  readonly authenticate: (request: FastifyRequest) => Promise<Caller> | Caller
  /** The program behind a caller, as it names itself. */
  readonly noteClient: (caller: Caller, name: string) => void
  /** Spends from the MCP budget; throws when it is used up. */
  readonly spend: (caller: Caller, session: Session | undefined, ip: string) => void
}

/** Which surface a path names. Throws `KEY_SCOPE` before existence is looked at, then `*_NOT_FOUND`. */
export type SurfaceOf = (request: FastifyRequest, caller: Caller) => Surface

/** What is known of a request before its body is read. */
type Arrival = {
  readonly caller: Caller
  readonly surface: Surface
  readonly session: Session | undefined
  /** Why it will be refused: kept until the body has told which message the answer is for. */
  readonly refusal: unknown
}

declare module 'fastify' {
  interface FastifyRequest {
    arrival: Arrival | undefined
  }
}

const MOST_IN_BATCH = 50

const header = ({ headers }: FastifyRequest, name: string): string | undefined => {
  const given = headers[name]
  return typeof given === 'string' && given !== '' ? given.trim() : undefined
}

const invalid = (message: string): RpcError =>
  new RpcError(RPC.invalidRequest, 'INVALID_REQUEST', message, { status: 400 })

export function registerSurface(app: FastifyInstance, path: string, surfaceOf: SurfaceOf, parts: EndpointParts): void {
  const { sessions, answerer, streams, log } = parts
  const { answer, deliver } = createDelivery(parts)

  void app.register((scope, _options, ready) => {
    scope.decorateRequest('arrival')
    scope.removeAllContentTypeParsers()
    // The text is kept as it came: depth and syntax are judged on it, in JSON-RPC's own words.
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: parts.maxBodyBytes },
      (_request, body, done) => done(null, body),
    )
    // Whatever a body is, its sender is judged first.
    scope.addHook('onRequest', (request, _reply, done) => {
      const arrive = (caller: Caller): void => {
        request.arrival = admitted(request, caller, surfaceOf(request, caller), header(request, 'mcp-session-id'))
      }
      const arriveLater = async (coming: Promise<Caller>): Promise<void> => {
        try {
          arrive(await coming)
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)))
          return
        }
        done()
      }
      const caller = parts.authenticate(request)
      // Most callers are known at once, and a promise for each of them is not free.
      if (caller instanceof Promise) {
        void arriveLater(caller)
        return
      }
      arrive(caller)
      done()
    })
    scope.setErrorHandler((error, request, reply) => {
      const refusal = request.arrival?.refusal
      return answerError(refusal ?? error, request, reply, null, log)
    })
    scope.post(path, post)
    scope.get(path, { exposeHeadRoute: false }, get)
    scope.delete(path, remove)
    ready()
  })

  /** Session, revision and rate, in the order of contract 5.1. */
  function admitted(request: FastifyRequest, caller: Caller, surface: Surface, sessionId: string | undefined): Arrival {
    let session: Session | undefined
    let refusal: unknown
    try {
      session = sessionId === undefined ? undefined : sessions.find(sessionId, surface.id, caller.name)
      const version = header(request, 'mcp-protocol-version')
      if (version !== undefined && !SUPPORTED.includes(version)) throw unsupportedVersion(version)
      parts.spend(caller, session, request.context.ip)
    } catch (error) {
      refusal = error
    }
    return { caller, surface, session, refusal }
  }

  async function post(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const arrival = arrivalOf(request)
    let id: RpcId | null = null
    try {
      const text = typeof request.body === 'string' ? request.body : ''
      const value =
        arrival.refusal === undefined ? parseText(text, parts.maxJsonDepth) : parsedOrNot(text, parts.maxJsonDepth)
      id = idOf(value)
      const { caller, surface, session, refusal } = forEra(arrival, request, value)
      if (refusal !== undefined) throw refusal
      const forms = formsOf(request.headers.accept)
      const base = { request, reply, caller, surface, session, forms, bytes: text.length, modern: false }
      if (Array.isArray(value)) return await batch(base, value)
      const message = readMessage(value)
      const declared = declaredVersion(message)
      if (declared !== undefined && declared !== MODERN) throw unsupportedVersion(String(declared))
      return await (declared === MODERN ? modern({ ...base, modern: true }, message) : legacy(base, message))
    } catch (error) {
      return answerError(error, request, reply, id, log)
    }
  }

  /** The modern era knows no sessions: a header that names one, good or bad, is not looked at. */
  function forEra(arrival: Arrival, request: FastifyRequest, value: unknown): Arrival {
    if (!declaresModern(value) || (arrival.session === undefined && !isAboutSession(arrival.refusal))) return arrival
    return arrival.session
      ? { ...arrival, session: undefined }
      : admitted(request, arrival.caller, arrival.surface, undefined)
  }

  async function batch(base: Post, messages: readonly unknown[]): Promise<FastifyReply> {
    const { request, reply, caller, session } = base
    if (session === undefined || !takesBatches(session.revision))
      throw invalid('Batches are not part of this protocol revision')
    if (messages.length === 0 || messages.length > MOST_IN_BATCH)
      throw invalid(`A batch holds 1 to ${MOST_IN_BATCH} messages`)
    const read = messages.map(readMessage)
    const requests = read.filter((message) => message.kind === 'request')
    if (requests.some(({ method }) => method === 'initialize')) throw invalid('initialize cannot be part of a batch')
    // The first was paid for when the batch arrived: many in one are no way around the limit.
    for (const _more of requests.slice(1)) parts.spend(caller, session, request.context.ip)
    for (const message of read) if (message.kind === 'notification') notified(base, message)
    const answers = await Promise.all(requests.map((message) => answer(base, message)))
    const given = answers.filter((text) => text !== undefined)
    return given.length === 0 ? reply.code(202).send() : sendText(base, `[${given.join(',')}]`)
  }

  function legacy(base: Post, message: RpcMessage): FastifyReply | Promise<FastifyReply> {
    const { request, reply, session } = base
    if (message.kind === 'request' && message.method === 'initialize') return initialize(base, message)
    const opening = message.kind === 'notification' && message.method === 'notifications/initialized'
    if (session === undefined && !parts.sessionless && !opening)
      throw new RpcError(RPC.server, 'SESSION_REQUIRED', 'Send initialize first and then its Mcp-Session-Id', {
        status: 400,
      })
    if (message.kind !== 'request') {
      if (message.kind === 'notification') notified(base, message)
      return reply.code(202).send()
    }
    const revision = session?.revision ?? header(request, 'mcp-protocol-version') ?? SESSIONLESS_REVISION
    // The header says modern and the body does not: the body decides, and for that era it is incomplete.
    if (revision === MODERN)
      throw new RpcError(RPC.invalidParams, 'INVALID_PARAMS', `_meta["${META_VERSION}"] is required`, { status: 400 })
    return deliver(base, message)
  }

  function initialize(base: Post, { id, params }: RpcRequest): FastifyReply {
    const { reply, caller, surface, session } = base
    if (session) throw invalid('This session is initialized already')
    const { protocolVersion, clientInfo } = params
    if (typeof protocolVersion !== 'string')
      throw new RpcError(RPC.invalidParams, 'INVALID_PARAMS', '"protocolVersion" is required')
    const revision = isLegacyRevision(protocolVersion) ? protocolVersion : LEGACY[0]
    const client = clientOf(clientInfo)
    if (client) parts.noteClient(caller, client.name)
    const opened = sessions.open(surface.id, caller.name, revision, client)
    return sendText(
      { reply: reply.header('mcp-session-id', opened.id), forms: base.forms },
      resultText(id, answerer.initialize(surface, revision)),
    )
  }

  function modern(base: Post, message: RpcMessage): FastifyReply | Promise<FastifyReply> {
    if (message.kind !== 'request') return base.reply.code(202).send()
    checkModernHeaders(base.request.headers, message.method, message.params)
    checkModernMeta(message.params)
    const client = clientOf(metaOf(message.params)?.[META_CLIENT])
    if (client) parts.noteClient(base.caller, client.name)
    if (message.method === 'server/discover')
      return sendText(base, resultText(message.id, answerer.discover(base.surface)))
    if (message.method === 'subscriptions/listen') return listen(base, message)
    return deliver(base, message)
  }

  function notified({ session }: Post, { method, params }: RpcNotification): void {
    if (method !== 'notifications/cancelled' || session === undefined) return
    for (const running of session.inFlight) {
      if (running.id !== params.requestId) continue
      running.unanswered = true
      running.cancel()
    }
  }

  /** The modern era's way to hear of changes: an open answer, acknowledged first. */
  function listen({ request, reply, surface, forms, caller }: Post, { id, params }: RpcRequest): FastifyReply {
    streamsOnly(forms)
    const stream = openSse(request, reply, streams)
    endsWith(caller, stream)
    const _meta = { [META_SUBSCRIPTION]: id }
    const send = (method: string, more: object = {}): void =>
      void stream.send({ event: 'message', data: notificationText(method, { ...more, _meta }) })
    const { notifications } = params
    const wanted =
      typeof notifications !== 'object' || notifications === null || !('toolsListChanged' in notifications)
        ? notifications === undefined
        : notifications.toolsListChanged === true
    send('notifications/subscriptions/acknowledged', { notifications: wanted ? { toolsListChanged: true } : {} })
    if (wanted) stream.onClose(parts.listChanges.subscribe(surface.id, () => send('notifications/tools/list_changed')))
    return reply
  }

  async function get(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { caller, session, refusal } = arrivalOf(request)
    if (refusal !== undefined) throw refusal
    if (session === undefined)
      throw new GatewayError('METHOD_NOT_ALLOWED', 'Open a session first, or use POST', {
        headers: { Allow: 'POST, DELETE' },
      })
    streamsOnly(formsOf(request.headers.accept))
    if (session.stream) throw new GatewayError('STREAM_EXISTS', 'This session has a stream already')
    const stream = openSse(request, reply, streams)
    endsWith(caller, stream)
    session.stream = { send: (text) => void stream.send({ event: 'message', data: text }), close: stream.close }
    stream.onClose(() => {
      session.stream = undefined
      sessions.touch(session)
    })
    return reply
  }

  async function remove(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { session, refusal } = arrivalOf(request)
    if (refusal !== undefined) throw refusal
    if (session === undefined)
      throw new GatewayError('METHOD_NOT_ALLOWED', 'There is no session to end', { headers: { Allow: 'POST' } })
    sessions.end(session)
    return reply.code(200).send()
  }
}

function arrivalOf({ arrival }: FastifyRequest): Arrival {
  if (arrival === undefined) throw new Error('A surface was asked before its caller was known')
  return arrival
}

/** Nobody listens on with a credential that is over. */
function endsWith({ onEnd }: Caller, stream: SseStream): void {
  const forget = onEnd?.(stream.close)
  if (forget) stream.onClose(forget)
}

function streamsOnly({ sse }: Forms): void {
  if (!sse) throw new GatewayError('NOT_ACCEPTABLE', 'Accept must admit text/event-stream')
}

const isAboutSession = (refusal: unknown): boolean =>
  (refusal instanceof GatewayError || refusal instanceof RpcError) &&
  (refusal.code === 'INVALID_SESSION_ID' || refusal.code === 'SESSION_NOT_FOUND' || refusal.code === 'SESSION_CAPACITY')

function declaresModern(value: unknown): boolean {
  try {
    return !Array.isArray(value) && declaredVersion(readMessage(value)) === MODERN
  } catch {
    return false
  }
}

function parseText(text: string, maxDepth: number): unknown {
  try {
    return parseJson(text, maxDepth)
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'INVALID_JSON')
      throw new RpcError(RPC.parse, 'PARSE_ERROR', error.message, { status: 400 })
    throw error
  }
}

/** The body of a request that is refused anyway, looked at only for the id of its message. */
function parsedOrNot(text: string, maxDepth: number): unknown {
  try {
    return parseJson(text, maxDepth)
  } catch {
    return undefined
  }
}

function clientOf(info: unknown): { name: string; version: string } | null {
  if (typeof info !== 'object' || info === null || !('name' in info) || typeof info.name !== 'string') return null
  return {
    name: info.name.slice(0, 128),
    version: 'version' in info && typeof info.version === 'string' ? info.version.slice(0, 64) : '',
  }
}

/** Before a message was accepted: our envelope; JSON-RPC's own errors in its own form. */
function answerError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  id: RpcId | null,
  log: HttpLog,
): FastifyReply {
  const stopping = thrown instanceof GatewayError && thrown.code === 'SHUTTING_DOWN'
  const error = stopping || (id !== null && !(thrown instanceof GatewayError)) ? asRpc(thrown, log, request.id) : thrown
  if (!(error instanceof RpcError)) return replyError(error, request, reply, log)
  if (stopping) reply.header('retry-after', '5')
  reply.headers({ ...error.headers })
  return reply
    .code(error.status)
    .header('content-type', 'application/json')
    .send(errorText(id, error, request.id))
}
