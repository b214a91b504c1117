// The overview's counts from the live parts.
import type { Overview } from '../contract/admin/overview.ts'
import { type Actor, mayTouch } from '../contract/role.ts'
import { mayTouchSession } from '../operations/access/mcp-sessions.ts'
import type { Proxy } from '../sockets/proxy.ts'
import type { Calls } from './calls.ts'

type LiveCounts = Pick<
  Overview,
  | 'clients'
  | 'tools'
  | 'circuitBreakers'
  | 'sessions'
  | 'mcpClientConnected'
  | 'approvals'
  | 'wsProxy'
  | 'responseCache'
  | 'monitors'
>

export async function liveCounts(
  { registry, curated, breakers, kept, sessions, approvals, quarantines, monitorStates, wsTargets }: Calls,
  proxy: Pick<Proxy, 'active'>,
  maxSessions: number,
  actor: Actor,
): Promise<LiveCounts> {
  const all = registry.all().filter((backend) => mayTouch(actor, backend))
  const names = new Set(all.map(({ name }) => name))
  const backends = all.filter(({ name }) => registry.isLive(name))
  const [missing, tools] = divided(
    all.flatMap((backend) => [...backend.tools.values()]),
    ({ missingSince }) => missingSince !== null,
  )
  const status = (wanted: string): number =>
    backends.filter(({ name }) => registry.health(name)?.status === wanted).length
  const states = backends.map(({ name }) => breakers.find(name)?.current() ?? 'closed')
  const open = sessions.list().filter((session) => mayTouchSession(actor, session, { registry, curated })).length
  return {
    clients: {
      // One that is torn down is registered still.
      total: all.length,
      live: backends.filter(({ name }) => !registry.isEvicted(name)).length,
      disabled: all.filter(({ enabled }) => !enabled).length,
      healthy: status('healthy'),
      degraded: status('degraded'),
      unreachable: status('unreachable'),
    },
    tools: {
      total: tools.length,
      disabled: tools.filter(({ config }) => config.enabled === false).length,
      missing: missing.length,
      quarantined: quarantines.active().filter((client) => all.some(({ name }) => name === client)).length,
    },
    circuitBreakers: {
      open: states.filter((state) => state === 'open').length,
      halfOpen: states.filter((state) => state === 'half_open').length,
      closed: states.filter((state) => state === 'closed').length,
    },
    sessions: { streamable: open, max: maxSessions },
    mcpClientConnected: open > 0,
    wsProxy: {
      activeConnections: wsTargets
        .all()
        .filter((target) => mayTouch(actor, target))
        .reduce((sum, { name }) => sum + proxy.active(name), 0),
    },
    responseCache: { entries: kept?.entries((client) => names.has(client)) ?? 0 },
    monitors: {
      failing: monitorStates.failing().filter((client) => names.has(client)).length,
      drifted: monitorStates.drifted().filter((client) => names.has(client)).length,
    },
    approvals: { pending: await approvals.pending(actor.teamId) },
  }
}

function divided<T>(list: readonly T[], holds: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  const { true: yes = [], false: no = [] } = Object.groupBy(list, (item) => (holds(item) ? 'true' : 'false'))
  return [yes, no]
}
