// Selects due monitors: a few at a time, longest overdue first.

import { type MonitorStates, runsByItself } from '../live/monitor-states.ts'
import type { Reread } from '../operations/monitors/monitor-readings.ts'
import type { MonitorRuns } from '../operations/monitors/monitor-runs.ts'
import type { Base } from '../records/base.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import type { LiveRegistry } from '../registry/registry.ts'

const MOST_AT_ONCE = 4

type MonitorScheduleDeps = Pick<Base, 'log' | 'clock'> & {
  readonly registry: Pick<LiveRegistry, 'known' | 'isLive'>
  readonly states: Pick<MonitorStates, 'all'>
  readonly runs: MonitorRuns
  readonly look: Reread
  readonly leads: () => boolean
}

/** Starts due runs without waiting, so that a hanging backend does not delay others. */
export function createMonitorSchedule({ registry, states, runs, look, leads, log, clock }: MonitorScheduleDeps) {
  let stopped = false

  function due(): { readonly backend: Backend; readonly tool: Tool }[] {
    const now = new Date(clock.now()).toISOString()
    return states
      .all()
      .filter(({ tool_id, next_run_at }) => next_run_at <= now && !runs.underWay(tool_id))
      .sort((a, b) => (a.next_run_at < b.next_run_at ? -1 : 1))
      .flatMap(({ client, tool: name }) => {
        const backend = registry.known(client)
        const tool = backend?.tools.get(name)
        return backend && tool && runsByItself(registry, backend, tool) ? [{ backend, tool }] : []
      })
  }

  function begin(): void {
    if (stopped || !leads()) return
    for (const found of due().slice(0, Math.max(0, MOST_AT_ONCE - runs.busy())))
      runs
        .run(found, look)
        // A run that could not be stored stays due for the next pass.
        .then(begin, (error: unknown) =>
          log.error('a monitor could not run', { client: found.backend.name, tool: found.tool.name, error }),
        )
  }

  return {
    begin,
    async stop() {
      stopped = true
      await runs.settled()
    },
  }
}
