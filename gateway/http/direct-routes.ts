// Routes that are served on node:http itself. A plain POST skips Fastify's router; all other requests arrive through it and are handed over.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DirectReply, DirectRequest, type Front } from './direct.ts'
import { ANSWERED, type Gate, runGates } from './gates.ts'
import { requestIdOf } from './request-context.ts'

export type DirectHandler = {
  /** Called once every gate let the request pass. Does not throw. */
  readonly serve: (request: DirectRequest, reply: DirectReply) => void
  readonly refuse: (error: unknown, request: DirectRequest, reply: DirectReply) => void
}

type DirectRoute = DirectHandler & { readonly pattern: string; readonly param: string; readonly gates: readonly Gate[] }

export type DirectRoutes = {
  /** A POST whose pattern ends in one parameter. */
  add(pattern: string, gates: readonly Gate[], handler: DirectHandler): void
  /** Looks at the requests of a server before its other listener. */
  before(server: Server): void
  handOver(request: FastifyRequest, reply: FastifyReply, gates: readonly Gate[], handler: DirectHandler): void
}

/** Names that need no decoding. */
const PLAIN = /^[\w.-]{1,256}$/
const PATTERN = /^(\/[^:]*\/):(\w+)$/

type Options = Front & {
  /** Undefined where answers are not logged. */
  readonly onAnswer: ((request: DirectRequest, status: number, durationMs: number) => void) | undefined
}

export function createDirectRoutes(options: Options): DirectRoutes {
  const { onAnswer } = options
  const routes = new Map<string, DirectRoute>()

  function begin(
    { serve, refuse }: DirectHandler,
    gates: readonly Gate[],
    request: DirectRequest,
    reply: DirectReply,
  ): void {
    const proceed = (outcome: Awaited<ReturnType<typeof runGates>>): void => {
      if (outcome === undefined) request.within(() => serve(request, reply))
      else if (outcome !== ANSWERED) refuse(outcome, request, reply)
    }
    const outcome = runGates(gates, request, reply)
    if (outcome instanceof Promise) outcome.then(proceed).catch((error: unknown) => refuse(error, request, reply))
    else proceed(outcome)
  }

  /** False for a request that another route has to serve. */
  function serve(raw: IncomingMessage, response: ServerResponse): boolean {
    if (raw.method !== 'POST') return false
    const { url = '' } = raw
    const at = url.lastIndexOf('/') + 1
    const route = routes.get(url.slice(0, at))
    const name = url.slice(at)
    if (route === undefined || !PLAIN.test(name)) return false
    const id = requestIdOf(raw)
    const request = new DirectRequest(options, id, raw, { [route.param]: name }, route.pattern)
    if (onAnswer) {
      const since = performance.now()
      response.once('finish', () => onAnswer(request, response.statusCode, performance.now() - since))
    }
    begin(route, route.gates, request, new DirectReply(response, id))
    return true
  }

  return {
    add(pattern, gates, handler) {
      const [, prefix, param] = PATTERN.exec(pattern) ?? []
      if (prefix !== undefined && param !== undefined) routes.set(prefix, { ...handler, pattern, param, gates })
    },
    before(server) {
      const others = server.listeners('request')
      server.removeAllListeners('request').on('request', (raw: IncomingMessage, response: ServerResponse) => {
        if (!serve(raw, response)) for (const other of others) other.call(server, raw, response)
      })
    },
    handOver({ id, raw, params, routeOptions }, reply, gates, handler) {
      reply.hijack()
      begin(
        handler,
        gates,
        new DirectRequest(options, id, raw, params, routeOptions.url ?? ''),
        new DirectReply(reply.raw, id),
      )
    },
  }
}
