// The overview's counts from the live parts.
import type { Overview } from '../contract/admin/overview.ts'
import { type Actor, mayTouch } from '../contract/role.ts'
import { mayTouchSession } from '../operations/mcp-sessions.ts'
import type { Calls } from './calls.ts'

type Facts = Pick<Overview, 'clients' | 'tools' | 'circuitBreakers' | 'sessions' | 'mcpClientConnected'>

export function liveFacts({ registry, curated, breakers, sessions }: Calls, maxSessions: number, actor: Actor): Facts {
  const all = registry.all().filter((backend) => mayTouch(actor, backend))
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
      quarantined: 0,
    },
    circuitBreakers: {
      open: states.filter((state) => state === 'open').length,
      halfOpen: states.filter((state) => state === 'half_open').length,
      closed: states.filter((state) => state === 'closed').length,
    },
    sessions: { streamable: open, max: maxSessions },
    mcpClientConnected: open > 0,
  }
}

function divided<T>(list: readonly T[], holds: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  const { true: yes = [], false: no = [] } = Object.groupBy(list, (item) => (holds(item) ? 'true' : 'false'))
  return [yes, no]
}
