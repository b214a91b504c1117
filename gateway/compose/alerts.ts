// Alert rules: their routes, and the clock by which the leader looks at them.

import type { MountTable } from '../admin/handlers.ts'
import { WATCHING } from '../contract/index.ts'
import { createAlertWatch } from '../jobs/alert-watch.ts'
import { createLeaderLoop } from '../jobs/leader-loop.ts'
import type { Leadership } from '../jobs/leadership.ts'
import type { Rounds } from '../jobs/rounds.ts'
import { createAlerts } from '../operations/alerts/alerts.ts'
import type { ReadWorker } from '../storage/read-worker.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

type AlertingDeps = {
  readonly mount: MountTable
  readonly leadership: Pick<Leadership, 'leads' | 'lease'>
  readonly readWorker: Pick<ReadWorker, 'ask'>
}

export function mountAlerting(
  base: Foundation,
  { registry, breakers }: Pick<Calls, 'registry' | 'breakers'>,
  { mount, leadership, readWorker }: AlertingDeps,
): Rounds {
  const { settings, log } = base
  const { ALERT_WEBHOOK_TIMEOUT_MS: timeoutMs } = settings
  mount(WATCHING.alerts, createAlerts({ ...base, registry, timeoutMs }))
  const watch = createAlertWatch({
    ...base,
    readWorker,
    registry,
    stateOf: (client) => breakers.find(client)?.current() ?? 'closed',
    lease: leadership.lease,
    windows: {
      errorsMs: settings.ALERT_ERROR_RATE_WINDOW_MS,
      recentMs: settings.ANOMALY_RECENT_WINDOW_MS,
      baselineMs: settings.ANOMALY_BASELINE_WINDOW_MS,
    },
    timeoutMs,
  })
  const loop = createLeaderLoop({
    name: 'looking at alert rules',
    everyMs: settings.ALERT_INTERVAL_MS,
    leads: leadership.leads,
    log,
    work: watch.round,
  })
  return {
    start: loop.start,
    async stop() {
      await loop.stop()
      await watch.stop(Math.min(timeoutMs, settings.SHUTDOWN_FORCE_EXIT_MS))
    },
  }
}
