// One JSON-RPC request and its answer on the POST it came with: as JSON or as events, cancelled as its era says. Contract 5.4, 5.12.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '../contract/error.ts'
import type { HttpLog } from '../http/error-reply.ts'
import { openSse, sseFrame } from '../http/sse.ts'
import type { Streams } from '../http/streams.ts'
import type { Caller } from '../pipeline/call.ts'
import { metaOf } from './era.ts'
import type { Forms } from './forms.ts'
import type { Answerer, Asked } from './handlers.ts'
import { errorText, RPC, RpcError, type RpcId, type RpcRequest, resultText } from './json-rpc.ts'
import { type OnProgress, progressSender } from './progress.ts'
import type { InFlight, Session } from './sessions.ts'
import type { Surface } from './surface.ts'

/** A POST whose caller, surface and session are settled. */
export type Post = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: Caller
  readonly surface: Surface
  readonly session: Session | undefined
  readonly forms: Forms
  readonly bytes: number
  readonly modern: boolean
}

export type Delivery = {
  /** The answer as text; undefined when the client cancelled and wants none. */
  answer(post: Post, message: RpcRequest, onProgress?: OnProgress): Promise<string | undefined>
  deliver(post: Post, message: RpcRequest): Promise<FastifyReply>
}

type Parts = {
  readonly answerer: Answerer
  readonly streams: Streams
  readonly log: HttpLog
  /** Monotonic. */
  readonly now: () => number
}

/** One finished answer, in the form the client takes. */
export function sendText({ reply, forms }: Pick<Post, 'reply' | 'forms'>, text: string): FastifyReply {
  return forms.json
    ? reply.header('content-type', 'application/json').send(text)
    : reply.header('content-type', 'text/event-stream').send(sseFrame({ event: 'message', data: text }))
}

export function asRpc(error: unknown, log: HttpLog, requestId: string): RpcError {
  if (error instanceof RpcError) return error
  if (error instanceof GatewayError)
    return new RpcError(RPC.server, error.code, error.message, { status: error.status })
  log.error('an MCP request failed', { request_id: requestId, error })
  return new RpcError(RPC.internal, 'INTERNAL_ERROR', 'Internal error', { status: 500 })
}

export function createDelivery({ answerer, streams, log, now }: Parts): Delivery {
  function handle(asked: Asked, { method, params }: RpcRequest): string | Promise<string> {
    if (method === 'tools/call') return answerer.callTool(asked, params)
    if (method === 'tools/list') return answerer.listTools(asked, params)
    if (method === 'ping' && !asked.modern) return '{}'
    const other = answerer.other?.(asked, method, params)
    if (other !== undefined) return other
    throw new RpcError(RPC.methodNotFound, 'METHOD_NOT_FOUND', `Method not found: ${method.slice(0, 128)}`, {
      status: asked.modern ? 404 : 200,
    })
  }

  /** Throws what the answer would be an error for. */
  async function result(post: Post, message: RpcRequest, onProgress?: OnProgress): Promise<string | undefined> {
    const { session, reply, modern, caller } = post
    const running = new Running(message.id)
    const asked = askedOf(post, running, onProgress)
    if (message.method !== 'tools/call') return resultText(message.id, await handle(asked, message))
    // In the modern era whoever closes the answer cancels it; a session says so in a message of its own.
    if (modern) reply.raw.once('close', running.cancel)
    session?.inFlight.add(running)
    const outlive = caller.onEnd?.(running.cancel)
    try {
      const text = await handle(asked, message)
      return running.unanswered ? undefined : resultText(message.id, text)
    } finally {
      if (modern) reply.raw.off('close', running.cancel)
      session?.inFlight.delete(running)
      outlive?.()
    }
  }

  const errorOf = (error: unknown, id: RpcId, requestId: string): string =>
    errorText(id, asRpc(error, log, requestId), requestId)

  return {
    async answer(post, message, onProgress) {
      try {
        return await result(post, message, onProgress)
      } catch (error) {
        return errorOf(error, message.id, post.request.id)
      }
    },

    async deliver(post, message) {
      const { request, reply, forms } = post
      const token = message.method === 'tools/call' ? metaOf(message.params)?.progressToken : undefined
      const wantsProgress = typeof token === 'string' || typeof token === 'number'
      if (!wantsProgress || !forms.sse) {
        const text = await result(post, message)
        return text === undefined ? reply.code(202).send() : sendText(post, text)
      }
      const stream = openSse(request, reply, streams)
      const send = (data: string): void => void stream.send({ event: 'message', data })
      const text = await result(post, message, progressSender(token, send, now)).catch((error: unknown) =>
        errorOf(error, message.id, request.id),
      )
      if (text !== undefined) send(text)
      stream.close()
      return reply
    },
  }
}

/** A call under way, which may be cancelled before it has said how. */
class Running implements InFlight {
  readonly id: RpcId
  unanswered = false
  private cancelled = false
  private stop: (() => void) | undefined

  constructor(id: RpcId) {
    this.id = id
  }

  readonly cancel = (): void => {
    this.cancelled = true
    this.stop?.()
  }

  readonly onCancel = (given: () => void): void => {
    this.stop = given
    if (this.cancelled) given()
  }
}

function askedOf(post: Post, { onCancel }: Running, onProgress: OnProgress | undefined): Asked {
  const { request, session, surface, caller, bytes, modern } = post
  const endUser = request.headers['x-end-user-id']
  return {
    surface,
    caller,
    requestId: request.id,
    trace: request.context.trace,
    sessionHash: session?.hash ?? null,
    endUserHeader: typeof endUser === 'string' && endUser !== '' && endUser.length <= 256 ? endUser : null,
    modern,
    bytes,
    onCancel,
    onProgress,
  }
}
