// Whether backends answer: asked again and again, and what changes is kept, audited and counted.
import { SYSTEM } from '../records/changes.ts'
import { createHealthLoop, type HealthLoop } from '../registry/health.ts'
import { createProbe } from '../registry/probe.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { noteHealth } from '../storage/backends.ts'
import type { Upstreams } from '../upstream/index.ts'
import type { Foundation } from './foundation.ts'

export function createHealth(
  base: Foundation,
  registry: LiveRegistry,
  upstreams: Pick<Upstreams, 'ping'>,
  whyDown: (name: string) => string | null,
): HealthLoop {
  const { settings, metrics, changes, newId } = base
  const probe = createProbe({
    ...base,
    credential: registry.credential,
    pingMcp: upstreams.ping,
    whyDown,
    timeoutMs: settings.HEALTH_CHECK_TIMEOUT_MS,
  })
  return createHealthLoop({
    ...base,
    registry,
    probe,
    record: (backend, what, { evictedAt, lastSeenAt, lastError }) =>
      changes({ actor: SYSTEM, requestId: newId() }, async (tx, audit) => {
        await noteHealth(tx, backend.id, { evicted_at: evictedAt, last_seen_at: lastSeenAt, last_error: lastError })
        await audit(what === 'evict' ? 'client.evict' : 'client.restore', backend.name, { lastError })
        metrics.inc(what === 'evict' ? 'mcp_health_evictions_total' : 'mcp_health_restorations_total')
      }),
    onCheck({ name }, { ok, latencyMs }) {
      const outcome = ok ? 'success' : 'failure'
      metrics.observe('mcp_health_check_duration_seconds', latencyMs / 1000, { client: name, outcome })
      metrics.inc('mcp_health_check_runs_total', { outcome })
    },
    onError: () => metrics.inc('mcp_health_loop_errors_total'),
  })
}
