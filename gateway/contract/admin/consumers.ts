// Consumers: whose quota the calls of a key count for. Contract 7.6, 10.4.
import { z } from 'zod'
import { Label } from '../names.ts'
import { Id, Iso, OWNER_FIELDS, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'

const limits = {
  monthlyQuota: z.number().int().min(1).max(1_000_000_000_000).nullable(),
  endUserRateLimitPerMin: z.number().int().min(1).max(1_000_000).nullable(),
}

export const ConsumerInput = z.strictObject({
  name: Label,
  monthlyQuota: limits.monthlyQuota.default(null),
  endUserRateLimitPerMin: limits.endUserRateLimitPerMin.default(null),
})
export type ConsumerInput = z.infer<typeof ConsumerInput>

const ConsumerChange = z
  .strictObject({ name: Label, ...limits })
  .partial()
  .extend({ revision: z.number().int().optional() })
export type ConsumerChange = Omit<z.infer<typeof ConsumerChange>, 'revision'>

export const Consumer = z.object({
  id: Id,
  name: z.string(),
  monthlyQuota: z.number().int().nullable(),
  endUserRateLimitPerMin: z.number().int().nullable(),
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

const one = z.object({ id: z.string() })

export const consumers = routes({
  list: {
    method: 'GET',
    path: '/admin-api/consumers',
    access: 'viewer',
    summary: 'List consumers by name',
    query: z.strictObject(pageQuery()),
    reply: page(Consumer),
  },
  create: {
    method: 'POST',
    path: '/admin-api/consumers',
    access: 'admin',
    summary: 'Create a consumer with its limits',
    status: 201,
    body: ConsumerInput,
    reply: Consumer,
    audit: 'consumer.create',
    errors: ['CONSUMER_EXISTS'],
  },
  get: {
    method: 'GET',
    path: '/admin-api/consumers/:id',
    access: 'viewer',
    summary: 'Read one consumer',
    params: one,
    reply: Consumer,
    errors: ['CONSUMER_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: '/admin-api/consumers/:id',
    access: 'admin',
    summary: 'Rename a consumer or change its limits',
    params: one,
    body: ConsumerChange,
    reply: Consumer,
    audit: 'consumer.update',
    errors: ['CONSUMER_NOT_FOUND', 'CONSUMER_EXISTS', 'PRECONDITION_FAILED'],
  },
  delete: {
    method: 'DELETE',
    path: '/admin-api/consumers/:id',
    access: 'admin',
    summary: 'Delete a consumer; its keys stay, without one',
    status: 204,
    params: one,
    audit: 'consumer.delete',
    errors: ['CONSUMER_NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  usage: {
    method: 'GET',
    path: '/admin-api/consumers/:id/usage',
    access: 'viewer',
    summary: 'What a consumer used in this calendar month (UTC)',
    params: one,
    reply: ConsumerUsage,
    errors: ['CONSUMER_NOT_FOUND'],
  },
})
