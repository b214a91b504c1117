// The changes to monitors.
import type { MonitorRecord } from '#contract'
import { api } from '../../api/api.ts'
import { useChanges } from '../../api/use-records.ts'

type Named = Pick<MonitorRecord, 'clientName' | 'toolName'>
const paramsOf = ({ clientName, toolName }: Named) => ({ params: { name: clientName, tool: toolName } })

export function useMonitorChanges() {
  const { run } = useChanges('monitors', 'tools', 'overview')
  return {
    run: (monitor: Named) =>
      run(api.monitors.run(paramsOf(monitor)), ({ status, lastError }) =>
        status === 'ok' ? `${monitor.toolName} works` : `${monitor.toolName}: ${lastError ?? 'it failed'}`,
      ),
    approve: (monitor: Named, confirm: boolean) =>
      run(
        api.monitors.approve({ ...paramsOf(monitor), body: { confirm } }),
        `The monitor of ${monitor.toolName} is approved`,
      ),
    rebaseline: (monitor: Named) =>
      run(
        api.monitors.rebaseline(paramsOf(monitor)),
        `What ${monitor.clientName} returns now is the baseline of ${monitor.toolName}`,
      ),
  }
}
