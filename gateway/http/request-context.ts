// What every handler may know about its request: the correlation id, the caller's trace and address.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { parseTraceparent } from '../telemetry/trace.ts'
import { clientAddress, type TrustPeer } from './client-address.ts'

type Trace = ReturnType<typeof parseTraceparent>

export type RequestContext = {
  readonly requestId: string
  /** The caller's span, when it sent a valid traceparent. */
  readonly trace: Trace
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

export function requestContext(raw: IncomingMessage, requestId: string, trust: TrustPeer | undefined): RequestContext {
  const traceparent = raw.headers['traceparent']
  return {
    requestId,
    trace: typeof traceparent === 'string' ? parseTraceparent(traceparent) : null,
    ip: clientAddress(raw, trust),
  }
}
