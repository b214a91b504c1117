// Other servers of a REST backend: the one a canary or a failover is sent to, and the pool calls are balanced over. Contract 9.1, 9.2.
import { z } from 'zod'
import { HttpUrl } from '../names.ts'
import { Id, Iso } from '../page.ts'
import { type Route, routes } from '../route.ts'
import { LbStrategy } from './lb-strategy.ts'

export const MOST_LB_TARGETS = 16

const Weight = z.number().int().min(1).max(1000)

export const CanaryInput = z.strictObject({
  secondaryBaseUrl: HttpUrl,
  mode: z.enum(['canary', 'failover']).default('canary'),
  /** Percent of calls, of a canary. */
  weight: z.number().int().min(1).max(100).default(10),
  enabled: z.boolean().default(true),
})
export type CanaryInput = z.output<typeof CanaryInput>

export const Canary = z.object({
  secondaryBaseUrl: z.string(),
  secondaryResolvedIp: z.string(),
  mode: z.enum(['canary', 'failover']),
  weight: z.number().int(),
  enabled: z.boolean(),
  /** Of this gateway since it started. */
  stats: z.object({ calls: z.number().int(), errors: z.number().int() }),
  updatedAt: Iso,
  revision: z.number().int(),
})
export type Canary = z.infer<typeof Canary>

export const LbTargetInput = z.strictObject({
  baseUrl: HttpUrl,
  weight: Weight.default(1),
  enabled: z.boolean().default(true),
})
export type LbTargetInput = z.output<typeof LbTargetInput>

export const LbInput = z.strictObject({
  strategy: LbStrategy,
  /** 0 leaves the backend's own server out. */
  primaryWeight: z.number().int().min(0).max(1000).default(1),
  enabled: z.boolean().default(true),
  /** Replaces the pool; absent leaves it as it is. */
  upstreams: z.array(LbTargetInput).max(MOST_LB_TARGETS).optional(),
})
export type LbInput = z.output<typeof LbInput>

export const LbTarget = z.object({
  id: Id,
  baseUrl: z.string(),
  resolvedIp: z.string(),
  weight: z.number().int(),
  enabled: z.boolean(),
  /** `cooldown`: it failed, and is asked only where no other is left. */
  state: z.enum(['up', 'cooldown']),
  inFlight: z.number().int(),
  lastError: z.string().nullable(),
})
export type LbTarget = z.infer<typeof LbTarget>

export const Lb = z.object({
  strategy: LbStrategy,
  primaryWeight: z.number().int(),
  enabled: z.boolean(),
  targets: z.array(LbTarget),
  revision: z.number().int(),
})
export type Lb = z.infer<typeof Lb>

const Warnings = z.array(z.string()).optional()
/** Accepted from admins: the stored credential is sent to these servers as well. */
const Kept = { keepCredential: z.boolean().optional() }

const canary = z.object({ canary: Canary.nullable(), warnings: Warnings })
const lb = z.object({ lb: Lb.nullable(), warnings: Warnings })
const SET = ['CLIENT_NOT_FOUND', 'INVALID_URL', 'SSRF_BLOCKED', 'NOT_REST', 'PRECONDITION_FAILED'] as const
const CLEAR = ['CLIENT_NOT_FOUND', 'NOT_CONFIGURED', 'PRECONDITION_FAILED'] as const satisfies Route['errors']

export const targets = routes({
  getCanary: {
    method: 'GET',
    path: '/admin-api/clients/:name/canary',
    access: 'viewer',
    summary: 'Read the canary or failover of a backend',
    reply: canary,
    errors: ['CLIENT_NOT_FOUND'],
  },
  setCanary: {
    method: 'PUT',
    path: '/admin-api/clients/:name/canary',
    access: 'operator',
    summary:
      'Send a share of the calls, or all while the backend is away, to a second server; {"canary": null} clears it',
    body: z.union([CanaryInput.extend(Kept), z.strictObject({ canary: z.null() })]),
    reply: canary,
    audit: ['client.canary.set', 'client.canary.clear'],
    errors: SET,
  },
  clearCanary: {
    method: 'DELETE',
    path: '/admin-api/clients/:name/canary',
    access: 'operator',
    summary: 'Remove the canary or failover of a backend',
    audit: 'client.canary.clear',
    errors: CLEAR,
  },
  getLb: {
    method: 'GET',
    path: '/admin-api/clients/:name/lb',
    access: 'viewer',
    summary: 'Read how the calls of a backend are balanced, and how its servers are',
    reply: lb,
    errors: ['CLIENT_NOT_FOUND'],
  },
  setLb: {
    method: 'PUT',
    path: '/admin-api/clients/:name/lb',
    access: 'operator',
    summary: 'Balance the calls of a backend over several servers; {"lb": null} clears it',
    body: z.union([LbInput.extend(Kept), z.strictObject({ lb: z.null() })]),
    reply: lb,
    audit: ['client.lb.set', 'client.lb.clear'],
    errors: [...SET, 'ALREADY_EXISTS'],
  },
  clearLb: {
    method: 'DELETE',
    path: '/admin-api/clients/:name/lb',
    access: 'operator',
    summary: 'Stop balancing, and forget the pool',
    audit: 'client.lb.clear',
    errors: CLEAR,
  },
  addUpstream: {
    method: 'POST',
    path: '/admin-api/clients/:name/lb/upstreams',
    access: 'operator',
    summary: 'Add a server to the pool; the first one switches balancing on',
    status: 201,
    body: LbTargetInput.extend(Kept),
    reply: LbTarget.extend({ warnings: Warnings }),
    audit: 'client.lb.upstream.add',
    errors: [...SET, 'ALREADY_EXISTS', 'LIMIT_REACHED'],
  },
  updateUpstream: {
    method: 'PATCH',
    path: '/admin-api/clients/:name/lb/upstreams/:id',
    access: 'operator',
    summary: 'Change the weight of a server of the pool, or whether it is used',
    body: z.strictObject({ weight: Weight.optional(), enabled: z.boolean().optional(), ...Kept }),
    reply: LbTarget,
    audit: 'client.lb.upstream.update',
    errors: ['CLIENT_NOT_FOUND', 'TARGET_NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  removeUpstream: {
    method: 'DELETE',
    path: '/admin-api/clients/:name/lb/upstreams/:id',
    access: 'operator',
    summary: 'Take a server out of the pool',
    audit: 'client.lb.upstream.remove',
    errors: ['CLIENT_NOT_FOUND', 'TARGET_NOT_FOUND', 'PRECONDITION_FAILED'],
  },
})
