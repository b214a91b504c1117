// Why one tool is refused: the state of every layer it meets, what refused it lately, and what to do about it. Contract 6.3.
import { z } from 'zod'
import { Iso } from '../page.ts'
import { routes } from '../route.ts'
import { BREAKER_STATES, HEALTH } from './clients.ts'

const count = z.number().int()

export const WINDOW_MS = { least: 1_000, most: 2_592_000_000, usual: 3_600_000 } as const

export const Finding = z.object({
  gate: z.string().describe('the layer that refuses'),
  text: z.string().describe('what it refuses and which setting decides it'),
  fix: z.string().describe('the smallest change that lets calls through'),
})
export type Finding = z.infer<typeof Finding>

export const Diagnosis = z.object({
  client: z.string(),
  tool: z.string(),
  clientEnabled: z.boolean(),
  toolEnabled: z.boolean(),
  live: z.boolean(),
  missing: z.boolean(),
  health: z.object({
    status: z.enum(HEALTH).nullable(),
    consecutiveFailures: count,
    lastCheckedAt: Iso.nullable(),
    lastError: z.string().nullable(),
  }),
  circuitBreaker: z.object({
    state: z.enum(BREAKER_STATES),
    failuresInWindow: count,
    toolFailuresInWindow: count,
    threshold: count,
    halfOpenInMs: count.nullable(),
  }),
  guards: z.object({ rateLimitPerMin: count.nullable(), timeoutMs: count.nullable() }),
  keyAllowlist: z.object({ inForce: z.boolean(), size: count }).describe('reported, never evaluated'),
  sensitive: z.boolean(),
  requiresApproval: z.boolean(),
  quarantine: z.object({
    active: z.boolean(),
    action: z.string().nullable(),
    reason: z.string().nullable(),
    until: Iso.nullable(),
  }),
  mock: z.string().nullable(),
  denials: z.object({
    windowMs: count,
    sampled: count,
    truncated: z.boolean().describe('older denials of the window were not counted'),
    byCode: z.record(z.string(), count),
    lastAt: Iso.nullable(),
  }),
  errors: z.object({ calls: count, failures: count, byKind: z.record(z.string(), count) }),
  findings: z.array(Finding),
})
export type Diagnosis = z.infer<typeof Diagnosis>

export const diagnosis = routes({
  diagnose: {
    method: 'GET',
    path: '/admin-api/clients/:name/tools/:tool/diagnose',
    access: 'operator',
    summary: 'Why a tool is refused, layer by layer; changes nothing',
    query: z.strictObject({
      windowMs: z
        .string()
        .regex(/^\d{1,12}$/, 'must be a whole number')
        .transform(Number)
        .pipe(z.number().min(WINDOW_MS.least).max(WINDOW_MS.most))
        .default(WINDOW_MS.usual),
    }),
    reply: Diagnosis,
    errors: ['TOOL_NOT_FOUND'],
  },
})
