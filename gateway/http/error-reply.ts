// The one place that answers an error: every refusal, Fastify's own included, becomes the envelope of contract 1.5.
import { type ErrorCode, type ErrorEnvelope, GatewayError } from '../contract/error.ts'
import { asUnavailable } from '../storage/storage-error.ts'
import type { Log } from '../telemetry/log.ts'
import { cleanText } from '../text/clean.ts'
import type { HttpReply, HttpRequest } from './request-reply.ts'

/** As much of the log as the HTTP front writes. */
export type HttpLog = Pick<Log, 'debug' | 'error'>

export type ErrorText = readonly [ErrorCode, string]
export const BODY_TOO_LARGE: ErrorText = ['PAYLOAD_TOO_LARGE', 'The body is larger than this route accepts']
export const NOT_JSON: ErrorText = ['UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json in UTF-8']
export const UNREADABLE: ErrorText = ['INVALID_REQUEST', 'The request could not be read']
export const WRONG_LENGTH: ErrorText = ['INVALID_JSON', 'The body is not as long as Content-Length says']

const FROM_FASTIFY: Readonly<Record<string, ErrorText>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: BODY_TOO_LARGE,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: NOT_JSON,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: WRONG_LENGTH,
  // A value that breaks its pattern is a thing that does not exist (contract 1.2).
  FST_ERR_BAD_URL: ['NOT_FOUND', 'There is no such route'],
  FST_ERR_MAX_PARAM_LENGTH: ['NOT_FOUND', 'There is no such route'],
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** The error that a caller receives for anything thrown. The cause of a defect stays in the log. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  const unavailable = asUnavailable(error)
  if (unavailable) return unavailable
  const known = FROM_FASTIFY[codeOf(error)]
  if (known !== undefined) return new GatewayError(...known)
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined
  if (typeof status === 'number' && status >= 400 && status < 500) return new GatewayError(...UNREADABLE)
  return new GatewayError('INTERNAL_ERROR', 'Something went wrong inside the gateway; the log has this request id')
}

export function envelope(error: GatewayError, requestId: string): ErrorEnvelope {
  const { fields, details, retryAfterMs } = error.extras
  return {
    error: {
      code: error.code,
      // It may quote what the caller or an upstream sent.
      message: cleanText(error.message),
      request_id: requestId,
      ...(fields && { fields: [...fields] }),
      ...(details && { details: { ...details } }),
      ...(retryAfterMs !== undefined && { retryAfterMs, retry_after: wholeSeconds(retryAfterMs) }),
    },
  }
}

const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

/** The caller disconnected, which ended the work: nothing failed, and no caller reads the answer. */
const wasLeft = (thrown: unknown, { raw }: HttpReply): boolean =>
  raw.closed && !raw.writableFinished && thrown instanceof Error && thrown.name === 'AbortError'

export function replyError<R extends HttpReply>(thrown: unknown, request: HttpRequest, reply: R, log: HttpLog): R {
  const error = asGatewayError(thrown)
  if (error.status >= 500 && error.code !== 'SHUTTING_DOWN' && !wasLeft(thrown, reply))
    log.error('request failed', {
      request_id: request.id,
      code: error.code,
      method: request.method,
      route: request.routeOptions.url ?? null,
      cause: thrown,
    })
  if (error.code === 'UNAUTHORIZED' || error.code === 'INVALID_CREDENTIALS') reply.header('WWW-Authenticate', 'Bearer')
  if (error.extras.retryAfterMs !== undefined)
    reply.header('Retry-After', String(wholeSeconds(error.extras.retryAfterMs)))
  if (error.extras.headers) reply.headers({ ...error.extras.headers })
  // Set by hand: an answer that was to be a stream or a page may have named another type already.
  reply
    .code(error.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(envelope(error, request.id)))
  return reply
}
