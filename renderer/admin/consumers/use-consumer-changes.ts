// The changes to consumers and to which keys count for them.
import type { Consumer, ConsumerInput, KeyRecord } from '#contract'
import { api } from '../../api/api.ts'
import { type RecordKind, useRecords } from '../../api/use-records.ts'

const paramsOf = ({ id }: { readonly id: number }) => ({ params: { id: String(id) } })

const CONSUMERS: RecordKind<Consumer, ConsumerInput> = {
  keys: ['consumers', 'keys'],
  nameOf: ({ name }) => name,
  create: (body) => api.consumers.create({ body }),
  update: (consumer, change) =>
    api.consumers.update({ ...paramsOf(consumer), body: { ...change, revision: consumer.revision } }),
  remove: (consumer) => api.consumers.delete({ ...paramsOf(consumer), ifMatch: consumer.revision }),
}

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
