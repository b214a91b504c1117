// Managed keys of MCP clients: what they may reach, how long they live. Contract 2.4, 7.6, 10.4.
import { z } from 'zod'
import { BackendName, Label, Name, ToolName, ToolRef } from '../names.ts'
import { ownedRoutes } from '../owned-routes.ts'
import { Flag, Id, Iso, MADE_FIELDS, When } from '../page.ts'
import { ROLES } from '../role.ts'

const MOST_IN_SCOPE = 500

/** `client/tool` splits at the slash, which no name holds; `client__tool` at the first `__`. */
function pairOf(text: string, context: z.RefinementCtx): { client: string; tool: string } {
  const slash = text.indexOf('/')
  const at = slash === -1 ? text.indexOf('__') : slash
  if (at > 0) return { client: text.slice(0, at), tool: text.slice(at + (slash === -1 ? 2 : 1)) }
  context.addIssue({ code: 'custom', message: 'must be client__tool, client/tool or { client, tool }' })
  return z.NEVER
}

/** One tool of one backend, which need not exist yet; `client__tool` afterwards. */
const ScopedTool = z
  .union([z.string().max(200).transform(pairOf), ToolRef])
  .pipe(z.object({ client: BackendName, tool: ToolName }))
  .transform(({ client, tool }) => `${client}__${tool}`)

const listOf = <T extends z.ZodType<string>>(entry: T) =>
  z
    .array(entry)
    .max(MOST_IN_SCOPE)
    .transform((entries): string[] => [...new Set(entries)])

/** Null is everything; anything else only what it names, and nothing when it names nothing. */
export const KeyScopes = z
  .strictObject({
    clients: listOf(Name).optional(),
    tools: listOf(ScopedTool).optional(),
    bundles: listOf(Name).optional(),
  })
  .nullable()
export type KeyScopes = z.infer<typeof KeyScopes>

const key = {
  label: Label,
  scopes: KeyScopes,
  expiresAt: When.nullable(),
  consumerId: Id.nullable(),
  elevated: z.boolean(),
  adminRole: z.enum(ROLES).nullable(),
  allowedTools: listOf(ScopedTool).nullable(),
  person: z.string().min(1).max(128).nullable().describe('The user whom its calls are made as'),
  namesPeople: z.boolean().describe('Its caller may name another user'),
}

export const KeyInput = z.strictObject({
  ...key,
  scopes: key.scopes.default(null),
  expiresAt: key.expiresAt.default(null),
  consumerId: key.consumerId.default(null),
  elevated: key.elevated.default(false),
  adminRole: key.adminRole.default(null),
  allowedTools: key.allowedTools.default(null),
  person: key.person.default(null),
  namesPeople: key.namesPeople.default(false),
})
export type KeyInput = z.infer<typeof KeyInput>

const KeyChange = z
  .strictObject({ ...key, enabled: z.boolean() })
  .partial()
  .extend({ revision: z.number().int().optional() })
export type KeyChange = Omit<z.infer<typeof KeyChange>, 'revision'>

export const KeyRecord = z.object({
  id: Id,
  label: z.string(),
  keyPrefix: z.string(),
  scopes: z
    .object({
      clients: z.array(z.string()).optional(),
      tools: z.array(z.string()).optional(),
      bundles: z.array(z.string()).optional(),
    })
    .nullable(),
  allowedTools: z.array(z.string()).nullable(),
  consumerId: Id.nullable(),
  elevated: z.boolean(),
  adminRole: z.enum(ROLES).nullable(),
  person: z.string().nullable(),
  namesPeople: z.boolean(),
  enabled: z.boolean(),
  expiresAt: Iso.nullable(),
  revokedAt: Iso.nullable(),
  lastUsedAt: Iso.nullable(),
  lastUsedClient: z.string().nullable(),
  teamId: Id.nullable(),
  installLinkId: Id.nullable(),
  active: z.boolean(),
  ...MADE_FIELDS,
})
export type KeyRecord = z.infer<typeof KeyRecord>

const KeyShown = KeyRecord.extend({ key: z.string().describe('The value, shown this one time') })

export const mcpKeys = ownedRoutes(
  {
    path: '/admin-api/mcp-keys',
    key: 'id',
    noun: 'mcp_key',
    read: 'viewer',
    write: 'admin',
    filter: {
      q: z.string().max(256).optional(),
      consumerId: z
        .string()
        .regex(/^[1-9]\d{0,14}$/, 'must be an id')
        .transform(Number)
        .optional(),
      active: Flag.optional(),
    },
    input: KeyInput,
    change: KeyChange,
    record: KeyRecord,
    created: KeyShown,
    shownOnce: ['key'],
    notFound: 'MCP_KEY_NOT_FOUND',
    errors: {
      create: ['CONSUMER_NOT_FOUND', 'USER_NOT_FOUND'],
      update: ['CONSUMER_NOT_FOUND', 'USER_NOT_FOUND'],
    },
    summaries: {
      list: 'List the keys of MCP clients, newest first',
      create: 'Create a key; its value is shown this one time',
      get: 'Read one key',
      update: 'Change what a key may reach, how long it lives, or switch it off',
      delete: 'Delete a key; it stops working at once',
    },
  },
  {
    revoke: {
      method: 'POST',
      path: '/admin-api/mcp-keys/:id/revoke',
      access: 'admin',
      summary: 'Revoke a key for good; its record stays',
      body: z.strictObject({ reason: z.string().max(256).optional() }),
      reply: KeyRecord,
      audit: 'mcp_key.revoke',
      errors: ['MCP_KEY_NOT_FOUND', 'ALREADY_REVOKED'],
    },
    rotate: {
      method: 'POST',
      path: '/admin-api/mcp-keys/:id/rotate',
      access: 'admin',
      summary: 'Give a key a new value; the old one works for as long as you say',
      body: z.strictObject({ graceMs: z.number().int().min(0).max(604_800_000).default(0) }),
      reply: KeyShown,
      audit: 'mcp_key.rotate',
      errors: ['MCP_KEY_NOT_FOUND', 'ALREADY_REVOKED'],
    },
  },
)
