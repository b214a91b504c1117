// The MCP endpoints: which path is which surface, for whom, and how their clients are notified of changed tools.
import { GatewayError } from '../contract/error.ts'
import type { ProtectedResource } from '../http/protected-resource.ts'
import type { Http } from '../http/server.ts'
import type { SharedVerdict } from '../http/shared-limits.ts'
import { RPC, RpcError } from '../mcp/json-rpc.ts'
import { createDirectory, type Directory } from '../surfaces/directory.ts'
import { createDoor, type Door } from '../surfaces/door.ts'
import { type EndpointParts, registerSurface } from '../surfaces/endpoint.ts'
import { createAnswerer } from '../surfaces/handlers.ts'
import type { Rounds } from '../surfaces/input-required.ts'
import { createSearchLearning } from '../surfaces/search-learning.ts'
import type { Session, Sessions } from '../surfaces/sessions.ts'
import { tellOfBackends } from './backend-events.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'
import { createTransparent } from './transparent.ts'

/** A new session is no way out of the limit: all of a principal's together get this many times it (contract 0.7). */
const PRINCIPAL_FACTOR = 10
const BUNDLE = 'bundle:'

export function mountSurfaces(
  base: Foundation,
  http: Http,
  calls: Calls,
  { challenge, requireScopes }: ProtectedResource,
): { readonly directory: Directory; readonly endpoint: EndpointParts; readonly rounds: Rounds; readonly door: Door } {
  const {
    registry,
    curated,
    run,
    runComposite,
    runResult,
    noteUnknown,
    sessions,
    listChanges,
    managedKeys,
    dataPlane,
  } = calls
  const { settings, log, metrics, events, monotonic } = base
  const server = { name: 'gantry', title: 'Gantry', version: base.version } as const
  const directory = createDirectory({
    registry,
    curated,
    autoGateWriteMethods: settings.AUTO_GATE_WRITE_METHODS,
    needsApproval: calls.approvals.gate.needed,
    driftSince: calls.monitorStates.driftSince,
    mayKeep: calls.budgets.mayKeep,
    structuredOutput: settings.STRUCTURED_OUTPUT,
    searchEnabled: settings.ENABLE_SEARCH_TOOL,
    pcgEnabled: settings.PCG_ENABLED,
    checkScope({ bundles }, surface) {
      if (bundles === null || (surface.startsWith(BUNDLE) && bundles.has(surface.slice(BUNDLE.length)))) return
      throw new GatewayError('KEY_SCOPE', 'This key belongs to another surface; use the one it was made for')
    },
  })
  const { rounds, relayed, notificationStreams, subscriptions } = createTransparent(base, http, calls, server)
  const endSurfaces = (matches: (surface: string) => boolean): void => {
    sessions.endWhere(({ surface }) => matches(surface))
    subscriptions.endWhere(matches)
  }
  const evicted = new Set(registry.list().flatMap(({ name }) => (registry.isEvicted(name) ? [name] : [])))
  registry.subscribe((event) => {
    // A backend that merely answers worse than before shows the same tools.
    const sameTools = event.type === 'health' && evicted.has(event.client) === event.evicted
    if (event.type === 'health' && event.evicted) evicted.add(event.client)
    else evicted.delete(event.client)
    if (!sameTools) listChanges.changed(directory.changed(event.client))
    if (event.type === 'removed' || event.type === 'torn_down')
      endSurfaces((surface) => surface === `client:${event.client}`)
  })
  calls.budgets.onKeeping(() => listChanges.changed(directory.allChanged()))
  tellOfBackends(registry, events)
  curated.subscribe(({ bundle, gone }) => {
    const changed = directory.bundleChanged(bundle)
    if (gone) endSurfaces((surface) => changed.includes(surface))
    else listChanges.changed(changed)
  })

  const window = http.limits.window('mcp', settings.RATE_LIMIT_MAX_BUCKETS_MCP)
  const judged = (verdict: SharedVerdict): void => {
    if (verdict.allowed) return
    const { limit, retryAfterMs } = verdict
    metrics.inc('mcp_rate_limit_hits_total', { tier: 'mcp' })
    throw new RpcError(
      RPC.server,
      'RATE_LIMITED',
      `More than ${limit} requests in a minute; try again in ${Math.ceil(retryAfterMs / 1000)} s, or raise RATE_LIMIT_MCP`,
      {
        status: 429,
        headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
        data: { retryAfterMs },
      },
    )
  }

  const answerer = createAnswerer({
    run,
    runComposite,
    runResult,
    noteUnknown,
    server,
    rounds,
    relayed,
    pageSize: settings.MCP_LIST_PAGE_SIZE,
    cursors: calls.listCursors,
    searchEnabled: settings.ENABLE_SEARCH_TOOL,
    results: calls.keptResults,
    learning: settings.SEARCH_LEARNING ? createSearchLearning(monotonic) : undefined,
    maxDepth: settings.MAX_JSON_DEPTH,
  })

  const door = createDoor({
    ...base,
    callLog: calls.callLog,
    count: (code) => metrics.inc('mcp_door_refusals_total', { code }),
    backendOf: (name) => registry.known(name)?.name ?? null,
  })

  const parts: EndpointParts = {
    sessions,
    subscriptions,
    notificationStreams,
    answerer: {
      ...answerer,
      listTools(request, params) {
        metrics.inc('mcp_list_requests_total', { surface: request.post.surface.kind, method: 'tools/list' })
        return answerer.listTools(request, params)
      },
    },
    remoteCalls: calls.remoteCalls,
    streams: http.streams,
    room: base.room,
    log,
    sessionless: settings.MCP_SESSIONLESS,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    maxJsonDepth: settings.MAX_JSON_DEPTH,
    monotonic,
    authenticate(request) {
      const refuse = (error: unknown): never => {
        if (!(error instanceof GatewayError) || error.code !== 'UNAUTHORIZED') throw error
        throw new GatewayError(error.code, error.message, { headers: challenge(request) })
      }
      try {
        const caller = dataPlane.authenticate(request.raw)
        return caller instanceof Promise ? caller.catch(refuse) : caller
      } catch (error) {
        return refuse(error)
      }
    },
    noteClient({ keyId }, name) {
      if (keyId !== null) managedKeys.noteClient(keyId, name)
    },
    noteRefusal: door.note,
    spend(caller, session: Session | undefined, ip) {
      const own = session ? bucketOf(session, ({ hash }) => `session:${hash}`) : `direct:${caller.name}:${ip}`
      const principal =
        caller.kind === 'anonymous'
          ? `principal:${caller.name}:${ip}`
          : bucketOf(caller, ({ name }) => `principal:${name}:`)
      const taken = window.take([
        { key: own, limit: settings.RATE_LIMIT_MCP },
        { key: principal, limit: settings.RATE_LIMIT_MCP * PRINCIPAL_FACTOR },
      ])
      return taken instanceof Promise ? taken.then(judged) : judged(taken)
    },
  }
  registerSurface(
    http,
    '/mcp/:clientName',
    (request, caller) => {
      requireScopes(request, caller)
      return directory.shard(nameIn(request.params, 'clientName'), caller)
    },
    parts,
  )
  registerSurface(
    http,
    '/mcp-custom/:bundleName',
    (request, caller) => {
      requireScopes(request, caller)
      return directory.bundle(nameIn(request.params, 'bundleName'), caller, (surface) =>
        holdsSession(sessions, request.headers['mcp-session-id'], surface, caller.name),
      )
    },
    parts,
  )
  return { directory, endpoint: parts, rounds, door }
}

/** Written once for each session and caller: a new string would be hashed again. */
const buckets = new WeakMap<object, string>()

function bucketOf<T extends object>(of: T, spell: (of: T) => string): string {
  const known = buckets.get(of)
  if (known !== undefined) return known
  const bucket = spell(of)
  buckets.set(of, bucket)
  return bucket
}

function holdsSession(sessions: Sessions, id: unknown, surface: string, principal: string): boolean {
  if (typeof id !== 'string' || id === '') return false
  try {
    sessions.find(id, surface, principal)
    return true
  } catch {
    // For any fault of it: it is no session of this surface.
    return false
  }
}

function nameIn(params: unknown, key: string): string {
  const value = (params as Readonly<Record<string, unknown>>)[key] // Fastify's, by the pattern of the route
  if (typeof value !== 'string') throw new GatewayError('NOT_FOUND', 'There is no such route')
  return value
}
