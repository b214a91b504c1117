// The instances that use one database: which leads, what each has applied, and how one leaves the rotation of a balancer.
import { z } from 'zod'
import { Iso, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'

const count = z.number().int()

export const InstanceRecord = z.object({
  id: z.string(),
  host: z.string(),
  version: z.string().nullable().describe('of the program'),
  startedAt: Iso,
  leader: z.boolean(),
  self: z.boolean().describe('the one that answers'),
  draining: z.boolean().describe('out of rotation: its readiness probes are 503 and it serves on'),
  applied: count.nullable().describe('version of the configuration; null without REGISTRY_SYNC'),
  loadPercent: count.nullable().describe('how much of the last seconds its event loop was busy'),
  sessions: count.nullable(),
  memoryBytes: count.nullable(),
  limitsDegraded: z.enum(['share', 'open', 'closed']).nullable().describe('shared limits are kept without their store'),
})
export type InstanceRecord = z.infer<typeof InstanceRecord>

/** In one page. */
export const InstanceList = page(InstanceRecord).extend({
  newest: count.describe('version of the configuration in the database'),
  oldest: count.nullable().describe('the least that an instance has applied; null without REGISTRY_SYNC'),
})
export type InstanceList = z.infer<typeof InstanceList>

const drain = {
  access: 'superadmin',
  errors: ['INSTANCE_NOT_FOUND'],
  reply: z.object({ draining: z.boolean() }),
} as const

export const instances = routes({
  list: {
    method: 'GET',
    path: '/admin-api/instances',
    access: 'superadmin',
    summary: 'List the instances of this database with what each has applied',
    query: z.strictObject(pageQuery()),
    reply: InstanceList,
  },
  drain: {
    method: 'POST',
    path: '/admin-api/instances/:id/drain',
    ...drain,
    summary: 'Take an instance out of the rotation of its balancer; it serves on',
    audit: 'instance.drain',
  },
  resume: {
    method: 'POST',
    path: '/admin-api/instances/:id/resume',
    ...drain,
    summary: 'Return a drained instance to the rotation',
    audit: 'instance.resume',
  },
})
