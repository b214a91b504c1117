// Streamable HTTP for the surfaces: POST, GET and DELETE, both eras on one URL. Contract 5.1–5.4, 5.10.
import { GatewayError } from '../contract/error.ts'
import type { DirectReply, DirectRequest } from '../http/direct.ts'
import type { DirectHandler } from '../http/direct-routes.ts'
import type { HttpLog } from '../http/error-reply.ts'
import { parseJson } from '../http/json-body.ts'
import type { Http } from '../http/server.ts'
import { openSse } from '../http/sse.ts'
import type { Streams } from '../http/streams.ts'
import {
  checkModernHeaders,
  checkModernMeta,
  checkVersionHeader,
  declaredVersion,
  isLegacyRevision,
  LEGACY,
  META_CLIENT,
  META_VERSION,
  MODERN,
  metaOf,
  SESSIONLESS_REVISION,
  takesBatches,
  unsupportedVersion,
} from '../mcp/era.ts'
import {
  idOf,
  RPC,
  RpcError,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  readMessage,
  resultText,
} from '../mcp/json-rpc.ts'
import type { MemoryBudget } from '../net/memory-budget.ts'
import type { Caller } from '../pipeline/call.ts'
import { cleanLabel, cut } from '../text/clean.ts'
import { type AdmissionParts, createAdmission, headerOf, type SurfaceOf } from './admission.ts'
import { formsOf } from './answer-forms.ts'
import { declaredBy } from './client-capabilities.ts'
import { createDelivery, sendJson } from './deliver.ts'
import type { Answerer } from './handlers.ts'
import type { NotificationStreams } from './notification-streams.ts'
import { mayHear } from './outside.ts'
import { endsWith, type Post } from './post.ts'
import { answerError, asParseError } from './refuse.ts'
import { originOf } from './relay-call.ts'
import type { RemoteCalls } from './remote-calls.ts'
import { cancelIn, type Sessions } from './sessions.ts'
import { type Subscriptions, streamsOnly } from './subscriptions.ts'

export type EndpointParts = AdmissionParts & {
  readonly sessions: Sessions
  readonly answerer: Answerer
  readonly subscriptions: Subscriptions
  readonly notificationStreams: NotificationStreams
  /** Where a session may have calls and questions beside those here. */
  readonly remoteCalls: Omit<RemoteCalls, 'resume'>
  readonly streams: Streams
  readonly room: MemoryBudget
  readonly log: HttpLog
  readonly sessionless: boolean
  readonly maxBodyBytes: number
  readonly maxJsonDepth: number
  /** Monotonic. */
  readonly monotonic: () => number
  /** The program behind a caller, as it names itself. */
  readonly noteClient: (caller: Caller, name: string) => void
}

const MOST_IN_BATCH = 50

const invalid = (message: string): RpcError =>
  new RpcError(RPC.invalidRequest, 'INVALID_REQUEST', message, { status: 400 })

export function registerSurface(
  http: Pick<Http, 'direct'>,
  path: string,
  surfaceOf: SurfaceOf,
  parts: EndpointParts,
): void {
  const { sessions, answerer, subscriptions, notificationStreams, streams, remoteCalls, log, noteRefusal } = parts
  const { admit, withoutSession } = createAdmission(parts, surfaceOf)
  const { answer, deliver } = createDelivery(parts)

  const refuse: DirectHandler['refuse'] = (error, request, reply) => {
    noteRefusal(request, error)
    answerError(error, request, reply, null, log)
  }

  /** The sender of a request is judged before its body is read. */
  function admitted(request: DirectRequest, reply: DirectReply, then: (post: Post) => void | Promise<void>): void {
    const proceed = (post: Post): void => {
      // Most requests are answered later by a callback; what a promise brings is an error at most.
      then(post)?.catch((error: unknown) => refuse(error, request, reply))
    }
    try {
      const post = admit(request, reply)
      // Most callers are known at once, and a promise for each of them is not free.
      if (post instanceof Promise) post.then(proceed).catch((error: unknown) => refuse(error, request, reply))
      else proceed(post)
    } catch (error) {
      refuse(error, request, reply)
    }
  }

  http.direct(path, {
    POST: {
      refuse,
      serve: (request, reply) =>
        admitted(request, reply, (post) =>
          request.body(reply, parts.maxBodyBytes, (error, text) => {
            if (error === undefined) read(post, text)
            else refuse(post.refusal ?? asParseError(error), request, reply)
          }),
        ),
    },
    GET: { refuse, serve: (request, reply) => admitted(request, reply, get) },
    DELETE: { refuse, serve: (request, reply) => admitted(request, reply, remove) },
  })

  function read(post: Post, text: string): void {
    const { request, reply } = post
    let id: RpcId | null = null
    const fail = (error: unknown): void => answerError(error, request, reply, id, log)
    try {
      const value =
        post.refusal === undefined ? parseText(text, parts.maxJsonDepth) : parsedOrNot(text, parts.maxJsonDepth)
      id = idOf(value)
      const message = Array.isArray(value) ? undefined : readOrNot(value)
      const declared = message && declaredVersion(message)
      post.bytes = text.length
      const judging = declared === MODERN ? withoutSession(post) : undefined
      const begun = judging
        ? judging.then(() => begin(post, value, message, declared))
        : begin(post, value, message, declared)
      begun?.catch(fail)
    } catch (error) {
      fail(error)
    }
  }

  /** What a message asks for, once its sender may ask. */
  function begin(post: Post, value: unknown, message: RpcMessage | undefined, declared: unknown): Promise<void> | void {
    const { request } = post
    if (post.refusal !== undefined) {
      noteRefusal(request, post.refusal, post.caller)
      throw post.refusal
    }
    post.forms = formsOf(request.headers.accept)
    if (declared !== undefined) {
      checkDeclared(request, declared)
      post.modern = true
    }
    return Array.isArray(value) ? batch(post, value) : single(post, message ?? readMessage(value))
  }

  const single = (post: Post, message: RpcMessage): Promise<void> | void =>
    post.modern ? modern(post, message) : legacy(post, message)

  async function batch(base: Post, messages: readonly unknown[]): Promise<void> {
    const { request, caller, session } = base
    base.batched = true
    if (session === undefined || !takesBatches(session.revision))
      throw invalid('Batches are not part of this protocol revision')
    if (messages.length === 0 || messages.length > MOST_IN_BATCH)
      throw invalid(`A batch holds 1 to ${MOST_IN_BATCH} messages`)
    const read = messages.map(readMessage)
    const requests = read.filter((message) => message.kind === 'request')
    if (requests.some(({ method }) => method === 'initialize')) throw invalid('initialize cannot be part of a batch')
    // The first was paid for when the batch arrived: many in one are no way around the limit.
    for (const _more of requests.slice(1)) await parts.spend(caller, session, request.context.ip)
    for (const message of read) receive(base, message)
    const answers = await Promise.all(requests.map((message) => answer(base, message)))
    const given = answers.filter((text) => text !== undefined)
    if (given.length === 0) accepted(base)
    else sendJson(base, `[${given.join(',')}]`)
  }

  function legacy(base: Post, message: RpcMessage): Promise<void> | void {
    const { request, session } = base
    if (message.kind === 'request' && message.method === 'initialize') return initialize(base, message)
    const opening = message.kind === 'notification' && message.method === 'notifications/initialized'
    if (session === undefined && !parts.sessionless && !opening)
      throw new RpcError(RPC.server, 'SESSION_REQUIRED', 'Send initialize first and then its Mcp-Session-Id', {
        status: 400,
      })
    if (message.kind !== 'request') {
      receive(base, message)
      return accepted(base)
    }
    const revision = session?.revision ?? headerOf(request, 'mcp-protocol-version') ?? SESSIONLESS_REVISION
    // The header says modern and the body does not: the body decides, and for that era it is incomplete.
    if (revision === MODERN)
      throw new RpcError(RPC.invalidParams, 'INVALID_PARAMS', `_meta["${META_VERSION}"] is required`, { status: 400 })
    return deliver(base, message)
  }

  async function initialize(base: Post, { id, params }: RpcRequest): Promise<void> {
    const { reply, caller, surface, session } = base
    if (session) throw invalid('This session is initialized already')
    const { protocolVersion, clientInfo } = params
    if (typeof protocolVersion !== 'string')
      throw new RpcError(RPC.invalidParams, 'INVALID_PARAMS', '"protocolVersion" is required')
    const revision = isLegacyRevision(protocolVersion) ? protocolVersion : LEGACY[0]
    const result = await answerer.initialize(base, revision)
    const client = clientOf(clientInfo)
    if (client) parts.noteClient(caller, client.name)
    const opened = sessions.open(surface.id, caller.name, revision, client, declaredBy(params))
    reply.header('mcp-session-id', opened.id)
    sendJson(base, resultText(id, result))
  }

  function modern(base: Post, message: RpcMessage): Promise<void> | void {
    if (message.kind !== 'request') return accepted(base)
    checkModernHeaders(base.request.headers, message.method, message.params)
    checkModernMeta(message.params)
    const client = clientOf(metaOf(message.params)?.[META_CLIENT])
    if (client) {
      base.program = client.name
      parts.noteClient(base.caller, client.name)
    }
    if (message.method === 'server/discover') return discover(base, message)
    if (message.method === 'subscriptions/listen') return subscriptions.listen(base, message)
    return deliver(base, message)
  }

  async function discover(base: Post, { id }: RpcRequest): Promise<void> {
    sendJson(base, resultText(id, await answerer.discover(base)))
  }

  /** What a client says without waiting for an answer, and what it answers. */
  function receive(post: Post, message: RpcMessage): void {
    const { session } = post
    if (message.kind === 'response') {
      if (session && !session.asks.answered(message)) remoteCalls.answered(session, message)
    } else if (message.kind === 'notification') notified(post, message)
  }

  function notified(post: Post, { method, params }: RpcNotification): void {
    const { session } = post
    if (session === undefined) return
    if (method === 'notifications/roots/list_changed') notificationStreams.tell(post, session, method, params)
    const { requestId } = params
    if (method !== 'notifications/cancelled' || (typeof requestId !== 'string' && typeof requestId !== 'number')) return
    if (!cancelIn(session, requestId)) remoteCalls.cancelled(session, requestId)
  }

  function get(post: Post): void {
    const { request, reply, caller, session, surface, refusal } = post
    if (refusal !== undefined) throw refusal
    if (session === undefined)
      throw new GatewayError('METHOD_NOT_ALLOWED', 'Open a session first, or use POST', {
        headers: { Allow: 'POST, DELETE' },
      })
    streamsOnly(formsOf(request.headers.accept))
    if (session.stream) throw new GatewayError('STREAM_EXISTS', 'This session has a stream already')
    const stream = openSse(request, reply, streams)
    endsWith(caller, stream)
    const send = (data: string): void => void stream.send({ event: 'message', data })
    const hearing = notificationStreams.open({ surface, ...originOf(post) }, session, send)
    session.stream = {
      send,
      close: stream.close,
      refresh: hearing.refresh,
      accepts: (kind) => mayHear(kind, surface, caller),
    }
    stream.onClose(() => {
      session.stream = undefined
      hearing.close()
      sessions.touch(session)
    })
  }

  async function remove({ reply, session, refusal }: Post): Promise<void> {
    if (refusal !== undefined) throw refusal
    if (session === undefined)
      throw new GatewayError('METHOD_NOT_ALLOWED', 'There is no session to end', { headers: { Allow: 'POST' } })
    await sessions.end(session)
    remoteCalls.ended(session)
    reply.code(200).send()
  }
}

const accepted = ({ reply }: Post): void => void reply.code(202).send()

/** What a body names must be what its header names, and known. */
function checkDeclared(request: DirectRequest, declared: unknown): void {
  checkVersionHeader(headerOf(request, 'mcp-protocol-version'), declared)
  if (declared !== MODERN) throw unsupportedVersion(String(declared))
}

/** What is wrong with it is reported once its sender has been accepted. */
function readOrNot(value: unknown): RpcMessage | undefined {
  try {
    return readMessage(value)
  } catch {
    return undefined
  }
}

function parseText(text: string, maxDepth: number): unknown {
  try {
    return parseJson(text, maxDepth)
  } catch (error) {
    throw asParseError(error)
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
    name: cut(cleanLabel(info.name), 128),
    version: 'version' in info && typeof info.version === 'string' ? info.version.slice(0, 64) : '',
  }
}
