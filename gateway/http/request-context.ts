// What every handler may know about its request: the correlation id, the caller's trace and address.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { clientAddress, type TrustPeer } from './client-address.ts'

export type Trace = { readonly traceId: string; readonly parentId: string; readonly sampled: boolean }

export type RequestContext = {
  readonly requestId: string
  /** The W3C trace of the caller, when it sent a valid one. */
  readonly trace: Trace | undefined
  readonly ip: string
}

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext
  }
}

const ACCEPTED_ID = /^[A-Za-z0-9._:-]{1,128}$/

/** The caller's id when it is well formed, else a fresh one. Rule: contract 1.9. */
export function requestIdOf(raw: IncomingMessage): string {
  const given = raw.headers['x-request-id']
  return typeof given === 'string' && ACCEPTED_ID.test(given) ? given : randomUUID()
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** A version above 00 may append fields; ff, all-zero ids and anything else are no trace at all (W3C 3.2). */
export function parseTraceparent(header: string): Trace | undefined {
  const [, version, traceId, parentId, flags, rest] = TRACEPARENT.exec(header) ?? []
  if (traceId === undefined || parentId === undefined || flags === undefined || version === 'ff') return undefined
  if (version === '00' && rest !== undefined) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function requestContext(raw: IncomingMessage, requestId: string, trust: TrustPeer | undefined): RequestContext {
  const traceparent = raw.headers['traceparent']
  return {
    requestId,
    trace: typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined,
    ip: clientAddress(raw, trust),
  }
}
