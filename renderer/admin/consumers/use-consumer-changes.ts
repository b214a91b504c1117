// The changes to consumers and to which keys count for them; each leaves lists and details true, also when it was refused.
import type { Consumer, ConsumerInput, KeyRecord } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { notifyDone } from '../../ui/notify.ts'

export function useConsumerChanges() {
  const { settled } = useInvalidate('consumers', 'keys')
  const paramsOf = ({ id }: Pick<Consumer, 'id'>) => ({ params: { id: String(id) } })
  const setKey = ({ id, revision }: KeyRecord, consumerId: number | null) =>
    settled(api.mcpKeys.update({ params: { id: String(id) }, body: { consumerId, revision } }))
  const update = (consumer: Consumer, change: Partial<ConsumerInput>) =>
    settled(api.consumers.update({ ...paramsOf(consumer), body: { ...change, revision: consumer.revision } }))
  return {
    create: (body: ConsumerInput) => settled(api.consumers.create({ body })),
    async updateWithUndo(before: Consumer, change: ConsumerInput): Promise<void> {
      const { name, monthlyQuota, endUserRateLimitPerMin } = before
      const changed = await update(before, change)
      notifyDone(`${changed.name} was changed`, () => update(changed, { name, monthlyQuota, endUserRateLimitPerMin }))
    },
    async remove(consumer: Consumer): Promise<void> {
      await settled(api.consumers.delete({ ...paramsOf(consumer), ifMatch: consumer.revision }))
      notifyDone(`${consumer.name} was deleted`)
    },
    async giveKey(key: KeyRecord, consumerId: number | null, done: string): Promise<void> {
      const moved = await setKey(key, consumerId)
      notifyDone(done, () => setKey(moved, key.consumerId))
    },
  }
}
