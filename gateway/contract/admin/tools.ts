// Tools of all backends, one tool, and its per-tool configuration. Contract 7.3, 8, 10.2.
import { z } from 'zod'
import { Tag } from '../names.ts'
import { Flag, Iso, page, pageQuery } from '../page.ts'
import { Annotations, KINDS } from '../registration.ts'
import { routes } from '../route.ts'
import { MonitorRecord } from './monitors.ts'
import { FEATURES, type FeatureName } from './tool-features.ts'
import { ApprovalCfg, Guardrails, Guards, GuardsPatch, RedactPaths } from './tool-guards.ts'
import { TestResult, ToolTestInput } from './tool-test.ts'

export const OverridesPatch = z.strictObject({
  displayName: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must match ^[A-Za-z0-9_-]{1,64}$')
    .refine((text) => !text.includes('__'), 'must not contain "__"')
    .nullable()
    .optional(),
  title: z.string().max(80).nullable().optional(),
  description: z.string().max(4096).nullable().optional(),
  params: z
    .record(z.string(), z.strictObject({ description: z.string().max(2048).optional() }))
    .nullable()
    .optional(),
  annotations: Annotations.omit({ title: true }).strict().nullable().optional(),
})
export type OverridesPatch = z.infer<typeof OverridesPatch>

/** `null` removes a feature, and so does `false`. */
const removable = <T extends z.ZodType>(feature: T) =>
  z.union([feature, z.null(), z.literal(false).transform(() => null)]).optional()

type Removable<T> = T extends z.ZodType ? ReturnType<typeof removable<T>> : never

const removableFeatures = Object.fromEntries(
  Object.entries(FEATURES).map(([name, feature]) => [name, removable(feature)]),
) as unknown as { [K in FeatureName]: Removable<(typeof FEATURES)[K]> } // each stands under its own name

export const ToolPatch = z
  .strictObject({
    enabled: z.boolean().optional(),
    guards: removable(GuardsPatch),
    overrides: removable(OverridesPatch),
    sensitive: z.boolean().nullable().optional(),
    redactPaths: removable(RedactPaths),
    guardrails: removable(Guardrails),
    approval: removable(ApprovalCfg),
    /** Other spellings of `approval.required` and `approval.levels`. */
    requiresApproval: z.boolean().nullable().optional(),
    approvalLevels: z.number().int().min(1).max(10).nullable().optional(),
    listOutputSchema: z
      .boolean()
      .nullable()
      .optional()
      .describe('List the schema of the results that its OpenAPI document declares'),
    ...removableFeatures,
    revision: z.number().int().optional(),
  })
  .refine(
    ({ approval, requiresApproval, approvalLevels }) =>
      approval === undefined || (requiresApproval == null && approvalLevels == null),
    { path: ['approval'], message: 'give approval, or requiresApproval and approvalLevels, not both forms' },
  )
export type ToolPatch = z.infer<typeof ToolPatch>

export const ToolRow = z.object({
  client: z.string(),
  tool: z.string(),
  sourceName: z.string(),
  listedName: z.string(),
  alias: z.string().nullable(),
  title: z.string(),
  description: z.string(),
  method: z.string().nullable(),
  kind: z.enum(KINDS),
  enabled: z.boolean(),
  clientEnabled: z.boolean(),
  live: z.boolean(),
  missing: z.boolean(),
  tags: z.array(z.string()),
  annotations: Annotations,
  sensitive: z.boolean(),
  sensitiveSource: z.enum(['explicit', 'auto', 'none']),
  requiresApproval: z.boolean(),
  features: z.array(z.string()),
})
export type ToolRow = z.infer<typeof ToolRow>

export const ToolDetail = ToolRow.extend({
  endpoint: z.string().nullable(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).nullable(),
  upstreamDescription: z.string(),
  paramLocations: z.record(z.string(), z.unknown()),
  headersSent: z.array(z.string()),
  schemaHash: z.string(),
  guards: Guards.nullable(),
  overrides: z.record(z.string(), z.unknown()).nullable(),
  config: z.record(z.string(), z.unknown()),
  quarantine: z.object({
    active: z.boolean(),
    consecutiveHits: z.number().int(),
    since: Iso.nullable(),
    until: Iso.nullable(),
    reason: z.string().nullable(),
  }),
  monitor: MonitorRecord.nullable(),
  unfit: z
    .record(z.string(), z.string())
    .optional()
    .describe('why a feature cannot be set on this tool; only where one tool is read'),
  revision: z.number().int(),
  updatedAt: Iso,
})
export type ToolDetail = z.infer<typeof ToolDetail>

const ToolsEnabled = z
  .strictObject({
    toolNames: z.array(z.string().min(1).max(256)).min(1).max(1000).optional(),
    tool_names: z.array(z.string().min(1).max(256)).min(1).max(1000).optional(),
    enabled: z.boolean(),
  })
  .refine((body) => (body.toolNames === undefined) !== (body.tool_names === undefined), {
    path: ['toolNames'],
    message: 'give toolNames or tool_names, one of them',
  })

export const tools = routes({
  list: {
    method: 'GET',
    path: '/admin-api/tools',
    access: 'viewer',
    summary: 'List tools by backend and name',
    query: z.strictObject({
      client: z.string().optional(),
      q: z.string().max(256).optional(),
      tag: z.string().optional(),
      method: z.string().optional(),
      kind: z.enum(KINDS).optional(),
      enabled: Flag.optional(),
      sensitive: Flag.optional(),
      missing: Flag.optional(),
      ...pageQuery(200, 1000),
    }),
    reply: page(ToolRow),
  },
  setEnabled: {
    method: 'PATCH',
    path: '/admin-api/clients/:name/tools',
    access: 'operator',
    summary: 'Enable or disable several tools of a backend',
    body: ToolsEnabled,
    reply: z.object({ results: z.record(z.string(), z.boolean()) }),
    audit: ['tool.enable', 'tool.disable'],
    errors: ['CLIENT_NOT_FOUND'],
  },
  get: {
    method: 'GET',
    path: '/admin-api/clients/:name/tools/:tool',
    access: 'viewer',
    summary: 'Read one tool with its configuration',
    reply: ToolDetail,
    errors: ['TOOL_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: '/admin-api/clients/:name/tools/:tool',
    access: 'operator',
    summary: 'Configure one tool; all or nothing',
    body: ToolPatch,
    reply: ToolDetail,
    audit: [
      'tool.enable',
      'tool.disable',
      'tool.guards.update',
      'tool.override.update',
      'tool.sensitivity.update',
      'tool.redaction.update',
      'tool.guardrails.update',
      'tool.approval.update',
      'tool.mock.update',
      'tool.quarantine.update',
      'tool.transform.update',
      'tool.pagination.update',
      'tool.streaming.update',
      'tool.context_budget.update',
      'tool.graphql.update',
      'tool.progress.update',
      'tool.price.update',
      'tool.routing.update',
      'tool.cache.update',
      'tool.coalesce.update',
      'tool.capture.update',
      'tool.ws.update',
      'tool.monitor.update',
      'tool.monitor.rebaseline',
    ],
    errors: [
      'TOOL_NOT_FOUND',
      'TOOL_ALIAS_CONFLICT',
      'UNSAFE_PATTERN',
      'EXAMPLE_NOT_FOUND',
      'SSRF_BLOCKED',
      'PRECONDITION_FAILED',
      'NOT_APPLICABLE',
      'SECRET_BOX_NOT_CONFIGURED',
      'SECRETS_PROVIDER_ERROR',
    ],
  },
  setTags: {
    method: 'PUT',
    path: '/admin-api/clients/:name/tools/:tool/tags',
    access: 'operator',
    summary: 'Replace the tags of a tool',
    body: z.strictObject({ tags: z.array(Tag).max(20) }),
    reply: z.object({ name: z.string(), tool: z.string(), tags: z.array(z.string()) }),
    audit: 'tool.tags.set',
    errors: ['TOOL_NOT_FOUND'],
  },
  clearQuarantine: {
    method: 'POST',
    path: '/admin-api/clients/:name/tools/:tool/quarantine/clear',
    access: 'operator',
    summary: 'End the quarantine of a tool, and forget its hits',
    reply: z.object({ status: z.literal('cleared'), wasActive: z.boolean() }),
    audit: 'tool.quarantine.clear',
    errors: ['TOOL_NOT_FOUND'],
  },
  purgeCache: {
    method: 'POST',
    path: '/admin-api/clients/:name/tools/:tool/cache/purge',
    access: 'operator',
    summary: 'Forget the answers of a tool that are kept',
    reply: z.object({ purged: z.number().int() }),
    audit: 'tool.cache.purge',
    errors: ['TOOL_NOT_FOUND'],
  },
  test: {
    method: 'POST',
    path: '/admin-api/clients/:name/tools/:tool/test',
    access: 'operator',
    summary: 'Try a tool: one call through the whole guard stack, with a report of each stage',
    body: ToolTestInput,
    reply: TestResult,
    audit: 'tool.test',
    errors: ['TOOL_NOT_FOUND', 'MCP_KEY_NOT_FOUND', 'BUNDLE_NOT_FOUND', 'UNSAFE_PATTERN'],
  },
  tags: {
    method: 'GET',
    path: '/admin-api/tags',
    access: 'viewer',
    summary: 'List tags with how many tools and backends carry them',
    query: z.strictObject(pageQuery()),
    reply: page(z.object({ tag: z.string(), count: z.number().int() })),
  },
  tagged: {
    method: 'GET',
    path: '/admin-api/tags/:tag/tools',
    access: 'viewer',
    summary: 'List the tools that carry a tag',
    query: z.strictObject(pageQuery()),
    reply: page(z.object({ client: z.string(), tool: z.string() })),
  },
})
