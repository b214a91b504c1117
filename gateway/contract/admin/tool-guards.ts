// What limits a tool, and who must agree before it is called. Contract 8.1–8.4, 8.7.
import { z } from 'zod'
import { Id } from '../page.ts'
import { Username } from './users.ts'

export const Guards = z.object({
  rateLimitPerMin: z.number().int().nullable(),
  rateLimitScope: z.enum(['tool', 'principal']),
  timeoutMs: z.number().int().nullable(),
  allowedKeyHashes: z.array(z.string()),
  allowedKeyIds: z.array(Id),
})
export type Guards = z.infer<typeof Guards>

export const GuardsPatch = z.strictObject({
  rateLimitPerMin: z.number().int().min(1).max(1_000_000_000).nullable().optional(),
  rateLimitScope: z.enum(['tool', 'principal']).optional(),
  timeoutMs: z.number().int().min(1).max(600_000).nullable().optional(),
  allowedApiKeys: z.array(z.string().min(1).max(512)).max(200).nullable().optional(),
  allowedKeyIds: z.array(Id).max(200).nullable().optional(),
})
export type GuardsPatch = z.infer<typeof GuardsPatch>

export const Guardrails = z.strictObject({
  denyPatterns: z.array(z.string().min(1).max(200)).max(20).default([]),
  blockSecrets: z.boolean().default(false),
  scanResponses: z.boolean().default(false),
})
export type Guardrails = z.infer<typeof Guardrails>

/** Who must agree before a call passes. What is absent is the gateway's setting. */
export const ApprovalCfg = z
  .strictObject({
    required: z.boolean().default(true),
    levels: z.number().int().min(1).max(10).default(1),
    approvers: z.array(Username).max(100).default([]),
    ttlMs: z.number().int().min(60_000).max(604_800_000).optional(),
    useTtlMs: z.number().int().min(10_000).max(86_400_000).optional(),
  })
  .transform(({ approvers, ...rest }) => ({ ...rest, approvers: [...new Set(approvers)] }))
export type ApprovalCfg = z.output<typeof ApprovalCfg>

export const RedactPaths = z.array(z.string().min(1).max(256)).max(100)

/** The parts of a configuration that decide whether a call passes, as a patch of them. A draft of them can be tried. */
export const GuardsDraft = z.strictObject({
  guards: GuardsPatch.nullable().optional(),
  sensitive: z.boolean().nullable().optional(),
  guardrails: Guardrails.nullable().optional(),
  approval: ApprovalCfg.nullable().optional(),
})
export type GuardsDraft = z.infer<typeof GuardsDraft>
