// The HTTP front: one Fastify instance, its gates in order, the public and operations routes, a stop.
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { GatewayError } from '../contract/error.ts'
import type { LoopGuard } from '../net/loop-guard.ts'
import { registerAdminUi } from './admin-ui.ts'
import { requestScheme, type TrustPeer } from './client-address.ts'
import { type ConnectionLimits, createConnectionLimit, openFilesLimit, QUEUE } from './connection-limit.ts'
import { createDirectRoutes, type DirectHandler, type DirectRoutes } from './direct-routes.ts'
import { type OpenApiDocument, registerDocs } from './docs.ts'
import { type HttpLog, NOT_JSON, replyError } from './error-reply.ts'
import { ANSWERED, createGates, type Gate, type Gates, pathOf, runGates } from './gates.ts'
import { createHostRule, type HostRule } from './hosts.ts'
import type { HttpSettings } from './http-settings.ts'
import { decodeJson, isJsonType } from './json-body.ts'
import { createLimits, type Limits, type RateObserver, type ShareLimits } from './limits.ts'
import { registerLlmsTxt } from './llms-txt.ts'
import { type AdminGate, registerMetrics } from './metrics-route.ts'
import { originList } from './origins.ts'
import { type ReadinessFacts, registerProbes } from './probes.ts'
import { type RequestContext, requestContext, requestIdOf } from './request-context.ts'
import type { HttpRequest } from './request-reply.ts'
import { createKnownRoutes, type KnownRoutes } from './route-table.ts'
import { BASE_HEADERS } from './security-headers.ts'
import { createDrain, type Drain } from './shutdown.ts'
import { type Feed, feedSse, openSse } from './sse.ts'
import { createStreams, type Streams } from './streams.ts'
import { answerUnparsed } from './unparsed.ts'
import { createUpgrades, isSocketRequest, type Upgrades } from './upgrades.ts'

/** How long a peer may take; the defaults close a slow one within 30 seconds. */
export type HttpTimeouts = {
  readonly headersMs: number
  readonly requestMs: number
  readonly keepAliveMs: number
  readonly checkEveryMs: number
  readonly pingMs: number
}
const TIMEOUTS: HttpTimeouts = {
  headersMs: 15_000,
  requestMs: 25_000,
  keepAliveMs: 65_000,
  checkEveryMs: 4000,
  pingMs: 15_000,
}

export type HttpOptions = {
  readonly settings: HttpSettings
  readonly log: HttpLog
  readonly own: LoopGuard
  /** Whether each answer leaves a debug line. */
  readonly logRequests?: boolean
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Absent when no proxy is trusted. */
  readonly trust?: TrustPeer
  readonly facts: ReadinessFacts
  /** Whether MCP clients need no credential now. */
  readonly dataPlaneOpen: () => boolean
  readonly observe?: RateObserver
  readonly shareLimits?: ShareLimits | undefined
  /** What this caller may read of them. */
  readonly renderMetrics: (request: FastifyRequest) => string | Promise<string>
  /** Lets viewers and above pass; throws a GatewayError otherwise. */
  readonly requireViewer: AdminGate
  readonly openApi: () => OpenApiDocument
  /** The built admin application. */
  readonly uiDirectory: string | null
  readonly timeouts?: Partial<HttpTimeouts>
  readonly connections?: ConnectionLimits
}

export type Http = {
  readonly app: FastifyInstance
  /** Binds the port (0 picks one) on the HOST of the settings. */
  readonly listen: (port: number) => Promise<{ readonly port: number; readonly url: string }>
  readonly stop: Drain['stop']
  readonly draining: Drain['draining']
  readonly streams: Streams
  /** Turns a reply into a stream that is fed by what is given. */
  readonly openStream: (request: FastifyRequest, reply: FastifyReply, feed: Feed) => void
  readonly limits: Limits
  readonly hosts: HostRule
  /** For a route that answers WebSocket requests. */
  readonly upgrades: Upgrades
  /** What a route sets as `bodyLimit` when it takes more than the ordinary body. */
  readonly registerBodyBytes: number
  /** The base URL as this caller should see it; GATEWAY_PUBLIC_URL verbatim when set. */
  readonly baseUrl: (request: Pick<HttpRequest, 'raw'>) => string
  /** Serves a route on node:http, behind the same gates as every other. */
  readonly direct: (pattern: string, handlers: Readonly<Partial<Record<DirectMethod, DirectHandler>>>) => void
}

export type DirectMethod = 'POST' | 'GET' | 'DELETE'

const gatesOf = (gates: Gates, request: FastifyRequest): readonly Gate[] =>
  request.routeOptions.config?.gates ?? gates.unrouted(pathOf(request.raw.url ?? ''))

function fastify(
  settings: HttpSettings,
  timeouts: HttpTimeouts,
  refuse: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  return Fastify({
    logger: false,
    bodyLimit: settings.MAX_BODY_BYTES,
    genReqId: requestIdOf,
    requestIdHeader: false,
    return503OnClosing: false,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    // Install tokens and percent-encoded tool names are longer than the router's own limit of 100.
    routerOptions: { maxParamLength: 1024 },
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      shouldUpgradeCallback: isSocketRequest,
    },
    // Hooks do not run for a URL that cannot be decoded, so its answer passes the gates by hand.
    frameworkErrors: refuse,
    clientErrorHandler: answerUnparsed,
  })
}

/** Our own parser: Fastify's accepts invalid UTF-8 and has no depth limit. */
function parseJsonBodies(app: FastifyInstance, maxDepth: number): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (!isJsonType(request.headers['content-type'])) throw new GatewayError(...NOT_JSON)
    done(null, decodeJson(body, maxDepth))
  })
}

function guardEveryRoute(
  app: FastifyInstance,
  gates: Gates,
  known: KnownRoutes,
  direct: DirectRoutes,
  identify: Identify,
): void {
  app.addHook('onRoute', (route) => {
    known.add(route.method, route.url)
    const method = [route.method].flat().join(',')
    const own = gates.of(route.url, method, route.config?.rateLimit)
    route.config = { ...route.config, gates: own }
    if (route.config.direct && method === 'POST') direct.add(route.url, own, route.config.direct)
  })
  app.addHook('onRequest', (request, reply, done) => {
    const handler = request.routeOptions.config?.direct
    if (handler) {
      direct.handOver(request, reply, gatesOf(gates, request), handler)
      return
    }
    identify(request, reply)
    const proceed = (outcome: Awaited<ReturnType<typeof runGates>>): void => {
      if (outcome !== ANSWERED) done(outcome)
    }
    const outcome = runGates(gatesOf(gates, request), request, reply)
    if (outcome instanceof Promise) outcome.then(proceed).catch(done)
    else proceed(outcome)
  })
}

type Identify = (request: FastifyRequest, reply: FastifyReply) => void

const logAnswer = (log: HttpLog, { id, method, routeOptions }: Logged, status: number, durationMs: number): void =>
  log.debug('answered', {
    request_id: id,
    method,
    route: routeOptions.url ?? null,
    status,
    durationMs: Math.round(durationMs),
  })
type Logged = Pick<HttpRequest, 'id' | 'method' | 'routeOptions'>

async function listen(app: FastifyInstance, host: string, port: number): Promise<{ port: number; url: string }> {
  const url = await app.listen({ host, port })
  return { port: Number(new URL(url).port || 80), url }
}

export function createHttp(options: HttpOptions): Http {
  const { settings, log, trust } = options
  const timeouts: HttpTimeouts = { ...TIMEOUTS, ...options.timeouts }
  const hosts = createHostRule({
    boundTo: settings.HOST,
    allowed: settings.ALLOWED_HOSTS,
    publicUrl: settings.GATEWAY_PUBLIC_URL,
  })
  const limits = createLimits(settings, options.now, options.observe, options.shareLimits)
  const streams = createStreams(timeouts.pingMs)
  const known = createKnownRoutes()
  const mcpOrigins = originList(settings.ALLOWED_ORIGINS)
  const gates = createGates({
    hosts,
    limits,
    known,
    mcpOrigins,
    adminOrigins: originList(settings.CORS_ORIGINS),
    cors: { maxAgeSeconds: settings.CORS_MAX_AGE_SECONDS, credentials: settings.CORS_ALLOW_CREDENTIALS },
    draining: () => drain.draining(),
    tooManyConnections: () => connectionLimit.tooMany(),
    own: options.own,
    dataPlaneOpen: options.dataPlaneOpen,
    authDisabled: settings.AUTH_DISABLED,
  })
  const identify: Identify = (request, reply) => {
    request.context = requestContext(request.raw, request.id, trust)
    reply.header('x-request-id', request.id).headers(BASE_HEADERS)
  }
  const app = fastify(settings, timeouts, (error, request, reply) => {
    identify(request, reply)
    const answer = (outcome: unknown): void => {
      if (outcome !== ANSWERED) replyError(outcome ?? error, request, reply, log)
    }
    const outcome = runGates(gates.unrouted(pathOf(request.raw.url ?? '')), request, reply)
    if (outcome instanceof Promise) outcome.then(answer, answer)
    else answer(outcome)
  })
  const connectionLimit = createConnectionLimit(
    app.server,
    options.connections ?? { files: openFilesLimit(), queue: QUEUE },
    streams.size,
  )
  const upgrades = createUpgrades(app)
  const drain = createDrain({
    server: app.server,
    streams,
    drainMs: settings.SHUTDOWN_DRAIN_MS,
    graceMs: settings.SHUTDOWN_FORCE_EXIT_MS,
    close: () => app.close(),
  })
  const direct = createDirectRoutes({
    trust,
    own: options.own,
    onAnswer: options.logRequests
      ? (request, status, durationMs) => logAnswer(log, request, status, durationMs)
      : undefined,
  })
  direct.before(app.server)
  const baseUrl: Http['baseUrl'] = (request) =>
    settings.GATEWAY_PUBLIC_URL ?? `${requestScheme(request.raw, trust)}://${request.raw.headers.host ?? ''}`

  // Fastify asks for a slot of a plain value; the first gate fills it before anyone can read it.
  app.decorateRequest('context', null as unknown as RequestContext)
  app.server.on('listening', () => {
    const address = app.server.address() as AddressInfo // a TCP server has no other kind
    hosts.bind(address.port)
    options.own.listensAt(address)
  })
  app.addHook('onClose', () => limits.close())
  app.setErrorHandler((error, request, reply) => replyError(error, request, reply, log))
  guardEveryRoute(app, gates, known, direct, identify)
  // Not before the body is read: reading it leaves the context that was begun around it.
  app.addHook('preHandler', ({ raw }, _reply, done) => options.own.within(raw.headers, done))
  if (options.logRequests)
    app.addHook('onResponse', (request, reply, done) => {
      logAnswer(log, request, reply.raw.statusCode, reply.elapsedTime)
      done()
    })
  app.setNotFoundHandler(() => {
    throw new GatewayError('NOT_FOUND', 'There is no such route')
  })
  parseJsonBodies(app, settings.MAX_JSON_DEPTH)

  registerProbes(app, options.facts, drain.leaving)
  registerMetrics(app, {
    enabled: settings.METRICS_ENABLED,
    allow: options.requireViewer,
    render: options.renderMetrics,
  })
  registerLlmsTxt(app, baseUrl)
  registerDocs(app, {
    enabled: settings.DOCS_ENABLED,
    allow: settings.NODE_ENV === 'development' || settings.EXPOSE_DOCS_UNAUTHENTICATED ? null : options.requireViewer,
    openApi: options.openApi,
  })
  registerAdminUi(app, { enabled: settings.UI_ENABLED, directory: options.uiDirectory })

  return {
    app,
    listen: (port) => listen(app, settings.HOST, port),
    stop: drain.stop,
    draining: drain.draining,
    streams,
    openStream: (request, reply, feed) =>
      feedSse(openSse(request, reply, streams), feed, (error) =>
        log.error('a stream failed', { request_id: request.id, error }),
      ),
    limits,
    hosts,
    upgrades,
    registerBodyBytes: settings.MAX_REGISTER_BODY_BYTES,
    baseUrl,
    direct(url, handlers) {
      for (const method of ['POST', 'GET', 'DELETE'] as const) {
        const handler = handlers[method]
        // Its requests are handed over before they reach the handler of the route.
        if (handler)
          app.route({ method, url, exposeHeadRoute: false, config: { direct: handler }, handler: () => undefined })
      }
    },
  }
}
