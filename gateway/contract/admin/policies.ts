// Guard policies: limits under a name, applied to many tools at once. Contract 7.6, 10.4.
import { z } from 'zod'
import { Label, ToolRef } from '../names.ts'
import { ownedInputs } from '../owned-inputs.ts'
import { ownedRoutes } from '../owned-routes.ts'
import { Id, OWNER_FIELDS } from '../page.ts'
import { Guards } from './tool-guards.ts'

const limits = {
  rateLimitPerMin: z.number().int().min(1).max(1_000_000).nullable(),
  timeoutMs: z.number().int().min(1).max(600_000).nullable(),
}

const { input, change } = ownedInputs({ name: Label, ...limits }, { rateLimitPerMin: null, timeoutMs: null })
export const PolicyInput = input
export type PolicyInput = z.infer<typeof PolicyInput>

export const GuardPolicy = z.object({
  id: Id,
  name: z.string(),
  ...limits,
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

export const policies = ownedRoutes(
  {
    path: '/admin-api/policies',
    key: 'id',
    noun: 'policy',
    read: 'viewer',
    write: 'admin',
    input,
    change,
    record: GuardPolicy,
    notFound: 'POLICY_NOT_FOUND',
    errors: {
      create: ['POLICY_EXISTS'],
      update: ['POLICY_EXISTS'],
    },
    summaries: {
      list: 'List guard policies by name',
      create: 'Create a guard policy',
      get: 'Read one guard policy',
      update: 'Rename a guard policy or change its limits; what was applied stays',
      delete: 'Delete a guard policy; what was applied stays',
    },
  },
  {
    apply: {
      method: 'POST',
      path: '/admin-api/policies/:id/apply',
      access: 'admin',
      summary: 'Write the limits of a policy into tools, or preview that; allow-lists stay',
      body: PolicyTarget,
      reply: PolicyApplied,
      audit: ['policy.apply', 'tool.guards.update'],
      errors: ['POLICY_NOT_FOUND', 'BUNDLE_NOT_FOUND'],
    },
  },
)
