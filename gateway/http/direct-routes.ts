// Routes that are served on node:http itself. Plainly spelled requests never reach Fastify; all others arrive through its router and are handed over.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DirectReply, DirectRequest, type Front } from './direct.ts'
import { ANSWERED, type Gate, pathOf, runGates } from './gates.ts'
import { requestIdOf } from './request-context.ts'

export type DirectHandler = {
  /** Called once every gate let the request pass. Does not throw. */
  readonly serve: (request: DirectRequest, reply: DirectReply) => void
  readonly refuse: (error: unknown, request: DirectRequest, reply: DirectReply) => void
}

type DirectRoute = DirectHandler & { readonly pattern: string; readonly param: string; readonly gates: readonly Gate[] }
/** Those of one method: by the path before their parameter, and by the whole path. */
type Routes = { readonly named: Map<string, DirectRoute>; readonly whole: Map<string, DirectRoute> }

export type DirectRoutes = {
  /** A pattern that ends in one parameter, or has none. */
  add(method: string, pattern: string, gates: readonly Gate[], handler: DirectHandler): void
  /** False for a request that another route has to serve. */
  serve(raw: IncomingMessage, response: ServerResponse): boolean
  /** Answers a request that no route could be found for. */
  fail(
    raw: IncomingMessage,
    response: ServerResponse,
    explain: (request: DirectRequest, reply: DirectReply) => void,
  ): void
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
  const byMethod = new Map<string, Routes>()

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

  function answer(route: DirectRoute, raw: IncomingMessage, response: ServerResponse, params: unknown): void {
    const id = requestIdOf(raw)
    const request = new DirectRequest(options, id, raw, params, route.pattern)
    if (onAnswer) {
      const since = performance.now()
      response.once('finish', () => onAnswer(request, response.statusCode, performance.now() - since))
    }
    begin(route, route.gates, request, new DirectReply(response, id))
  }

  return {
    add(method, pattern, gates, handler) {
      const routes = byMethod.get(method) ?? { named: new Map(), whole: new Map() }
      byMethod.set(method, routes)
      const [, prefix, param = ''] = PATTERN.exec(pattern) ?? []
      if (prefix === undefined) routes.whole.set(pattern, { ...handler, pattern, param, gates })
      else routes.named.set(prefix, { ...handler, pattern, param, gates })
    },
    serve(raw, response) {
      const { url = '', method = '' } = raw
      const routes = byMethod.get(method)
      if (routes === undefined) return false
      const at = url.lastIndexOf('/') + 1
      const named = routes.named.get(url.slice(0, at))
      if (named) {
        const name = url.slice(at)
        if (!PLAIN.test(name)) return false
        answer(named, raw, response, { [named.param]: name })
        return true
      }
      const whole = routes.whole.get(pathOf(url))
      if (whole) answer(whole, raw, response, {})
      return whole !== undefined
    },
    fail(raw, response, explain) {
      const id = requestIdOf(raw)
      explain(new DirectRequest(options, id, raw, {}, ''), new DirectReply(response, id))
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
