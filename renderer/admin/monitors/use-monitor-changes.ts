// The changes to monitors.
import type { MonitorRecord } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { useChanges } from '../../ui/use-records.ts'

type Named = Pick<MonitorRecord, 'clientName' | 'toolName'>
const paramsOf = ({ clientName, toolName }: Named) => ({ params: { name: clientName, tool: toolName } })

export function useMonitorChanges() {
  const { run } = useChanges('monitors', 'tools', 'overview')
  return {
    run: (monitor: Named) =>
      run(api.monitors.run(paramsOf(monitor)), ({ status, lastError }) =>
        status === 'ok'
          ? t('{toolName} works', { toolName: monitor.toolName })
          : `${monitor.toolName}: ${lastError ?? t('it failed')}`,
      ),
    approve: (monitor: Named, confirm: boolean) =>
      run(
        api.monitors.approve({ ...paramsOf(monitor), body: { confirm } }),
        t('The monitor of {toolName} is approved', { toolName: monitor.toolName }),
      ),
    rebaseline: (monitor: Named) =>
      run(
        api.monitors.rebaseline(paramsOf(monitor)),
        t('What {clientName} returns now is the baseline of {toolName}', {
          clientName: monitor.clientName,
          toolName: monitor.toolName,
        }),
      ),
  }
}
