// Monitors: their runs, the loop that starts them, and their operations.
import { createLeaderLoop } from '../jobs/leader-loop.ts'
import { createMonitorSchedule } from '../jobs/monitor-schedule.ts'
import type { Rounds } from '../jobs/rounds.ts'
import type { Registration } from '../operations/backends/registration.ts'
import { announceRun } from '../operations/monitors/announce-run.ts'
import { createMonitorApproval } from '../operations/monitors/monitor-approval.ts'
import { createReadings } from '../operations/monitors/monitor-readings.ts'
import { createMonitorRuns } from '../operations/monitors/monitor-runs.ts'
import { createMonitors, type Monitors } from '../operations/monitors/monitors.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

export type Monitoring = { readonly monitors: Monitors; readonly loop: Rounds }

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
    onRun: (found, row, drifted) => announceRun(base, found, row, drifted),
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
