// Guard policies: limits under a name, applied to many tools at once. Contract 7.6, 10.4.
import { z } from 'zod'
import { Label, ToolRef } from '../names.ts'
import { Id, OWNER_FIELDS, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'
import { Guards } from './tool-guards.ts'

const limits = {
  rateLimitPerMin: z.number().int().min(1).max(1_000_000).nullable(),
  timeoutMs: z.number().int().min(1).max(600_000).nullable(),
}

export const PolicyInput = z.strictObject({
  name: Label,
  rateLimitPerMin: limits.rateLimitPerMin.default(null),
  timeoutMs: limits.timeoutMs.default(null),
})
export type PolicyInput = z.infer<typeof PolicyInput>

const PolicyChange = z
  .strictObject({ name: Label, ...limits })
  .partial()
  .extend({ revision: z.number().int().optional() })
export type PolicyChange = Omit<z.infer<typeof PolicyChange>, 'revision'>

export const GuardPolicy = z.object({
  id: Id,
  name: z.string(),
  rateLimitPerMin: z.number().int().nullable(),
  timeoutMs: z.number().int().nullable(),
  ...OWNER_FIELDS,
})
export type GuardPolicy = z.infer<typeof GuardPolicy>

const PolicyTarget = z
  .strictObject({
    bundle: z.string().min(1).max(63).optional(),
    tools: z.array(ToolRef).min(1).max(1000).optional(),
    dryRun: z.boolean().default(false),
  })
  .refine((body) => (body.bundle === undefined) !== (body.tools === undefined), {
    path: ['bundle'],
    message: 'give bundle or tools, one of them',
  })
export type PolicyTarget = z.infer<typeof PolicyTarget>

const PolicyApplied = z.object({
  applied: z.number().int(),
  skipped: z.array(z.object({ tool: z.string(), reason: z.enum(['not_found', 'composite', 'unchanged']) })),
  changes: z.array(z.object({ client: z.string(), tool: z.string(), before: Guards, after: Guards })),
})
export type PolicyApplied = z.infer<typeof PolicyApplied>

const one = z.object({ id: z.string() })

export const policies = routes({
  list: {
    method: 'GET',
    path: '/admin-api/policies',
    access: 'viewer',
    summary: 'List guard policies by name',
    query: z.strictObject(pageQuery()),
    reply: page(GuardPolicy),
  },
  create: {
    method: 'POST',
    path: '/admin-api/policies',
    access: 'admin',
    summary: 'Create a guard policy',
    status: 201,
    body: PolicyInput,
    reply: GuardPolicy,
    audit: 'policy.create',
    errors: ['POLICY_EXISTS'],
  },
  get: {
    method: 'GET',
    path: '/admin-api/policies/:id',
    access: 'viewer',
    summary: 'Read one guard policy',
    params: one,
    reply: GuardPolicy,
    errors: ['POLICY_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: '/admin-api/policies/:id',
    access: 'admin',
    summary: 'Rename a guard policy or change its limits; what was applied stays',
    params: one,
    body: PolicyChange,
    reply: GuardPolicy,
    audit: 'policy.update',
    errors: ['POLICY_NOT_FOUND', 'POLICY_EXISTS', 'PRECONDITION_FAILED'],
  },
  delete: {
    method: 'DELETE',
    path: '/admin-api/policies/:id',
    access: 'admin',
    summary: 'Delete a guard policy; what was applied stays',
    status: 204,
    params: one,
    audit: 'policy.delete',
    errors: ['POLICY_NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  apply: {
    method: 'POST',
    path: '/admin-api/policies/:id/apply',
    access: 'admin',
    summary: 'Write the limits of a policy into tools, or preview that; allow-lists stay',
    params: one,
    body: PolicyTarget,
    reply: PolicyApplied,
    audit: ['policy.apply', 'tool.guards.update'],
    errors: ['POLICY_NOT_FOUND', 'BUNDLE_NOT_FOUND'],
  },
})
