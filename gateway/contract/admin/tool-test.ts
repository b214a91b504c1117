// What trying a tool takes and returns. Contract 7.3.
import { z } from 'zod'
import { Id } from '../page.ts'
import { CallToolResult, OUTCOMES } from './call-result.ts'
import { GuardsDraft } from './tool-guards.ts'

/** Every stage of the guard stack, in its order. */
export const TEST_STAGES = [
  'resolve',
  'availability',
  'admission',
  'arguments',
  'ssrf',
  'guardrails',
  'quota',
  'confirm',
  'quarantine',
  'approval',
  'rate_limit',
  'identity',
  'mock',
  'cache',
  'coalesce',
  'breaker',
  'dispatch',
  'shape',
  'audit',
] as const

export const STAGE_OUTCOMES = ['pass', 'skip', 'refuse', 'hit', 'fail'] as const
export type StageOutcome = (typeof STAGE_OUTCOMES)[number]

/** Not `draft`, which comes with `dryRun` and may be the name of an argument. */
const KEYS = ['args', 'keyId', 'bundle', 'dryRun'] as const
const Args = z.record(z.string(), z.unknown())

const Options = z
  .strictObject({
    args: Args.default({}),
    keyId: Id.optional(),
    bundle: z.string().max(64).optional(),
    dryRun: z.boolean().default(false),
    draft: GuardsDraft.optional().describe('what guards the tool is imagined to be this; never sent to the backend'),
  })
  .refine(({ draft, dryRun }) => draft === undefined || dryRun, {
    path: ['draft'],
    message: 'is tried with dryRun only: nothing is sent to a backend past guards that are not in force',
  })

/** A body without any of the known keys is the arguments themselves (compat). */
export const ToolTestInput = z.union([
  Options,
  Args.refine((body) => !KEYS.some((key) => Object.hasOwn(body, key)), {
    message: `takes ${KEYS.join(', ')}, or nothing but the arguments themselves`,
  }).transform((args): z.infer<typeof Options> => ({ args, dryRun: false })),
])

export const TestResult = z.object({
  result: CallToolResult,
  outcome: z.enum(OUTCOMES),
  code: z.string().nullable(),
  gate: z.string().nullable(),
  failureKind: z.string().nullable(),
  durationMs: z.number(),
  requestId: z.string(),
  pipeline: z.array(
    z.object({
      stage: z.enum(TEST_STAGES),
      outcome: z.enum(STAGE_OUTCOMES),
      durationMs: z.number(),
      note: z.string().optional(),
    }),
  ),
})
export type TestResult = z.infer<typeof TestResult>
