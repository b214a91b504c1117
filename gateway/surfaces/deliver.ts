// One JSON-RPC request and its answer on the POST it came with: as JSON or as events, cancelled as its era says. Contract 5.4, 5.12.
import type { FastifyReply } from 'fastify'
import type { HttpLog } from '../http/error-reply.ts'
import { type SseStream, sseFrame } from '../http/sse.ts'
import type { Streams } from '../http/streams.ts'
import { metaOf } from '../mcp/era.ts'
import { errorText, RPC, RpcError, type RpcId, type RpcRequest, resultText } from '../mcp/json-rpc.ts'
import { type Json, sizeOf, textOf } from '../mcp/json-text.ts'
import { LARGE_BYTES, type MemoryBudget } from '../net/memory-budget.ts'
import type { Answerer, Asked } from './handlers.ts'
import { endWith, sendLarge } from './large-answers.ts'
import { noticeTo, type Post, streamOf } from './post.ts'
import { type OnProgress, progressSender } from './progress.ts'
import { asRpc } from './refuse.ts'
import type { InFlight } from './sessions.ts'

export type Delivery = {
  /** The answer as text; undefined when the client cancelled and wants none. */
  answer(post: Post, message: RpcRequest, onProgress?: OnProgress): Promise<string | undefined>
  deliver(post: Post, message: RpcRequest): Promise<FastifyReply>
}

type Parts = {
  readonly answerer: Answerer
  readonly streams: Streams
  readonly room: MemoryBudget
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

/** Answered from what is here: neither cancelled nor followed. */
const QUICK: ReadonlySet<string> = new Set(['ping', 'tools/list'])

export function createDelivery({ answerer, streams, room, log, now }: Parts): Delivery {
  function handle(asked: Asked, { method, params }: RpcRequest): string | Promise<Json> {
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
  async function result(post: Post, message: RpcRequest, onProgress?: OnProgress): Promise<Json | undefined> {
    const { session, reply, modern, caller } = post
    const running = new Running(message.id)
    const asked = askedOf(post, running, onProgress)
    if (QUICK.has(message.method)) return resultText(message.id, await handle(asked, message))
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
        const json = await result(post, message, onProgress)
        return json === undefined ? undefined : textOf(json)
      } catch (error) {
        return errorOf(error, message.id, post.request.id)
      }
    },

    async deliver(post, message) {
      const { request, reply } = post
      let json: Json | undefined
      try {
        json = await result(post, message, progressOf(post, message))
      } catch (error) {
        // Once something was said before the answer, a failure can only be said after it.
        if (!post.stream) throw error
        json = errorOf(error, message.id, request.id)
      }
      const { stream } = post
      if (json === undefined) return stream ? ended(stream, reply) : reply.code(202).send()
      if (stream) return endWith(stream, reply, json, room)
      return sizeOf(json) < LARGE_BYTES ? sendText(post, textOf(json)) : sendLarge(post, json, room)
    },
  }

  function progressOf(post: Post, { method, params }: RpcRequest): OnProgress | undefined {
    if (QUICK.has(method) || !post.forms.sse || post.batched) return undefined
    const token = metaOf(params)?.progressToken
    if (typeof token !== 'string' && typeof token !== 'number') return undefined
    // In the other era the status of an error says something, so it waits for the first news.
    if (method === 'tools/call' && !post.modern) streamOf(post, streams)
    return progressSender(token, (text) => noticeTo(post, streams)?.(text), now)
  }
}

function ended(stream: SseStream, reply: FastifyReply): FastifyReply {
  stream.close()
  return reply
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
    post,
  }
}
