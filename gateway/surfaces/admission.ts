// What is known of a request before its body is read: caller, surface, session, revision and rate, in the order of contract 5.1.
import type { FastifyRequest } from 'fastify'
import { GatewayError } from '../contract/error.ts'
import { SUPPORTED, unsupportedVersion } from '../mcp/era.ts'
import { RpcError } from '../mcp/json-rpc.ts'
import type { Caller } from '../pipeline/call.ts'
import type { Session, Sessions } from './sessions.ts'
import type { Surface } from './surface.ts'

/** Which surface a path names. Throws `KEY_SCOPE` before existence is looked at, then `*_NOT_FOUND`. */
export type SurfaceOf = (request: FastifyRequest, caller: Caller) => Surface

export type Arrival = {
  readonly caller: Caller
  readonly surface: Surface
  readonly session: Session | undefined
  /** Why it will be refused: kept until the body has told which message the answer is for. */
  readonly refusal: unknown
}

declare module 'fastify' {
  interface FastifyRequest {
    arrival: Arrival | undefined
  }
}

export type AdmissionParts = {
  readonly sessions: Pick<Sessions, 'find'>
  /** The caller of a request, or 401. */
  readonly authenticate: (request: FastifyRequest) => Promise<Caller> | Caller
  /** Spends from the MCP budget; throws when it is used up. */
  readonly spend: (caller: Caller, session: Session | undefined, ip: string) => void
}

export type Admission = {
  /** At once when its caller is known at once. */
  arrive(request: FastifyRequest): Arrival | Promise<Arrival>
  /** The modern era knows no sessions: a header that names one, good or bad, is not looked at. */
  forEra(arrival: Arrival, request: FastifyRequest, modern: boolean): Arrival
}

export function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const given = headers[name]
  return typeof given === 'string' && given !== '' ? given.trim() : undefined
}

export function arrivalOf({ arrival }: FastifyRequest): Arrival {
  if (arrival === undefined) throw new Error('A surface was asked before its caller was known')
  return arrival
}

export function createAdmission({ sessions, authenticate, spend }: AdmissionParts, surfaceOf: SurfaceOf): Admission {
  function admitted(request: FastifyRequest, caller: Caller, surface: Surface, sessionId: string | undefined): Arrival {
    let session: Session | undefined
    let refusal: unknown
    try {
      session = sessionId === undefined ? undefined : sessions.find(sessionId, surface.id, caller.name)
      const version = headerOf(request, 'mcp-protocol-version')
      if (version !== undefined && !SUPPORTED.includes(version)) throw unsupportedVersion(version)
      spend(caller, session, request.context.ip)
    } catch (error) {
      refusal = error
    }
    return { caller, surface, session, refusal }
  }

  return {
    arrive(request) {
      const arrived = (caller: Caller): Arrival =>
        admitted(request, caller, surfaceOf(request, caller), headerOf(request, 'mcp-session-id'))
      const caller = authenticate(request)
      return caller instanceof Promise ? caller.then(arrived) : arrived(caller)
    },
    forEra(arrival, request, modern) {
      if (!modern || (arrival.session === undefined && !isAboutSession(arrival.refusal))) return arrival
      return arrival.session
        ? { ...arrival, session: undefined }
        : admitted(request, arrival.caller, arrival.surface, undefined)
    },
  }
}

const isAboutSession = (refusal: unknown): boolean =>
  (refusal instanceof GatewayError || refusal instanceof RpcError) &&
  (refusal.code === 'INVALID_SESSION_ID' || refusal.code === 'SESSION_NOT_FOUND' || refusal.code === 'SESSION_CAPACITY')
