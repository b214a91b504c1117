// The changes to WebSocket targets.
import { api } from '../../api/api.ts'
import { plural } from '../../language/language.ts'
import { recordKind, useRecords } from '../../ui/use-records.ts'

const WS_TARGETS = recordKind(api.wsTargets, 'name', {
  keys: ['ws-targets'],
  fixed: ['name'],
})

export function useWsTargetChanges() {
  const records = useRecords(WS_TARGETS)
  return {
    ...records,
    disconnectAll: (name: string) =>
      records.run(api.wsTargets.disconnectAll({ params: { name } }), ({ closed }) =>
        plural(closed, '{count} connection of {name} closed', '{count} connections of {name} closed', { name }),
      ),
  }
}
