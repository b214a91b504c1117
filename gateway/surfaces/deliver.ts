// One JSON-RPC request and its answer on the POST it came with: as JSON or as events, cancelled as its era says. Contract 5.4, 5.12.
import type { HttpLog } from '../http/error-reply.ts'
import { sseFrame } from '../http/sse.ts'
import type { Streams } from '../http/streams.ts'
import { metaOf } from '../mcp/era.ts'
import { errorText, RPC, RpcError, type RpcId, type RpcParams, type RpcRequest, resultText } from '../mcp/json-rpc.ts'
import { bytesOf, type Json, textOf } from '../mcp/json-text.ts'
import { LARGE_BYTES, type MemoryBudget } from '../net/memory-budget.ts'
import { compressedList } from './compressed-list.ts'
import type { Answerer } from './handlers.ts'
import { endWith, sendLarge } from './large-answers.ts'
import { McpRequest } from './mcp-request.ts'
import { noticeTo, type Post, streamOf } from './post.ts'
import { type OnProgress, progressSender } from './progress.ts'
import { answerError, asRpc } from './refuse.ts'

type Ending = {
  /** Undefined when the client cancelled and wants no answer. */
  answered(result: Json | undefined): void
  failed(error: unknown): void
}

type Parts = {
  readonly answerer: Answerer
  readonly streams: Streams
  readonly room: MemoryBudget
  readonly log: HttpLog
  /** Monotonic. */
  readonly monotonic: () => number
}

/** One finished answer, in the form the client takes. Bytes leave as they are: text would be joined and copied first. */
export function sendJson({ reply, forms }: Pick<Post, 'reply' | 'forms'>, json: Json): void {
  if (forms.json) reply.header('content-type', 'application/json').send(typeof json === 'string' ? json : bytesOf(json))
  else reply.header('content-type', 'text/event-stream').send(sseFrame({ event: 'message', data: textOf(json) }))
}

/** Answered from what is here: neither cancelled nor followed. */
const QUICK: ReadonlySet<string> = new Set(['ping', 'tools/list'])

export function createDelivery({ answerer, streams, room, log, monotonic }: Parts) {
  function handle(request: McpRequest, method: string, params: RpcParams): Json | Promise<Json> {
    const { modern } = request.post
    if (method === 'tools/call') return answerer.callTool(request, params)
    if (method === 'tools/list') return answerer.listTools(request, params)
    if (method === 'ping' && !modern) return '{}'
    const other = answerer.other?.(request, method, params)
    if (other !== undefined) return other
    throw new RpcError(RPC.methodNotFound, 'METHOD_NOT_FOUND', `Method not found: ${method.slice(0, 128)}`, {
      status: modern ? 404 : 200,
    })
  }

  /** Cancelled while it is under way. In the modern era, closing the answer cancels it; a session sends a message for that. */
  function follow(request: McpRequest): () => void {
    const { modern, reply, session, caller } = request.post
    if (modern) reply.raw.once('close', request.cancel)
    session?.inFlight.add(request)
    const outlive = caller.onEnd?.(request.cancel)
    return () => {
      if (modern) reply.raw.off('close', request.cancel)
      session?.inFlight.delete(request)
      outlive?.()
    }
  }

  /** Calls back once; at once where there is nothing to wait for. */
  function begin(
    post: Post,
    { id, method, params }: RpcRequest,
    onProgress: OnProgress | undefined,
    end: Ending,
  ): void {
    const request = new McpRequest(post, id, onProgress)
    const unfollow = QUICK.has(method) ? undefined : follow(request)
    const answered = (result: Json): void => {
      unfollow?.()
      end.answered(request.unanswered ? undefined : result)
    }
    const failed = (error: unknown): void => {
      unfollow?.()
      end.failed(error)
    }
    let given: Json | Promise<Json>
    try {
      given = handle(request, method, params)
    } catch (error) {
      failed(error)
      return
    }
    if (given instanceof Promise) given.then(answered, failed)
    else answered(given)
  }

  const errorOf = (error: unknown, id: RpcId, requestId: string): string =>
    errorText(id, asRpc(error, log, requestId), requestId)

  function send(post: Post, json: Json | undefined): void {
    const { stream, reply } = post
    if (json === undefined) {
      if (stream) stream.close()
      else reply.code(202).send()
    } else if (stream) endWith(stream, reply, json, room)
    else if ((typeof json === 'string' ? json : json.bytes).length < LARGE_BYTES) sendJson(post, json)
    else sendLarge(post, json, room)
  }

  return {
    /** The answer as text; undefined when the client cancelled and wants none. */
    answer: (post: Post, message: RpcRequest): Promise<string | undefined> =>
      new Promise((resolve) => {
        begin(post, message, undefined, {
          answered: (result) => resolve(result === undefined ? undefined : textOf(resultText(message.id, result))),
          failed: (error) => resolve(errorOf(error, message.id, post.request.id)),
        })
      }),

    /** Sends the answer, or its error. */
    deliver(post: Post, message: RpcRequest): void {
      const { request, reply } = post
      const refuse = (error: unknown): void => answerError(error, request, reply, message.id, log)
      begin(post, message, progressOf(post, message), {
        answered(result) {
          try {
            if (result === undefined) return send(post, undefined)
            const compressed = compressedList(post, message.id, result)
            if (compressed === undefined) send(post, resultText(message.id, result))
            else compressed(post, room).catch(refuse)
          } catch (error) {
            refuse(error)
          }
        },
        // Once data was sent before the answer, a failure can only be sent after it.
        failed: (error) => (post.stream ? send(post, errorOf(error, message.id, request.id)) : refuse(error)),
      })
    },
  }

  function progressOf(post: Post, { method, params }: RpcRequest): OnProgress | undefined {
    if (QUICK.has(method) || !post.forms.sse || post.batched) return undefined
    const token = metaOf(params)?.progressToken
    if (typeof token !== 'string' && typeof token !== 'number') return undefined
    // In the other era the status of an error says something, so it waits for the first news.
    if (method === 'tools/call' && !post.modern) streamOf(post, streams)
    return progressSender(token, (text) => noticeTo(post, streams)?.(text), monotonic)
  }
}
