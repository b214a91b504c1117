// The gauges: present counts, taken when they are read.
import type { Http } from '../http/server.ts'
import type { BreakerState } from '../pipeline/5-breaker/breaker.ts'
import { TIERS } from '../telemetry/metric-table.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

const STATE_NUMBER: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 }

export const tierOf = (name: string): (typeof TIERS)[number] => TIERS.find((tier) => tier === name) ?? 'global'

export function measure(
  { metrics, monotonic, version, presence }: Foundation,
  http: Http,
  { registry, sessions, breakers, quarantines, monitorStates }: Calls,
): void {
  const startedAt = monotonic()
  metrics.set('mcp_build_info', 1, {
    version,
    runtime: 'electron' in process.versions ? 'electron' : 'node',
    runtime_version: process.versions.node,
  })
  metrics.set('mcp_process_start_time_seconds', Math.round(performance.timeOrigin / 1000))
  metrics.beforeRender(() => {
    metrics.set('mcp_uptime_seconds', Math.round((monotonic() - startedAt) / 1000))
    metrics.set('mcp_sessions_active', sessions.list().length)
    metrics.set('mcp_quarantined_tools', quarantines.active().length)
    metrics.set('mcp_monitor_drifted_tools', monitorStates.drifted().length)
    metrics.replace(
      'mcp_rate_limit_buckets',
      Object.entries(http.limits.sizes()).map(([tier, size]) => [{ tier: tierOf(tier) }, size] as const),
    )
    const versions = presence.versions()
    metrics.set('mcp_instances', presence.count())
    metrics.set('mcp_registry_version_oldest', versions.length === 0 ? 0 : Math.min(...versions))
    metrics.set('mcp_registry_version_newest', Math.max(0, ...versions))
    const backends = registry.list()
    metrics.replace(
      'mcp_breaker_current_state',
      backends.map(({ name }) => [{ client: name }, STATE_NUMBER[breakers.find(name)?.current() ?? 'closed']] as const),
    )
    const status = (name: string): string => registry.health(name)?.status ?? 'healthy'
    metrics.replace(
      'mcp_registry_clients',
      (['healthy', 'degraded', 'unreachable', 'disabled'] as const).map(
        (wanted) =>
          [
            { status: wanted },
            backends.filter(({ name, enabled }) => (enabled ? status(name) : 'disabled') === wanted).length,
          ] as const,
      ),
    )
    metrics.set(
      'mcp_registry_tools_total',
      backends.flatMap(({ tools }) => [...tools.values()].filter(({ missingSince }) => missingSince === null)).length,
    )
  })
}
