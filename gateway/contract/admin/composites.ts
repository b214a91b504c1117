// Composites: several steps over tools, callable as one through the bundles that list them. Contract 7.4, 10.8.
import { z } from 'zod'
import { ownedRoutes } from '../owned-routes.ts'
import { Flag, Id, Iso, MADE_FIELDS } from '../page.ts'
import { routes } from '../route.ts'
import { CallToolResult, OUTCOMES } from './call-result.ts'

const Step = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must match ^[a-z][a-z0-9_]{0,31}$')
    .optional(),
  targetClient: z.string().min(1).max(64),
  targetTool: z.string().min(1).max(128),
  argsTemplate: z.record(z.string(), z.json()).optional(),
  when: z.json().optional(),
  onError: z.enum(['stop', 'continue']).optional(),
})
export type Step = z.infer<typeof Step>

/** Null for a composite of steps. A script calls the tools that the steps name, in its own order. */
const Script = z
  .strictObject({
    source: z.string().min(1).max(65_536),
    /** Of its result, which then is an object; null for any result. */
    outputSchema: z.record(z.string(), z.unknown()).nullable().default(null),
  })
  .nullable()

const Fields = {
  description: z.string().max(1024).nullable(),
  enabled: z.boolean(),
  inputSchema: z.record(z.string(), z.unknown()),
  steps: z.array(Step).min(1).max(20),
  /** A template; null for the result of the last step. */
  output: z.json(),
  script: Script,
}

export const CompositeInput = z.strictObject({
  // Judged where it is stored: a name has an error code of its own.
  name: z.string().max(1024),
  ...Fields,
  description: Fields.description.default(null),
  enabled: Fields.enabled.default(true),
  inputSchema: Fields.inputSchema.default(() => ({ type: 'object', properties: {} })),
  output: Fields.output.default(null),
  script: Fields.script.default(null),
})
export type CompositeInput = z.infer<typeof CompositeInput>

/** Without a default: what is absent in a change stays as it is. */
const CompositePatch = z.strictObject({ ...Fields, revision: z.number().int() }).partial()

export const CompositeSummary = z.object({
  name: z.string(),
  description: z.string().nullable(),
  enabled: z.boolean(),
  stepsCount: z.number().int(),
  /** Whether a person approved its script; null for a composite of steps. */
  approved: z.boolean().nullable(),
  bundles: z.array(z.string()),
  teamId: Id.nullable(),
})
export type CompositeSummary = z.infer<typeof CompositeSummary>

export const CompositeDetail = CompositeSummary.extend({
  inputSchema: z.record(z.string(), z.unknown()),
  steps: z.array(Step),
  output: z.json(),
  script: Script,
  /** What an approval is of, and whose it is; null for a composite of steps. */
  review: z
    .object({
      hash: z.string(),
      author: z.string(),
      approvedBy: z.string().nullable(),
      approvedAt: Iso.nullable(),
    })
    .nullable(),
  ...MADE_FIELDS,
})
export type CompositeDetail = z.infer<typeof CompositeDetail>

const CompositeTest = z.object({
  result: CallToolResult,
  steps: z.array(
    z.object({
      index: z.number().int(),
      client: z.string(),
      tool: z.string(),
      args: z.record(z.string(), z.unknown()),
      outcome: z.enum([...OUTCOMES, 'skipped']),
      durationMs: z.number(),
      text: z.string(),
    }),
  ),
  /** What a script printed. */
  logs: z.array(z.string()),
})
export type CompositeTest = z.infer<typeof CompositeTest>

const ScriptVersion = z.object({
  version: z.number().int(),
  hash: z.string(),
  author: z.string(),
  createdAt: Iso,
  approvedBy: z.string().nullable(),
  approvedAt: Iso.nullable(),
  source: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).nullable(),
  tools: z.array(z.string()),
})
export type ScriptVersion = z.infer<typeof ScriptVersion>

const CheckInput = z.strictObject({
  source: z.string().min(1).max(65_536),
  inputSchema: Fields.inputSchema.default(() => ({ type: 'object', properties: {} })),
  outputSchema: z.record(z.string(), z.unknown()).nullable().default(null),
  tools: z
    .array(Step.pick({ targetClient: true, targetTool: true }))
    .max(20)
    .default([]),
})
export type CheckInput = z.infer<typeof CheckInput>

const ScriptCheck = z.object({
  problems: z.array(
    z.object({
      line: z.number().int(),
      column: z.number().int(),
      severity: z.enum(['error', 'warning']),
      message: z.string(),
    }),
  ),
  /** Declarations for the text, of its input, its output and its tools. */
  types: z.string(),
  limits: z.object({
    timeoutMs: z.number(),
    cpuMs: z.number(),
    memoryBytes: z.number(),
    calls: z.number(),
    parallel: z.number(),
  }),
})
export type ScriptCheck = z.infer<typeof ScriptCheck>

const REFUSALS = ['INVALID_SCHEMA', 'INVALID_STEPS', 'INVALID_SCRIPT', 'UNKNOWN_TOOL'] as const

const owned = ownedRoutes({
  path: '/admin-api/composites',
  key: 'name',
  noun: 'composite',
  read: 'viewer',
  write: 'admin',
  filter: { q: z.string().max(256).optional(), enabled: Flag.optional() },
  input: CompositeInput,
  change: CompositePatch,
  record: CompositeDetail,
  summary: CompositeSummary,
  notFound: 'COMPOSITE_NOT_FOUND',
  errors: {
    create: ['INVALID_NAME', ...REFUSALS, 'ALREADY_EXISTS'],
    update: [...REFUSALS],
  },
  summaries: {
    list: 'List composites by name',
    create: 'Create a composite; bundles may then list it',
    get: 'Read one composite with its steps',
    update: 'Change a composite; notifies clients of its bundles',
    delete: 'Remove a composite, from its bundles too',
  },
})

export const composites = routes({
  ...owned,
  delete: { ...owned.delete, audit: ['composite.delete', 'bundle.update'] },
  test: {
    method: 'POST',
    path: '/admin-api/composites/:name/test',
    access: 'operator',
    summary:
      'Run a composite, or resolve its templates without a call; a script then has answers from mocks and captured calls',
    body: z.strictObject({
      args: z.record(z.string(), z.unknown()).default({}),
      dryRun: z.boolean().default(false),
      mocks: z
        .record(z.string().max(256), z.array(z.json()).min(1).max(100))
        .default({})
        .describe(
          'for a dry run of a script: the results of a tool in their order, the last one for all further calls',
        ),
    }),
    reply: CompositeTest,
    audit: 'composite.test',
    errors: ['COMPOSITE_NOT_FOUND'],
  },
  check: {
    method: 'POST',
    path: '/admin-api/composites/check',
    access: 'operator',
    summary: 'Check a script against the schemas of its tools; stores and runs nothing',
    body: CheckInput,
    reply: ScriptCheck,
    audit: { none: 'it reads a text, and stores and runs nothing' },
    errors: ['INVALID_SCHEMA'],
  },
  approve: {
    method: 'POST',
    path: '/admin-api/composites/:name/approve',
    access: 'operator',
    summary: 'Approve the script of a composite, by the hash of the text that was read',
    body: z.strictObject({ hash: z.string().length(64) }),
    reply: CompositeDetail,
    audit: 'composite.approve',
    errors: ['COMPOSITE_NOT_FOUND', 'NOT_APPLICABLE', 'PRECONDITION_FAILED', 'SELF_APPROVAL', 'NOT_AN_APPROVER'],
  },
  versions: {
    method: 'GET',
    path: '/admin-api/composites/:name/versions',
    access: 'viewer',
    summary: 'List the last 20 versions of the script of a composite, newest first',
    reply: z.object({ items: z.array(ScriptVersion) }),
    errors: ['COMPOSITE_NOT_FOUND'],
  },
  types: {
    method: 'GET',
    path: '/admin-api/composites/:name/types',
    access: 'viewer',
    summary: 'Read the TypeScript declarations for the script of a composite: its input, its output and its tools',
    produces: ['text/plain'],
    errors: ['COMPOSITE_NOT_FOUND'],
  },
  converted: {
    method: 'GET',
    path: '/admin-api/composites/:name/converted',
    access: 'viewer',
    summary: 'Read the steps of a composite as a script that does the same',
    reply: z.object({ source: z.string() }),
    errors: ['COMPOSITE_NOT_FOUND'],
  },
})
