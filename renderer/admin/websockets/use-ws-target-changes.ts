// The changes to WebSocket targets.
import { api } from '../../api/api.ts'
import { recordKind, useRecords } from '../../api/use-records.ts'

const WS_TARGETS = recordKind(api.wsTargets, 'name', {
  keys: ['ws-targets'],
  fixed: ['name'],
})

export function useWsTargetChanges() {
  const records = useRecords(WS_TARGETS)
  return {
    ...records,
    disconnectAll: (name: string) =>
      records.run(
        api.wsTargets.disconnectAll({ params: { name } }),
        ({ closed }) => `${closed} ${closed === 1 ? 'connection' : 'connections'} of ${name} closed`,
      ),
  }
}
