// Streamable HTTP for the surfaces: POST, GET and DELETE, both eras on one URL. Contract 5.1–5.4, 5.10.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '../contract/error.ts'
import { type HttpLog, replyError } from '../http/error-reply.ts'
import { nestsDeeper } from '../http/json-body.ts'
import { openSse } from '../http/sse.ts'
import type { Streams } from '../http/streams.ts'
import type { Caller } from '../pipeline/call.ts'
import {
  checkModernHeaders,
  checkModernMeta,
  declaredVersion,
  isLegacyRevision,
  LEGACY,
  MODERN,
  metaOf,
  SESSIONLESS_REVISION,
  SUPPORTED,
  takesBatches,
  unsupportedVersion,
} from './era.ts'
import type { Answerer, Asked } from './handlers.ts'
import {
  errorText,
  notificationText,
  RPC,
  RpcError,
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
  /** The caller of a request, or 401. */
  readonly authenticate: (request: FastifyRequest) => Promise<Caller> | Caller
  /** Spends from the MCP budget; throws when it is used up. */
  readonly spend: (caller: Caller, session: Session | undefined, ip: string) => void
}

/** Which surface a path names. Throws `KEY_SCOPE` before existence is looked at, then `*_NOT_FOUND`. */
export type SurfaceOf = (request: FastifyRequest, caller: Caller) => Surface

const MOST_IN_BATCH = 50
const NOTIFICATIONS_TAKEN = /^notifications\//

type Forms = { readonly json: boolean; readonly sse: boolean }

function formsOf(accept: string | undefined): Forms {
  const text = accept ?? '*/*'
  const any = text.includes('*/*')
  const forms = { json: any || /application\/(json|\*)/.test(text), sse: any || /text\/(event-stream|\*)/.test(text) }
  if (!forms.json && !forms.sse)
    throw new GatewayError('NOT_ACCEPTABLE', 'Accept must admit application/json or text/event-stream')
  return forms
}

export function registerSurface(app: FastifyInstance, path: string, surfaceOf: SurfaceOf, parts: EndpointParts): void {
  const { sessions, answerer, streams, log } = parts

  void app.register((scope, _options, ready) => {
    scope.removeAllContentTypeParsers()
    // The text is kept as it came: depth and syntax are judged on it, in JSON-RPC's own words.
    scope.addContentTypeParser(
      ['application/json'],
      { parseAs: 'string', bodyLimit: parts.maxBodyBytes },
      (_request, body, done) => done(null, body),
    )
    scope.setErrorHandler((error, request, reply) => answerError(error, request, reply, null, log))
    scope.post(path, (request, reply) => post(request, reply))
    scope.get(path, { exposeHeadRoute: false }, (request, reply) => get(request, reply))
    scope.delete(path, (request, reply) => remove(request, reply))
    ready()
  })

  async function admitted(request: FastifyRequest): Promise<{ caller: Caller; surface: Surface }> {
    const caller = await parts.authenticate(request)
    return { caller, surface: surfaceOf(request, caller) }
  }

  const sessionId = ({ headers }: FastifyRequest): string | undefined => {
    const given = headers['mcp-session-id']
    return typeof given === 'string' && given !== '' ? given : undefined
  }

  const versionHeader = ({ headers }: FastifyRequest): string | undefined => {
    const given = headers['mcp-protocol-version']
    return typeof given === 'string' ? given.trim() : undefined
  }

  async function post(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { caller, surface } = await admitted(request)
    const id = sessionId(request)
    const session = id === undefined ? undefined : sessions.find(id, surface.id, caller.name)
    const header = versionHeader(request)
    if (header !== undefined && !SUPPORTED.includes(header)) throw unsupportedVersion(header)
    parts.spend(caller, session, request.context.ip)
    const forms = formsOf(request.headers.accept)
    const text = typeof request.body === 'string' ? request.body : ''
    const value = parseText(text, parts.maxJsonDepth)
    const base: Base = { request, reply, caller, surface, session, forms, bytes: text.length }
    if (Array.isArray(value)) return batch(base, value, session?.revision ?? header)
    const message = readMessage(value)
    const declared = declaredVersion(message)
    if (declared !== undefined && declared !== MODERN) throw unsupportedVersion(String(declared))
    return declared === MODERN ? modern(base, message) : legacy(base, message, header)
  }

  async function batch(base: Base, messages: readonly unknown[], revision: string | undefined): Promise<FastifyReply> {
    if (base.session === undefined || revision === undefined || !takesBatches(revision))
      throw new RpcError(RPC.invalidRequest, 'INVALID_REQUEST', 'Batches are not part of this protocol revision', {
        status: 400,
      })
    if (messages.length === 0 || messages.length > MOST_IN_BATCH)
      throw new RpcError(RPC.invalidRequest, 'INVALID_REQUEST', `A batch holds 1 to ${MOST_IN_BATCH} messages`, {
        status: 400,
      })
    const read = messages.map(readMessage)
    if (read.some((message) => message.kind === 'request' && message.method === 'initialize'))
      throw new RpcError(RPC.invalidRequest, 'INVALID_REQUEST', 'initialize cannot be part of a batch', { status: 400 })
    for (const message of read) if (message.kind === 'notification') notified(base, message)
    const answers = await Promise.all(
      read.flatMap((message) => (message.kind === 'request' ? [answer(base, message, false)] : [])),
    )
    if (answers.length === 0) return base.reply.code(202).send()
    return base.reply
      .code(200)
      .type('application/json')
      .send(`[${answers.join(',')}]`)
  }

  async function legacy(base: Base, message: RpcMessage, header: string | undefined): Promise<FastifyReply> {
    const { reply, session } = base
    if (message.kind === 'request' && message.method === 'initialize') return initialize(base, message)
    if (
      session === undefined &&
      !parts.sessionless &&
      !(message.kind === 'notification' && message.method === 'notifications/initialized')
    )
      throw new RpcError(RPC.server, 'SESSION_REQUIRED', 'Send initialize first and then its Mcp-Session-Id', {
        status: 400,
      })
    if (message.kind !== 'request') {
      if (message.kind === 'notification') notified(base, message)
      return reply.code(202).send()
    }
    const revision = session?.revision ?? header ?? SESSIONLESS_REVISION
    if (revision === MODERN) {
      // The header says modern and the body does not: the body decides, and it is incomplete for that era.
      checkModernMeta(message.params)
    }
    return deliver(base, message, false)
  }

  async function initialize(
    { reply, caller, surface, session }: Base,
    { id, params }: RpcRequest,
  ): Promise<FastifyReply> {
    if (session)
      throw new RpcError(RPC.invalidRequest, 'INVALID_REQUEST', 'This session is initialized already', { status: 400 })
    const { protocolVersion, clientInfo } = params
    if (typeof protocolVersion !== 'string')
      throw new RpcError(RPC.invalidParams, 'INVALID_PARAMS', '"protocolVersion" is required')
    const revision = isLegacyRevision(protocolVersion) ? protocolVersion : LEGACY[0]
    const opened = sessions.open(surface.id, caller.name, revision, clientOf(clientInfo))
    return reply
      .code(200)
      .header('mcp-session-id', opened.id)
      .type('application/json')
      .send(resultText(id, answerer.initialize(surface, revision)))
  }

  async function modern(base: Base, message: RpcMessage): Promise<FastifyReply> {
    if (message.kind !== 'request') return base.reply.code(202).send()
    checkModernHeaders(base.request.headers, message.method, message.params)
    checkModernMeta(message.params)
    if (message.method === 'server/discover')
      return base.reply
        .code(200)
        .type('application/json')
        .send(resultText(message.id, answerer.discover(base.surface)))
    if (message.method === 'subscriptions/listen') return listen(base, message)
    return deliver(base, message, true)
  }

  /** JSON unless only a stream is acceptable, or progress was asked for and a stream is welcome. */
  async function deliver(base: Base, message: RpcRequest, isModern: boolean): Promise<FastifyReply> {
    const { request, reply, forms } = base
    const token = metaOf(message.params)?.progressToken
    const wantsProgress = message.method === 'tools/call' && (typeof token === 'string' || typeof token === 'number')
    if (forms.json && !(forms.sse && wantsProgress)) {
      const text = await answer(base, message, isModern, undefined, isModern ? reply : undefined)
      return reply.type('application/json').send(text)
    }
    const stream = openSse(request, reply, streams)
    const progress = wantsProgress
      ? progressSender(token, (text) => stream.send({ event: 'message', data: text }))
      : undefined
    const text = await answer(base, message, isModern, progress, isModern ? reply : undefined).catch((error: unknown) =>
      errorOf(error, message.id, request.id, log),
    )
    stream.send({ event: 'message', data: text })
    stream.close()
    return reply
  }

  async function answer(
    base: Base,
    message: RpcRequest,
    isModern: boolean,
    onProgress?: Asked['onProgress'],
    closes?: FastifyReply,
  ): Promise<string> {
    const { request, session, surface, caller, bytes } = base
    const { id, method, params } = message
    const traceparent = request.headers.traceparent
    const endUser = request.headers['x-end-user-id']
    let cancel: () => void = () => undefined
    const asked: Asked = {
      surface,
      caller,
      requestId: request.id,
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
      sessionHash: session?.hash ?? null,
      endUserHeader: typeof endUser === 'string' && endUser.length <= 256 ? endUser : null,
      modern: isModern,
      bytes,
      onCancel: (given) => {
        cancel = given
      },
      onProgress,
    }
    // In the modern era a closed stream is a cancellation; a session says it in a message of its own.
    const gone = (): void => cancel()
    closes?.raw.once('close', gone)
    session?.inFlight.set(id, () => cancel())
    try {
      return resultText(id, await handle(asked, method, params))
    } catch (error) {
      if (isModern && error instanceof RpcError && error.rpcCode === RPC.methodNotFound && closes && !closes.sent)
        closes.code(404)
      return errorOf(error, id, request.id, log)
    } finally {
      closes?.raw.off('close', gone)
      session?.inFlight.delete(id)
    }
  }

  function handle(asked: Asked, method: string, params: RpcRequest['params']): string | Promise<string> {
    if (method === 'tools/call') return answerer.callTool(asked, params)
    if (method === 'tools/list') return answerer.listTools(asked, params)
    if (method === 'ping' && !asked.modern) return '{}'
    throw new RpcError(RPC.methodNotFound, 'METHOD_NOT_FOUND', `Method not found: ${method.slice(0, 128)}`)
  }

  function notified({ session }: Base, { method, params }: RpcNotification): void {
    if (!NOTIFICATIONS_TAKEN.test(method) || session === undefined) return
    const { requestId } = params
    if (method === 'notifications/cancelled' && (typeof requestId === 'string' || typeof requestId === 'number'))
      session.inFlight.get(requestId)?.()
  }

  /** The modern era's way to hear of changes: an open answer, acknowledged first. */
  function listen({ request, reply, surface }: Base, { id }: RpcRequest): FastifyReply {
    const stream = openSse(request, reply, streams)
    const tag = { 'io.modelcontextprotocol/subscriptionId': id }
    stream.send({
      event: 'message',
      data: notificationText('notifications/subscriptions/acknowledged', { _meta: tag }),
    })
    const forget = parts.listChanges.subscribe(surface.id, () =>
      stream.send({ event: 'message', data: notificationText('notifications/tools/list_changed', { _meta: tag }) }),
    )
    stream.onClose(forget)
    return reply
  }

  async function get(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { caller, surface } = await admitted(request)
    const id = sessionId(request)
    if (id === undefined)
      throw new GatewayError('METHOD_NOT_ALLOWED', 'Open a session first, or use POST', {
        headers: { Allow: 'POST, DELETE' },
      })
    const session = sessions.find(id, surface.id, caller.name)
    if (!formsOf(request.headers.accept).sse)
      throw new GatewayError('NOT_ACCEPTABLE', 'Accept must admit text/event-stream')
    if (session.stream) throw new GatewayError('STREAM_EXISTS', 'This session has a stream already')
    const stream = openSse(request, reply, streams)
    session.stream = { send: (text) => void stream.send({ event: 'message', data: text }), close: stream.close }
    stream.onClose(() => {
      session.stream = undefined
      sessions.touch(session)
    })
    return reply
  }

  async function remove(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { caller, surface } = await admitted(request)
    const id = sessionId(request)
    if (id === undefined)
      throw new GatewayError('METHOD_NOT_ALLOWED', 'There is no session to end', { headers: { Allow: 'POST' } })
    sessions.end(sessions.find(id, surface.id, caller.name))
    return reply.code(200).send()
  }
}

type Base = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: Caller
  readonly surface: Surface
  readonly session: Session | undefined
  readonly forms: Forms
  readonly bytes: number
}

function parseText(text: string, maxDepth: number): unknown {
  if (nestsDeeper(text, maxDepth))
    throw new GatewayError('JSON_TOO_DEEP', `The body nests deeper than ${maxDepth} levels`)
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcError(RPC.parse, 'PARSE_ERROR', 'The body is not valid JSON', { status: 400 })
  }
}

function clientOf(info: unknown): { name: string; version: string } | null {
  if (typeof info !== 'object' || info === null || !('name' in info) || typeof info.name !== 'string') return null
  return {
    name: info.name.slice(0, 128),
    version: 'version' in info && typeof info.version === 'string' ? info.version.slice(0, 64) : '',
  }
}

const PROGRESS_EVERY_MS = 100

/** At most ten a second, and always upwards. */
function progressSender(token: string | number, send: (text: string) => void): NonNullable<Asked['onProgress']> {
  let last = Number.NEGATIVE_INFINITY
  let sentAt = Number.NEGATIVE_INFINITY
  return (progress, total, message) => {
    const now = performance.now()
    if (!(progress > last) || (now - sentAt < PROGRESS_EVERY_MS && progress !== total)) return
    last = progress
    sentAt = now
    send(
      notificationText('notifications/progress', {
        progressToken: token,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message: message.slice(0, 1024) }),
      }),
    )
  }
}

function asRpc(error: unknown, log: HttpLog, requestId: string): RpcError {
  if (error instanceof RpcError) return error
  if (error instanceof GatewayError)
    return new RpcError(RPC.server, error.code, error.message, { status: error.status })
  log.error('an MCP request failed', { request_id: requestId, error })
  return new RpcError(RPC.internal, 'INTERNAL_ERROR', 'Internal error', { status: 500 })
}

const errorOf = (error: unknown, id: RpcRequest['id'], requestId: string, log: HttpLog): string =>
  errorText(id, asRpc(error, log, requestId), requestId)

/** Before a message was accepted: our envelope; JSON-RPC's own errors in its own form. */
function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  id: RpcRequest['id'] | null,
  log: HttpLog,
): FastifyReply {
  if (!(error instanceof RpcError)) return replyError(error, request, reply, log)
  reply.headers({ ...error.headers })
  return reply
    .code(error.status)
    .type('application/json')
    .send(errorText(id, error, request.id))
}
