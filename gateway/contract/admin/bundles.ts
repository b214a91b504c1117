// Bundles: an administrator's selection of tools across backends, served as one list. Contract 7.4, 10.3.
import { z } from 'zod'
import { LIST_MODES, MOST_BUNDLE_TOOLS, ToolRef } from '../names.ts'
import { ownedRoutes } from '../owned-routes.ts'
import { Flag, Id, MADE_FIELDS } from '../page.ts'
import { Annotations } from '../registration.ts'

const MOST_COMPOSITES = 100

const keyOf = ({ client, tool }: ToolRef): string => `${client}\u0001${tool}`

/** A tool named twice counts once. */
const Members = z
  .array(ToolRef)
  .transform((members) => [...new Map(members.map((member) => [keyOf(member), member])).values()])
  .refine((members) => members.length <= MOST_BUNDLE_TOOLS, `must name at most ${MOST_BUNDLE_TOOLS} tools`)
const CompositeNames = z
  .array(z.string().min(1).max(64))
  .transform((names) => [...new Set(names)])
  .refine((names) => names.length <= MOST_COMPOSITES, `must name at most ${MOST_COMPOSITES} composites`)
const Description = z.string().max(1024).nullable()

// Judged where it is stored: a name has an error code of its own.
const GivenName = z.string().max(1024)

export const BundleInput = z.strictObject({
  name: GivenName,
  description: Description.optional(),
  tools: Members,
  composites: CompositeNames.default([]),
  enabled: z.boolean().default(true),
  /** How `tools/list` shows the tools: all, all in short, a search and a call, or the cheapest of them. */
  listMode: z.enum(LIST_MODES).optional(),
})
export type BundleInput = z.infer<typeof BundleInput>

const BundlePatch = z.strictObject({
  description: Description.optional(),
  enabled: z.boolean().optional(),
  listMode: z.enum(LIST_MODES).optional(),
  tools: Members.optional(),
  composites: CompositeNames.optional(),
  revision: z.number().int().optional(),
})

export const BundleSummary = z.object({
  name: z.string(),
  description: z.string().nullable(),
  enabled: z.boolean(),
  listMode: z.enum(LIST_MODES),
  toolsCount: z.number().int(),
  compositesCount: z.number().int(),
  missingCount: z.number().int(),
  teamId: Id.nullable(),
  mcpPath: z.string(),
})
export type BundleSummary = z.infer<typeof BundleSummary>

const Member = z.object({ client: z.string(), tool: z.string(), missing: z.literal(true).optional() })

export const BundleDetail = BundleSummary.extend({
  tools: z.array(Member),
  composites: z.array(z.string()),
  ...MADE_FIELDS,
})
export type BundleDetail = z.infer<typeof BundleDetail>

const ListedTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: Annotations,
  client: z.string().nullable(),
  tool: z.string(),
  estTokens: z.number().int(),
})
/** Tokens of each form of a list, and from how many searches in a session on the full list is smaller. */
export const ListCost = z.object({
  full: z.number().int(),
  compact: z.number().int(),
  router: z.number().int(),
  perSearch: z.number().int(),
  breakEven: z.number().int(),
  best: z.enum(['full', 'compact', 'router']),
})
export type ListCost = z.infer<typeof ListCost>

export const BundlePreview = z.object({
  tools: z.array(ListedTool),
  estTokens: z.number().int(),
  cost: ListCost,
  missing: z.array(Member.omit({ missing: true })),
  clashes: z.array(z.object({ name: z.string(), tools: z.array(Member.omit({ missing: true })) })),
})
export type BundlePreview = z.infer<typeof BundlePreview>

export const bundles = ownedRoutes(
  {
    path: '/admin-api/bundles',
    key: 'name',
    noun: 'bundle',
    read: 'viewer',
    write: 'admin',
    filter: { q: z.string().max(256).optional(), enabled: Flag.optional() },
    input: BundleInput,
    change: BundlePatch,
    record: BundleDetail,
    summary: BundleSummary,
    notFound: 'BUNDLE_NOT_FOUND',
    errors: {
      create: ['INVALID_NAME', 'UNKNOWN_TOOL', 'UNKNOWN_COMPOSITE', 'ALREADY_EXISTS'],
      update: ['UNKNOWN_TOOL', 'UNKNOWN_COMPOSITE'],
    },
    summaries: {
      list: 'List bundles by name',
      create: 'Create a bundle; whole or not at all',
      get: 'Read one bundle with its members',
      update: 'Change a bundle; notifies its clients',
      delete: 'Remove a bundle and end its sessions',
    },
  },
  {
    clone: {
      method: 'POST',
      path: '/admin-api/bundles/:name/clone',
      access: 'admin',
      summary: 'Create a bundle with the members of another',
      status: 201,
      body: z.strictObject({ name: GivenName, description: Description.optional() }),
      reply: BundleDetail,
      audit: 'bundle.create',
      errors: ['BUNDLE_NOT_FOUND', 'INVALID_NAME', 'ALREADY_EXISTS'],
    },
    preview: {
      method: 'GET',
      path: '/admin-api/bundles/:name/preview',
      access: 'viewer',
      summary: 'The bundle’s tools/list, for a key or in general',
      query: z.strictObject({
        keyId: z
          .string()
          .regex(/^[1-9]\d{0,14}$/, 'must be the id of a key')
          .transform(Number)
          .optional(),
      }),
      reply: BundlePreview,
      errors: ['BUNDLE_NOT_FOUND', 'MCP_KEY_NOT_FOUND'],
    },
  },
)
