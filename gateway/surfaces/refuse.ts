// How a refused request is answered: in our envelope before a message was accepted, in JSON-RPC's own form after. Contract 5.10.
import { GatewayError } from '../contract/error.ts'
import { type HttpLog, replyError } from '../http/error-reply.ts'
import type { HttpReply, HttpRequest } from '../http/request-reply.ts'
import { errorText, RPC, RpcError, type RpcId } from '../mcp/json-rpc.ts'
import { asUnavailable } from '../storage/storage-error.ts'

export function asRpc(thrown: unknown, log: HttpLog, requestId: string): RpcError {
  if (thrown instanceof RpcError) return thrown
  const error = asUnavailable(thrown) ?? thrown
  if (error !== thrown)
    log.error('the database is not available to an MCP request', { request_id: requestId, error: thrown })
  if (error instanceof GatewayError)
    return new RpcError(RPC.server, error.code, error.message, { status: error.status })
  log.error('an MCP request failed', { request_id: requestId, error })
  return new RpcError(RPC.internal, 'INTERNAL_ERROR', 'Internal error', { status: 500 })
}

/** A body that is no JSON is no JSON-RPC either. */
export const asParseError = (error: unknown): unknown =>
  error instanceof GatewayError && error.code === 'INVALID_JSON'
    ? new RpcError(RPC.parse, 'PARSE_ERROR', error.message, { status: 400 })
    : error

export function answerError(
  thrown: unknown,
  request: HttpRequest,
  reply: HttpReply,
  id: RpcId | null,
  log: HttpLog,
): void {
  // Begun as a stream: nothing more can be sent, and no reader may wait on it for what will not come.
  if (reply.sent) {
    log.error('a stream failed', { request_id: request.id, error: thrown })
    reply.raw.destroy()
    return
  }
  const stopping = thrown instanceof GatewayError && thrown.code === 'SHUTTING_DOWN'
  const away = id !== null && thrown instanceof GatewayError && thrown.code === 'DATABASE_UNAVAILABLE'
  const error =
    stopping || away || (id !== null && !(thrown instanceof GatewayError)) ? asRpc(thrown, log, request.id) : thrown
  if (!(error instanceof RpcError)) {
    replyError(error, request, reply, log)
    return
  }
  if (stopping) reply.header('retry-after', '5')
  if (error.code === 'DATABASE_UNAVAILABLE') reply.header('retry-after', '2')
  reply
    .headers({ ...error.headers })
    .code(error.status)
    .header('content-type', 'application/json')
    .send(errorText(id, error, request.id))
}
