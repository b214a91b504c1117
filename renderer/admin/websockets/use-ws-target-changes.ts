// The changes to WebSocket targets.
import type { WsTarget, WsTargetInput } from '#contract'
import { api } from '../../api/api.ts'
import { type RecordKind, useRecords } from '../../api/use-records.ts'

const paramsOf = ({ name }: Pick<WsTarget, 'name'>) => ({ params: { name } })

const WS_TARGETS: RecordKind<WsTarget, WsTargetInput> = {
  keys: ['ws-targets'],
  nameOf: ({ name }) => name,
  create: (body) => api.wsTargets.create({ body }),
  // The name of a target stays.
  update: (target, { name: _name, ...change }) =>
    api.wsTargets.update({ ...paramsOf(target), body: { ...change, revision: target.revision } }),
  remove: (target) => api.wsTargets.delete(paramsOf(target)),
}

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
