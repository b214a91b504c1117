// The changes to consumers and their keys.
import type { KeyRecord } from '#contract'
import { api } from '../../api/api.ts'
import { recordKind, useRecords } from '../../ui/use-records.ts'

const paramsOf = ({ id }: { readonly id: number }) => ({ params: { id: String(id) } })

const CONSUMERS = recordKind(api.consumers, 'id', { keys: ['consumers', 'keys'] })

export function useConsumerChanges() {
  const records = useRecords(CONSUMERS)
  const setKey = (key: KeyRecord, consumerId: number | null) =>
    api.mcpKeys.update({ ...paramsOf(key), body: { consumerId, revision: key.revision } })
  return {
    ...records,
    giveKey: (key: KeyRecord, consumerId: number | null, done: string) =>
      records.run(setKey(key, consumerId), done, (moved) => setKey(moved, key.consumerId)),
  }
}
