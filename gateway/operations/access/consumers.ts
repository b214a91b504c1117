// Consumers: whose quota the calls of a key count for. Contract 7.6, 10.4.
import type { ManagedKeys } from '../../auth/managed-keys.ts'
import type { Consumer, ConsumerChange, ConsumerInput, ConsumerUsage } from '../../contract/admin/consumers.ts'
import { GatewayError } from '../../contract/error.ts'
import { idIn, type Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Quota } from '../../pipeline/3-policy/quota.ts'
import { type Changes, difference, type Revision, requireRevision } from '../../records/changes.ts'
import {
  allConsumers,
  type ConsumerRow,
  type ConsumerWithKeys,
  consumerById,
  consumerByName,
  consumersAfter,
  deleteConsumer,
  insertConsumer,
  updateConsumer,
  usageOf,
} from '../../storage/consumers.ts'
import type { Database } from '../../storage/database.ts'
import { afterName, type Paging, pageByName } from '../../storage/page.ts'
import type { Query } from '../../storage/schema.ts'
import type { ByActor } from '../backends/backends.ts'

type Parts = {
  readonly database: Pick<Database, 'query'>
  readonly changes: Changes
  readonly quota: Quota
  readonly keys: Pick<ManagedKeys, 'refresh'>
  readonly clock: { now(): number }
}
export type Consumers = ReturnType<typeof createConsumers>

const notFound = (): GatewayError => new GatewayError('CONSUMER_NOT_FOUND', 'There is no such consumer')

const limitsOf = ({ id, monthly_quota, end_user_rate }: ConsumerRow) => ({
  id,
  monthlyQuota: monthly_quota,
  endUserRateLimitPerMin: end_user_rate,
})

/** At start: the limits, and what was used of them in this month before. */
export async function loadConsumers(query: Query, quota: Quota): Promise<void> {
  const used = await usageOf(query, quota.month().name)
  for (const row of await allConsumers(query)) quota.set(row.id, limitsOf(row), used.get(row.id) ?? 0)
}

/** Names are of the whole gateway: a team learns that one is taken, and not by whom. */
async function requireFree(query: Query, name: string): Promise<void> {
  if (await consumerByName(query, name))
    throw new GatewayError('CONSUMER_EXISTS', `There is a consumer "${name}" already`)
}

export function createConsumers({ database, changes, quota, keys, clock }: Parts) {
  const at = (): string => new Date(clock.now()).toISOString()

  const present = (row: ConsumerWithKeys): Consumer => ({
    id: row.id,
    name: row.name,
    monthlyQuota: row.monthly_quota,
    endUserRateLimitPerMin: row.end_user_rate,
    usedThisMonth: quota.used(row.id),
    keys: row.keys,
    teamId: row.team_id,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: row.created_by,
  })

  async function required(query: Query, actor: Actor, given: string): Promise<ConsumerWithKeys> {
    const id = idIn(given)
    const row = id === undefined ? undefined : await consumerById(query, id)
    if (row === undefined || !mayTouch(actor, { teamId: row.team_id })) throw notFound()
    return row
  }

  /** After the commit: what the row says is what calls meet. */
  async function settled(id: number): Promise<Consumer> {
    const row = await consumerById(database.query, id)
    if (row === undefined) throw notFound()
    quota.set(id, limitsOf(row))
    return present(row)
  }

  return {
    async list({ teamId }: Actor, { limit, cursor }: Paging): Promise<Page<Consumer>> {
      const rows = await consumersAfter(database.query, { after: afterName(cursor), teamId, limit: limit + 1 })
      return pageByName(rows.map(present), limit, ({ name }) => name)
    },

    get: async (actor: Actor, id: string): Promise<Consumer> => present(await required(database.query, actor, id)),

    async usage(actor: Actor, given: string): Promise<ConsumerUsage> {
      const { id, monthly_quota } = await required(database.query, actor, given)
      const { startMs, endMs } = quota.month()
      const [periodStart, periodEnd] = [startMs, endMs].map((ms) => new Date(ms).toISOString()) as [string, string] // two of two
      return { used: quota.used(id), quota: monthly_quota, periodStart, periodEnd }
    },

    async create(by: ByActor, { name, monthlyQuota, endUserRateLimitPerMin }: ConsumerInput): Promise<Consumer> {
      const id = await changes(by, async (tx, audit) => {
        await requireFree(tx, name)
        const created = at()
        const made = await insertConsumer(tx, {
          name,
          monthly_quota: monthlyQuota,
          end_user_rate: endUserRateLimitPerMin,
          team_id: by.actor.teamId,
          revision: 1,
          created_at: created,
          updated_at: created,
          created_by: by.actor.name,
        })
        await audit('consumer.create', name, { after: { monthlyQuota, endUserRateLimitPerMin } })
        return made
      })
      return settled(id)
    },

    async update(by: ByActor, given: string, change: ConsumerChange, expected: readonly Revision[]): Promise<Consumer> {
      const id = await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, given)
        requireRevision(row.revision, expected)
        const { name, ...limits } = { name: row.name, ...limitsOf(row) }
        const before = {
          name,
          monthlyQuota: limits.monthlyQuota,
          endUserRateLimitPerMin: limits.endUserRateLimitPerMin,
        }
        const wanted = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
        const after = { ...before, ...wanted }
        const moved = difference(before, after)
        if (!moved) return row.id
        if (after.name !== before.name) await requireFree(tx, after.name)
        await updateConsumer(tx, row.id, {
          name: after.name,
          monthly_quota: after.monthlyQuota,
          end_user_rate: after.endUserRateLimitPerMin,
          updated_at: at(),
        })
        await audit('consumer.update', after.name, moved)
        return row.id
      })
      return settled(id)
    },

    async delete(by: ByActor, given: string, expected: readonly Revision[]): Promise<void> {
      const gone = await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, given)
        requireRevision(row.revision, expected)
        const freed = await deleteConsumer(tx, row.id)
        await audit('consumer.delete', row.name, { before: { ...limitsOf(row), keys: freed.length } })
        return { id: row.id, freed }
      })
      quota.set(gone.id, null)
      for (const id of gone.freed) await keys.refresh(id, false)
    },
  }
}
