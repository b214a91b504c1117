// Consumers: whose quota the calls of a key count for. Contract 7.6, 10.4.
import { z } from 'zod'
import { Label } from '../names.ts'
import { ownedInputs } from '../owned-inputs.ts'
import { ownedRoutes } from '../owned-routes.ts'
import { Id, Iso, OWNER_FIELDS } from '../page.ts'

const limits = {
  monthlyQuota: z.number().int().min(1).max(1_000_000_000_000).nullable(),
  endUserRateLimitPerMin: z.number().int().min(1).max(1_000_000).nullable(),
}

const NONE = { monthlyQuota: null, endUserRateLimitPerMin: null }
const { input, change } = ownedInputs({ name: Label, ...limits }, NONE)
export const ConsumerInput = input
export type ConsumerInput = z.infer<typeof ConsumerInput>

export const Consumer = z.object({
  id: Id,
  name: z.string(),
  ...limits,
  usedThisMonth: z.number().int(),
  keys: z.number().int(),
  ...OWNER_FIELDS,
})
export type Consumer = z.infer<typeof Consumer>

const ConsumerUsage = z.object({
  used: z.number().int(),
  quota: z.number().int().nullable(),
  periodStart: Iso,
  periodEnd: Iso,
})
export type ConsumerUsage = z.infer<typeof ConsumerUsage>

export const consumers = ownedRoutes(
  {
    path: '/admin-api/consumers',
    key: 'id',
    noun: 'consumer',
    read: 'viewer',
    write: 'admin',
    input,
    change,
    record: Consumer,
    notFound: 'CONSUMER_NOT_FOUND',
    errors: {
      create: ['CONSUMER_EXISTS'],
      update: ['CONSUMER_EXISTS'],
    },
    summaries: {
      list: 'List consumers by name',
      create: 'Create a consumer with its limits',
      get: 'Read one consumer',
      update: 'Rename a consumer or change its limits',
      delete: 'Delete a consumer; its keys stay, without one',
    },
  },
  {
    usage: {
      method: 'GET',
      path: '/admin-api/consumers/:id/usage',
      access: 'viewer',
      summary: 'What a consumer used in this calendar month (UTC)',
      reply: ConsumerUsage,
      errors: ['CONSUMER_NOT_FOUND'],
    },
  },
)
