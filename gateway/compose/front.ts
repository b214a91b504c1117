// The HTTP front, which answers no request before it receives the parts of calls.
import { existsSync } from 'node:fs'
import type { EditorHost } from '#pcg-contract'
import { openApi } from '../admin/openapi.ts'
import { type Authenticator, requireAccess } from '../auth/admin.ts'
import { API } from '../contract/index.ts'
import { type Actor, mayTouch } from '../contract/role.ts'
import { createHttp, type Http } from '../http/server.ts'
import { convergenceOf } from '../jobs/instances.ts'
import type { Leadership } from '../jobs/leadership.ts'
import { trustFunction } from '../settings/trust-proxy.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'
import { tierOf } from './gauges.ts'
import type { Syncing } from './syncing.ts'

export type FrontDeps = {
  readonly authenticator: Authenticator
  readonly leadership: Pick<Leadership, 'leads'>
  readonly prove: (nonce: string) => string | undefined
  readonly uiDirectory: string | null
  readonly editorHost: EditorHost | null
}
type Served = Pick<Calls, 'registry' | 'dataPlane' | 'callLog'>

/** Their routes are 404 without an editor host. */
const { pcg: _editors, ...withoutEditors } = API

export function createFront(
  base: Foundation,
  { authenticator, leadership, prove, uiDirectory, editorHost }: FrontDeps,
): {
  readonly http: Http
  readonly serve: (served: Served) => void
  readonly verifyBy: (syncing: Syncing | undefined) => void
} {
  const { settings, metrics, database, version, presence, processes } = base
  let served: Served | undefined
  let syncing: Pick<Syncing, 'ageMs'> | undefined
  const follows = settings.REGISTRY_SYNC && database.path !== ':memory:'
  const isTheirs = (actor: Actor, client: string): boolean => {
    const backend = served?.registry.known(client)
    return backend !== undefined && mayTouch(actor, backend)
  }
  const ownMetrics = (actor: Actor): string =>
    actor.teamId === null ? metrics.render() : metrics.render((client) => isTheirs(actor, client))
  const metricsOf = processes?.metricsOf(ownMetrics) ?? ownMetrics
  const http = createHttp({
    ...base,
    logRequests: settings.LOG_LEVEL === 'debug' || settings.LOG_LEVEL === 'trace',
    ...(settings.TRUST_PROXY === null ? {} : { trust: trustFunction(settings.TRUST_PROXY) }),
    dataPlaneOpen: () => served?.dataPlane.open ?? true,
    facts: {
      // Whichever process of this gateway is asked.
      leader: () => leadership.leads() || processes?.led() === true,
      database: () => (served?.callLog.isOpen() ?? true) && database.ping(),
      prove,
      drained: presence.drained,
      stale: follows ? () => (syncing?.ageMs() ?? 0) > settings.REGISTRY_MAX_STALENESS_MS : undefined,
      fleet: follows ? () => convergenceOf(presence) : undefined,
    },
    shareLimits: base.sharedLimits,
    observe: {
      limited: (tier) => metrics.inc('mcp_rate_limit_hits_total', { tier: tierOf(tier) }),
      evicted: (tier) => metrics.inc('mcp_rate_limit_evictions_total', { tier: tierOf(tier) }),
    },
    renderMetrics: async ({ raw }) => metricsOf((await authenticator.identify(raw)).actor),
    requireViewer: async ({ raw }) => requireAccess((await authenticator.identify(raw)).actor, 'viewer'),
    openApi: () => openApi(editorHost ? API : withoutEditors, version),
    uiDirectory: uiDirectory !== null && existsSync(uiDirectory) ? uiDirectory : null,
  })
  return {
    http,
    serve(parts) {
      served = parts
    },
    verifyBy(given) {
      syncing = given
    },
  }
}
