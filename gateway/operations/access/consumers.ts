// Consumers: whose quota the calls of a key count for. Contract 7.6, 10.4.
import type { ManagedKeys } from '../../auth/managed-keys.ts'
import type { Consumer, ConsumerInput, ConsumerUsage } from '../../contract/admin/consumers.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Actor } from '../../contract/role.ts'
import type { Quota } from '../../pipeline/3-policy/quota.ts'
import { createOwned, ownerOf, type RecordBase } from '../../records/owned.ts'
import { type ConsumerRow, type ConsumerWithKeys, consumerRows, detachKeys, usageOf } from '../../storage/consumers.ts'
import type { Query } from '../../storage/schema.ts'

type ConsumersDeps = RecordBase & { readonly quota: Quota; readonly keys: Pick<ManagedKeys, 'refresh'> }

const settingsOf = ({ name, monthly_quota, end_user_rate }: ConsumerRow): ConsumerInput => ({
  name,
  monthlyQuota: monthly_quota,
  endUserRateLimitPerMin: end_user_rate,
})
export const consumerColumns = ({ monthlyQuota, endUserRateLimitPerMin }: Omit<ConsumerInput, 'name'>) => ({
  monthly_quota: monthlyQuota,
  end_user_rate: endUserRateLimitPerMin,
})
const limitsOf = (row: ConsumerRow) => {
  const { monthlyQuota, endUserRateLimitPerMin } = settingsOf(row)
  return { id: row.id, monthlyQuota, endUserRateLimitPerMin }
}

/** At start: the limits, and the calls already counted in this month. */
export async function loadConsumers(query: Query, quota: Quota): Promise<void> {
  const used = await usageOf(query, quota.month().name)
  for (const row of await consumerRows.all(query)) quota.set(row.id, limitsOf(row), used.get(row.id) ?? 0)
}

export function createConsumers({ quota, keys, ...base }: ConsumersDeps) {
  const present = (row: ConsumerWithKeys): Consumer => ({
    id: row.id,
    ...settingsOf(row),
    usedThisMonth: quota.used(row.id),
    keys: row.keys,
    ...ownerOf(row),
  })

  const owned = createOwned(
    {
      rows: consumerRows,
      noun: 'consumer',
      key: 'id',
      order: 'name',
      notFound: () => new GatewayError('CONSUMER_NOT_FOUND', 'There is no such consumer'),
      taken: (name) => new GatewayError('CONSUMER_EXISTS', `There is a consumer "${name}" already`),
      settingsOf,
      columnsOf: consumerColumns,
      present,
      saved: (row) => quota.set(row.id, limitsOf(row)),
      async detach(tx, { id }) {
        const freed = await detachKeys(tx, id)
        return {
          detail: { id, keys: freed.length },
          async committed() {
            quota.set(id, null)
            for (const key of freed) await keys.refresh(key, false)
          },
        }
      },
    },
    base,
  )

  return {
    ...owned,

    async usage(actor: Actor, given: string): Promise<ConsumerUsage> {
      const { id, monthly_quota } = await owned.required(base.database.query, actor, given)
      const { startMs, endMs } = quota.month()
      const iso = (ms: number): string => new Date(ms).toISOString()
      return { used: quota.used(id), quota: monthly_quota, periodStart: iso(startMs), periodEnd: iso(endMs) }
    },
  }
}
