// The Origin rule and the CORS rule: which web pages may speak to which surface.
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../contract/error.ts'
import type { HostRule } from './hosts.ts'
import type { HttpReply } from './request-reply.ts'

/** Listed origins compare exactly; `*` stands for all of them. */
export type OriginList = {
  readonly any: boolean
  readonly has: (origin: string) => boolean
}

export function originList(origins: readonly string[]): OriginList {
  const listed = new Set(origins)
  const any = listed.has('*')
  return { any, has: (origin) => any || listed.has(origin) }
}

/**
 * Own is the authority the request was sent to, which the Host rule has already accepted, or another
 * configured name of ours. The scheme is left open: behind a TLS proxy we do not see it.
 */
function isOwn(raw: IncomingMessage, origin: string, hosts: HostRule): boolean {
  const host = /^https?:\/\/(.+)$/.exec(origin)?.[1]
  return host !== undefined && (host === raw.headers.host || hosts.names(host))
}

const refused = () =>
  new GatewayError('ORIGIN_NOT_ALLOWED', 'Web pages of this origin may not call this endpoint; list it to allow it')

/** Contract 5.10. A client that is no browser sends neither header, and is left to its credential. */
export function originRefusal(raw: IncomingMessage, list: OriginList, hosts: HostRule): GatewayError | undefined {
  const { origin } = raw.headers
  if (origin !== undefined) return list.has(origin) || isOwn(raw, origin, hosts) ? undefined : refused()
  const site = raw.headers['sec-fetch-site']
  return site === undefined || site === 'none' || site === 'same-origin' ? undefined : refused()
}

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Accept, X-CSRF-Token, X-Request-Id, If-Match, Idempotency-Key, Mcp-Session-Id, MCP-Protocol-Version, Last-Event-ID, traceparent'
const EXPOSED_HEADERS = 'X-Request-ID, ETag, Retry-After, Mcp-Session-Id'
const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'

export type CorsOptions = { readonly maxAgeSeconds: number; readonly credentials: boolean }

/** Adds the CORS headers; true when the request was a preflight and is answered. */
export function answerCors(
  raw: IncomingMessage,
  reply: HttpReply,
  list: OriginList,
  { maxAgeSeconds, credentials }: CorsOptions,
): boolean {
  reply.header('Vary', 'Origin')
  const { origin } = raw.headers
  const preflight =
    raw.method === 'OPTIONS' && origin !== undefined && raw.headers['access-control-request-method'] !== undefined
  if (origin !== undefined && list.has(origin)) {
    // A wildcard never goes out together with credentials; the origin is not echoed for it either.
    reply.header('Access-Control-Allow-Origin', list.any ? '*' : origin)
    if (credentials && !list.any) reply.header('Access-Control-Allow-Credentials', 'true')
    reply.header('Access-Control-Expose-Headers', EXPOSED_HEADERS)
    if (preflight) {
      reply.header('Access-Control-Allow-Methods', ALLOWED_METHODS)
      reply.header('Access-Control-Allow-Headers', ALLOWED_HEADERS)
      reply.header('Access-Control-Max-Age', String(maxAgeSeconds))
    }
  }
  if (preflight) reply.code(204).send()
  return preflight
}
