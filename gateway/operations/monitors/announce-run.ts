// How a run of a monitor ended: a metric, an event, and the webhook of monitors.

import type { Events } from '../../live/events.ts'
import type { Webhooks } from '../../live/webhooks.ts'
import type { Base } from '../../records/base.ts'
import { fromText } from '../../storage/json-text.ts'
import type { MonitorRow } from '../../storage/monitors.ts'
import type { FoundTool } from '../tools/tools.ts'

type AnnounceDeps = Pick<Base, 'settings' | 'metrics'> & {
  readonly events: Pick<Events, 'emit'>
  readonly webhooks: Pick<Webhooks, 'send'>
}

/** Every run is an event; the webhook receives failures and new drift. */
export function announceRun(
  { settings, metrics, events, webhooks }: AnnounceDeps,
  found: FoundTool,
  row: MonitorRow,
  drifted: boolean,
) {
  const { backend, tool } = found
  const status = row.last_status === 'ok' ? 'ok' : 'fail'
  const drift = row.drift_since !== null
  metrics.inc('mcp_monitor_runs_total', { status })
  const run = { client: backend.name, tool: tool.name, status, drift, consecutiveFailures: row.failures }
  events.emit('monitors', 'run', run, backend.teamId)
  const { MONITOR_WEBHOOK_URL: url, MONITOR_WEBHOOK_TIMEOUT_MS: timeoutMs } = settings
  if (url === null || (status === 'ok' && !drifted)) return
  const event = 'synthetic_monitor'
  webhooks.send({
    sink: 'monitor',
    url,
    timeoutMs,
    event,
    fields: {
      type: event,
      ...run,
      error: row.last_error,
      latencyMs: row.last_latency_ms,
      schemaDiff: fromText(row.drift),
    },
  })
}
