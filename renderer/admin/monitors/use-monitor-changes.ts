// What can be done with a monitor; each leaves the list true, also when it was refused.
import type { MonitorRecord } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { notifyDone } from '../../ui/notify.ts'

type Named = Pick<MonitorRecord, 'clientName' | 'toolName'>
const paramsOf = ({ clientName, toolName }: Named) => ({ params: { name: clientName, tool: toolName } })

export function useMonitorChanges() {
  const { settled } = useInvalidate('monitors', 'tools', 'overview')
  return {
    async run(monitor: Named): Promise<void> {
      const { status, lastError } = await settled(api.monitors.run(paramsOf(monitor)))
      notifyDone(status === 'ok' ? `${monitor.toolName} works` : `${monitor.toolName}: ${lastError ?? 'it failed'}`)
    },
    async approve(monitor: Named, confirm: boolean): Promise<void> {
      await settled(api.monitors.approve({ ...paramsOf(monitor), body: { confirm } }))
      notifyDone(`The monitor of ${monitor.toolName} is approved`)
    },
    async rebaseline(monitor: Named): Promise<void> {
      await settled(api.monitors.rebaseline(paramsOf(monitor)))
      notifyDone(`What ${monitor.clientName} tells now is the baseline of ${monitor.toolName}`)
    },
  }
}
