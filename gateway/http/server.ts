// The HTTP front: one server of Node, its direct routes, Fastify for the others, the gates of both, a stop.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LoopGuard } from '../net/loop-guard.ts'
import { registerAdminUi } from './admin-ui.ts'
import { type Answered, type Identify, makeApp } from './app.ts'
import { requestScheme, type TrustPeer } from './client-address.ts'
import { type ConnectionLimits, createConnectionLimit, openFilesLimit, QUEUE } from './connection-limit.ts'
import { createDirectRoutes, type DirectHandler } from './direct-routes.ts'
import { type OpenApiDocument, registerDocs } from './docs.ts'
import { type HttpLog, replyError } from './error-reply.ts'
import { createGates } from './gates.ts'
import { createHostRule, type HostRule } from './hosts.ts'
import type { HttpSettings } from './http-settings.ts'
import { createLimits, type Limits, type RateObserver, type ShareLimits } from './limits.ts'
import { type Bound, createListener } from './listen.ts'
import { registerLlmsTxt } from './llms-txt.ts'
import { type AdminGate, registerMetrics } from './metrics-route.ts'
import { originList } from './origins.ts'
import { probes, type ReadinessFacts } from './probes.ts'
import { requestContext } from './request-context.ts'
import type { HttpRequest } from './request-reply.ts'
import { createKnownRoutes } from './route-table.ts'
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
  readonly monotonic: () => number
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
  /** Fastify with every route that is not served directly; made when it is first needed. */
  readonly app: () => Promise<FastifyInstance>
  /** Registers routes when it is made. */
  readonly routes: (register: Register) => void
  /** Binds the port (0 picks one) on the HOST of the settings. */
  readonly listen: (port: number) => Promise<Bound>
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

function nodeServer(timeouts: HttpTimeouts): Server {
  return createServer({
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: timeouts.checkEveryMs,
    shouldUpgradeCallback: isSocketRequest,
  })
}

type Register = (app: FastifyInstance) => void

/** Made once, when a request needs it. A concurrent request waits for it. Where that fails, for want of a free file say, the next request tries again. */
function lazily(make: () => Promise<FastifyInstance>) {
  const registered: Register[] = []
  let made: Promise<FastifyInstance> | undefined
  let ready: FastifyInstance | undefined
  async function build(): Promise<FastifyInstance> {
    const app = await make()
    for (const register of registered) register(app)
    await app.ready()
    return (ready = app)
  }
  async function buildOrForget(): Promise<FastifyInstance> {
    try {
      return await build()
    } catch (error) {
      made = undefined
      throw error
    }
  }
  return {
    routes: (register: Register) => void registered.push(register),
    app: () => (made ??= buildOrForget()),
    ready: () => ready,
    /** Nothing to close where it was never made. */
    close: async () => (await made?.catch(() => undefined))?.close(),
  }
}

/** One line for each answer. */
const logAnswer =
  (log: HttpLog) =>
  ({ id, method, routeOptions }: Answered, status: number, durationMs: number): void =>
    log.debug('answered', {
      request_id: id,
      method,
      route: routeOptions.url ?? null,
      status,
      durationMs: Math.round(durationMs),
    })

export function createHttp(options: HttpOptions): Http {
  const { settings, log, trust } = options
  const timeouts: HttpTimeouts = { ...TIMEOUTS, ...options.timeouts }
  const hosts = createHostRule({
    boundTo: settings.HOST,
    allowed: settings.ALLOWED_HOSTS,
    publicUrl: settings.GATEWAY_PUBLIC_URL,
  })
  const limits = createLimits(settings, options.monotonic, options.observe, options.shareLimits)
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
    stale: options.facts.stale,
    tooManyConnections: () => connectionLimit.tooMany(),
    own: options.own,
    dataPlaneOpen: options.dataPlaneOpen,
    authDisabled: settings.AUTH_DISABLED,
  })
  const identify: Identify = (request, reply) => {
    request.context = requestContext(request.raw, request.id, trust)
    reply.header('x-request-id', request.id).headers(BASE_HEADERS)
  }
  const onAnswer = options.logRequests ? logAnswer(log) : undefined
  const direct = createDirectRoutes({ trust, own: options.own, onAnswer })
  const server = nodeServer(timeouts)
  const lazy = lazily(() => makeApp({ settings, log, own: options.own, gates, known, direct, identify, onAnswer }))
  const route = (raw: IncomingMessage, response: ServerResponse): void => {
    const ready = lazy.ready()
    if (ready) ready.routing(raw, response)
    else
      void lazy.app().then(
        (app) => app.routing(raw, response),
        (error: unknown) => direct.fail(raw, response, (request, reply) => replyError(error, request, reply, log)),
      )
  }
  server.on('request', (raw, response) => {
    if (!direct.serve(raw, response)) route(raw, response)
  })
  server.on('clientError', answerUnparsed)
  const connectionLimit = createConnectionLimit(
    server,
    options.connections ?? { files: openFilesLimit(), queue: QUEUE },
    streams.size,
  )
  const upgrades = createUpgrades(server, route)
  const listener = createListener(server, () => nodeServer(timeouts))
  const drain = createDrain({
    server,
    streams,
    drainMs: settings.SHUTDOWN_DRAIN_MS,
    graceMs: settings.SHUTDOWN_FORCE_EXIT_MS,
    stopAccepting: listener.stopAccepting,
    async close() {
      await Promise.all([listener.close(), lazy.close()])
      await limits.close()
    },
  })
  const baseUrl: Http['baseUrl'] = (request) =>
    settings.GATEWAY_PUBLIC_URL ?? `${requestScheme(request.raw, trust)}://${request.raw.headers.host ?? ''}`

  server.on('listening', () => {
    const address = server.address() as AddressInfo // a TCP server has no other kind
    hosts.bind(address.port)
    options.own.listensAt(address)
  })
  const serveDirectly: Http['direct'] = (url, handlers) => {
    for (const method of ['POST', 'GET', 'DELETE'] as const) {
      const handler = handlers[method]
      if (handler === undefined) continue
      direct.add(method, url, gates.of(url, method, undefined), handler)
      // For other spellings and injected requests: they are handed over before they reach the handler of the route.
      const exposeHeadRoute = method === 'GET' && !url.includes(':')
      lazy.routes((app) => {
        app.route({ method, url, exposeHeadRoute, config: { direct: handler }, handler: () => undefined })
      })
    }
  }
  for (const [url, serve] of Object.entries(probes(options.facts, drain.leaving)))
    serveDirectly(url, {
      GET: {
        serve: (request, reply) =>
          void serve(request, reply).catch((error: unknown) => replyError(error, request, reply, log)),
        refuse: (error, request, reply) => replyError(error, request, reply, log),
      },
    })
  lazy.routes((app) => {
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
  })

  return {
    app: lazy.app,
    routes: lazy.routes,
    listen: (port) => listener.listen(settings.HOST, port),
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
    direct: serveDirectly,
  }
}
