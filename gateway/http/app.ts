// The Fastify instance: every route that no direct one serves. It is imported and made at the first request that needs it.
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { GatewayError } from '../contract/error.ts'
import type { LoopGuard } from '../net/loop-guard.ts'
import type { DirectRoutes } from './direct-routes.ts'
import { type HttpLog, NOT_JSON, replyError } from './error-reply.ts'
import { ANSWERED, type Gate, type Gates, pathOf, runGates } from './gates.ts'
import type { HttpSettings } from './http-settings.ts'
import { decodeJson, isJsonType } from './json-body.ts'
import { type RequestContext, requestIdOf } from './request-context.ts'
import type { HttpRequest } from './request-reply.ts'
import type { KnownRoutes } from './route-table.ts'

export type Identify = (request: FastifyRequest, reply: FastifyReply) => void

export type AppParts = {
  readonly settings: Pick<HttpSettings, 'MAX_BODY_BYTES' | 'MAX_JSON_DEPTH'>
  readonly log: HttpLog
  readonly own: LoopGuard
  readonly gates: Gates
  readonly known: KnownRoutes
  readonly direct: Pick<DirectRoutes, 'handOver'>
  readonly identify: Identify
  /** Undefined where answers are not logged. */
  readonly onAnswer: ((request: Answered, status: number, durationMs: number) => void) | undefined
}
export type Answered = Pick<HttpRequest, 'id' | 'method' | 'routeOptions'>

/** Our own parser: Fastify's accepts invalid UTF-8 and has no depth limit. */
function parseJsonBodies(app: FastifyInstance, maxDepth: number): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (!isJsonType(request.headers['content-type'])) throw new GatewayError(...NOT_JSON)
    done(null, decodeJson(body, maxDepth))
  })
}

const gatesOf = (gates: Gates, request: FastifyRequest): readonly Gate[] =>
  request.routeOptions.config?.gates ?? gates.unrouted(pathOf(request.raw.url ?? ''))

/** Gates answer at once, unless they wait for limits that several instances share. */
function passing(outcome: ReturnType<typeof runGates>, end: (outcome: unknown) => void): void {
  if (outcome instanceof Promise) void settled(outcome, end)
  else end(outcome)
}

async function settled(outcome: Promise<unknown>, end: (outcome: unknown) => void): Promise<void> {
  end(await outcome.catch((error: unknown) => error))
}

function guardEveryRoute(app: FastifyInstance, { gates, known, direct, identify }: AppParts): void {
  app.addHook('onRoute', (route) => {
    known.add(route.method, route.url)
    const method = [route.method].flat().join(',')
    route.config = { ...route.config, gates: gates.of(route.url, method, route.config?.rateLimit) }
  })
  app.addHook('onRequest', (request, reply, done) => {
    const handler = request.routeOptions.config?.direct
    if (handler) {
      direct.handOver(request, reply, gatesOf(gates, request), handler)
      return
    }
    identify(request, reply)
    passing(runGates(gatesOf(gates, request), request, reply), (outcome) => {
      // What gates return, or the error of one.
      if (outcome !== ANSWERED) done(outcome as Error | undefined)
    })
  })
}

/** The instance without a route. Its own server is never used: requests are passed to `routing`. */
export async function makeApp(parts: AppParts): Promise<FastifyInstance> {
  const { settings, log, own, gates, identify, onAnswer } = parts
  const { default: Fastify } = await import('fastify')
  const options: FastifyServerOptions = {
    logger: false,
    bodyLimit: settings.MAX_BODY_BYTES,
    genReqId: requestIdOf,
    requestIdHeader: false,
    return503OnClosing: false,
    // Install tokens and percent-encoded tool names are longer than the router's own limit of 100.
    routerOptions: { maxParamLength: 1024 },
    // Hooks do not run for a URL that cannot be decoded, so its answer passes the gates by hand.
    frameworkErrors: (error, request: FastifyRequest, reply: FastifyReply) => {
      identify(request, reply)
      passing(runGates(gates.unrouted(pathOf(request.raw.url ?? '')), request, reply), (outcome) => {
        if (outcome !== ANSWERED) replyError(outcome ?? error, request, reply, log)
      })
    },
  }
  const app: FastifyInstance = Fastify(options)
  // Fastify asks for a slot of a plain value; the first gate fills it before anyone can read it.
  app.decorateRequest('context', null as unknown as RequestContext)
  app.setErrorHandler((error, request, reply) => replyError(error, request, reply, log))
  guardEveryRoute(app, parts)
  // Not before the body is read: reading it leaves the context that was begun around it.
  app.addHook('preHandler', ({ raw }, _reply, done) => own.within(raw.headers, done))
  if (onAnswer)
    app.addHook('onResponse', (request, reply, done) => {
      onAnswer(request, reply.raw.statusCode, reply.elapsedTime)
      done()
    })
  app.setNotFoundHandler(() => {
    throw new GatewayError('NOT_FOUND', 'There is no such route')
  })
  parseJsonBodies(app, settings.MAX_JSON_DEPTH)
  return app
}
