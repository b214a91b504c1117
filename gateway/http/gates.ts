// What stands before every handler, in order. The list is built once per route; a gate a route does not need is not in it.
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { GatewayError } from '../contract/error.ts'
import type { RateFamily } from '../contract/route.ts'
import type { LoopGuard } from '../net/loop-guard.ts'
import type { DirectHandler } from './direct-routes.ts'
import type { HostRule } from './hosts.ts'
import type { Limits } from './limits.ts'
import { answerCors, type CorsOptions, type OriginList, originRefusal } from './origins.ts'
import type { HttpReply, HttpRequest } from './request-reply.ts'
import type { KnownRoutes } from './route-table.ts'

export const ANSWERED = Symbol('answered')
/** Undefined lets the request through; an error refuses it; ANSWERED means the reply is on its way. */
type Outcome = GatewayError | typeof ANSWERED | undefined
export type Gate = (request: HttpRequest, reply: HttpReply) => Outcome | Promise<Outcome>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The family whose budget the route spends from, beside the global one. */
    rateLimit?: RateFamily
    gates?: readonly Gate[]
    /** Serves the requests of the route on node:http. */
    direct?: DirectHandler
  }
}

/** Which pages may call a path, and what it is exempt from. The first prefix that fits decides. */
type Zone = 'probe' | 'admin' | 'scrape' | 'mcp' | 'guide' | 'open'
const ZONES: readonly (readonly [prefix: string, zone: Zone])[] = [
  ['/health', 'probe'],
  ['/livez', 'probe'],
  ['/readyz', 'probe'],
  ['/metrics', 'scrape'],
  ['/llms.txt', 'guide'],
  ['/admin-api', 'admin'],
  ['/register', 'admin'],
  ['/clients', 'admin'],
  ['/.well-known/oauth-protected-resource', 'mcp'],
  ['/mcp', 'mcp'],
  ['/mcp-custom', 'mcp'],
  ['/ws-proxy', 'mcp'],
]

const CONTROL_PLANE = '/mcp'

function zoneOf(path: string): Zone {
  return ZONES.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1] ?? 'open'
}

export type GateParts = {
  readonly hosts: HostRule
  readonly adminOrigins: OriginList
  readonly mcpOrigins: OriginList
  readonly cors: CorsOptions
  readonly limits: Limits
  readonly draining: () => boolean
  /** The configuration was not compared with the database for too long; undefined where no instance follows others. */
  readonly stale: (() => boolean) | undefined
  /** One connection more than can be served well. */
  readonly tooManyConnections: () => boolean
  readonly known: KnownRoutes
  readonly own: LoopGuard
  /** Whether MCP clients need no credential now. */
  readonly dataPlaneOpen: () => boolean
  readonly authDisabled: boolean
}

export type Gates = ReturnType<typeof createGates>

/** The desktop window's requests are injected inside the process: they have no peer to mistrust. */
const fromNetwork = (raw: IncomingMessage): boolean => raw.socket instanceof Socket
const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

export function runGates(
  gates: readonly Gate[],
  request: HttpRequest,
  reply: HttpReply,
  from = 0,
): Outcome | Promise<Outcome> {
  for (let at = from; at < gates.length; at++) {
    const outcome = gates[at]?.(request, reply)
    if (outcome instanceof Promise) return outcome.then((later) => later ?? runGates(gates, request, reply, at + 1))
    if (outcome !== undefined) return outcome
  }
  return undefined
}

export const pathOf = (url: string): string => {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

export function createGates(parts: GateParts) {
  const { hosts, limits, cors } = parts

  const host: Gate = ({ raw }) => (fromNetwork(raw) ? hosts.refusal(raw) : undefined)
  /** What the credential decides elsewhere, the name decides here. */
  const openHost: Gate = ({ raw }) =>
    (parts.authDisabled || parts.dataPlaneOpen()) && fromNetwork(raw) ? hosts.openRefusal(raw) : undefined
  const encoding: Gate = ({ raw }) => {
    const given = raw.headers['content-encoding']
    if (given === undefined || given === 'identity') return undefined
    return new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without Content-Encoding')
  }
  const origin =
    (list: OriginList, applies: (request: HttpRequest) => boolean): Gate =>
    (request, reply) => {
      if (answerCors(request.raw, reply, list, cors)) return ANSWERED
      return applies(request) ? originRefusal(request.raw, list, hosts) : undefined
    }
  const noStore: Gate = (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return undefined
  }
  const global: Gate = ({ raw, context }, reply) => {
    if (!fromNetwork(raw)) return undefined
    const degraded = limits.degraded()
    if (degraded !== undefined) reply.header('x-rate-limit-degraded', degraded)
    return limits.spend('global', context.ip)
  }
  const budget =
    (family: RateFamily, route: string): Gate =>
    ({ context }) =>
      limits.spend(family, context.ip, route)
  const drain: Gate = (_request, reply) => {
    if (!parts.draining()) return undefined
    reply.header('connection', 'close')
    return new GatewayError('SHUTTING_DOWN', 'The gateway is stopping; try again shortly', { retryAfterMs: 5000 })
  }
  const connectionLimit: Gate = ({ raw }, reply) => {
    if (!parts.tooManyConnections() || !fromNetwork(raw)) return undefined
    reply.header('connection', 'close')
    return new GatewayError('SESSION_CAPACITY', 'Too many connections are open; try again shortly', {
      retryAfterMs: 1000,
    })
  }
  const { stale } = parts
  const verified: Gate = () =>
    stale?.()
      ? new GatewayError(
          'DATABASE_UNAVAILABLE',
          'The configuration could not be compared with the database for longer than REGISTRY_MAX_STALENESS_MS; try again shortly',
          { retryAfterMs: 1000 },
        )
      : undefined
  const absent: Gate = ({ raw }) => {
    const methods = parts.known.methodsOf(pathOf(raw.url ?? ''))
    // The path and method fit and yet no handler was found: a name in it cannot be decoded, so names nothing.
    if (methods.length === 0 || methods.includes(raw.method ?? ''))
      return new GatewayError('NOT_FOUND', 'There is no such route')
    const Allow = methods.join(', ')
    return new GatewayError('METHOD_NOT_ALLOWED', `This route answers ${Allow}`, { headers: { Allow } })
  }

  const adminOrigin = origin(parts.adminOrigins, ({ method }) => !READING.has(method))
  const mcpOrigin = origin(parts.mcpOrigins, () => true)
  const inZone: Readonly<Record<Zone, readonly Gate[]>> = {
    probe: [],
    guide: [drain, connectionLimit],
    scrape: [adminOrigin, noStore, drain, connectionLimit],
    admin: [adminOrigin, noStore, global, drain, connectionLimit],
    mcp: [mcpOrigin, global, drain, connectionLimit, ...(stale ? [verified] : [])],
    open: [global, drain, connectionLimit],
  }
  const loop: Gate = ({ raw }) => parts.own.refusal(raw.headers)
  const before: readonly Gate[] = [host, encoding, loop]
  /** Probes answer by any name, for orchestrators; the control plane asks for a credential of its own. */
  const named = (path: string): readonly Gate[] => {
    const zone = zoneOf(path)
    const open = parts.authDisabled ? zone !== 'probe' : zone === 'mcp' && path !== CONTROL_PLANE
    return open ? [openHost] : []
  }

  return {
    /** The gates of a route, from its pattern. */
    of: (pattern: string, method: string, family: RateFamily | undefined): readonly Gate[] => [
      ...before,
      ...named(pattern),
      ...inZone[zoneOf(pattern)],
      ...(family === undefined ? [] : [budget(family, `${method} ${pattern}`)]),
    ],
    /** The gates of a path that no route answers; they end in 404 or 405. */
    unrouted: (path: string): readonly Gate[] => [...before, ...named(path), ...inZone[zoneOf(path)], absent],
  }
}
