// Monitors: what they need of the other parts, and who hears how their runs ended.
import { randomUUID } from 'node:crypto'
import { createLeaderLoop, type LeaderLoop } from '../jobs/leader-loop.ts'
import { createMonitorSchedule } from '../jobs/monitor-schedule.ts'
import type { Registration } from '../operations/backends/registration.ts'
import { createMonitorApproval } from '../operations/monitors/monitor-approval.ts'
import { createReadings } from '../operations/monitors/monitor-readings.ts'
import { createMonitorRuns } from '../operations/monitors/monitor-runs.ts'
import { createMonitors, type Monitors } from '../operations/monitors/monitors.ts'
import type { FoundTool } from '../operations/tools/tools.ts'
import type { MonitorRow } from '../storage/monitors.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

export type Monitoring = { readonly monitors: Monitors; readonly loop: LeaderLoop }

const LOOK_EVERY_MS = 5_000

export function createMonitoring(
  base: Foundation,
  { registry, run, monitorStates: states, monitorNeed: needOf }: Calls,
  { reread }: Pick<Registration, 'reread'>,
  leads: () => boolean,
): Monitoring {
  const runs = createMonitorRuns({
    ...base,
    run,
    states,
    needOf,
    random: Math.random,
    newId: randomUUID,
    onRun: (found, row, drifted) => tell(base, found, row, drifted),
  })
  const schedule = createMonitorSchedule({ ...base, registry, states, runs, look: createReadings(reread), leads })
  const loop = createLeaderLoop({
    name: 'looking for monitors to run',
    everyMs: LOOK_EVERY_MS,
    leads,
    log: base.log,
    work: async () => schedule.begin(),
  })
  const monitors = createMonitors({
    ...base,
    registry,
    states,
    runs,
    reread,
    approval: createMonitorApproval({ ...base, needOf, argsOf: runs.argsOf }),
    onBaseline: ({ backend, tool }) =>
      base.events.emit('monitors', 'baseline', { client: backend.name, tool: tool.name }, backend.teamId),
  })
  return {
    monitors,
    loop: {
      start: loop.start,
      async stop() {
        await loop.stop()
        await schedule.stop()
      },
    },
  }
}

/** Everybody hears of a run; the webhook only of what somebody should look at. */
function tell(
  { settings, metrics, events, webhooks }: Foundation,
  found: FoundTool,
  row: MonitorRow,
  drifted: boolean,
) {
  const { backend, tool } = found
  const status = row.last_status === 'ok' ? 'ok' : 'fail'
  const drift = row.drift_since !== null
  metrics.inc('mcp_monitor_runs_total', { status })
  const told = { client: backend.name, tool: tool.name, status, drift, consecutiveFailures: row.failures }
  events.emit('monitors', 'run', told, backend.teamId)
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
      ...told,
      error: row.last_error,
      latencyMs: row.last_latency_ms,
      schemaDiff: row.drift === null ? null : (JSON.parse(row.drift) as unknown),
    },
  })
}
