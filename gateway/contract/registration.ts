// What registers a backend, and what registering answers. Contract 4.2, 4.6. Lenient: unknown fields become warnings.
import { z } from 'zod'
import { GatewayError } from './error.ts'
import { BackendName, HttpUrl, ToolName } from './names.ts'

export const KINDS = ['rest', 'graphql', 'mcp', 'pcg'] as const
export type Kind = (typeof KINDS)[number]
export const INPUTS = ['tools', 'openapi_url', 'curl_input', 'client_collection', 'graphql_url', 'mcp_url'] as const
export type SourceInput = (typeof INPUTS)[number]
export const SOURCES = ['openapi', 'manual', 'mcp', 'graphql', 'program'] as const

const JsonObject = z.record(z.string(), z.unknown())

export const ManualTool = z.object({
  name: ToolName,
  method: z
    .string()
    .transform((text) => text.toUpperCase())
    .pipe(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])),
  endpoint: z.string().min(1).max(2048).regex(/^\//, 'must start with "/"'),
  description: z.string().min(1).max(4096),
  inputSchema: JsonObject.default({ type: 'object', properties: {} }),
  paramLocations: z.record(z.string(), z.enum(['query', 'header', 'cookie', 'body'])).optional(),
  bodyEncoding: z.enum(['json', 'form']).default('json'),
})
export type ManualTool = z.infer<typeof ManualTool>

export const RegistrationPayload = z.object({
  name: BackendName.describe('Used in /mcp/:name and in client__tool names'),
  kind: z.enum(['rest', 'graphql', 'mcp']).optional().describe('Absent: derived from the URL fields'),
  health_url: HttpUrl.optional().describe('Liveness endpoint'),
  openapi_url: HttpUrl.optional().describe(
    'Discover tools from an OpenAPI document; may be relative to base_url or health_url',
  ),
  tools: z.array(ManualTool).min(1).optional().describe('Manual tool definitions'),
  curl_input: z.string().min(1).max(65_536).optional().describe('Exactly one curl command'),
  client_collection: z
    .union([JsonObject, z.string().min(1)])
    .optional()
    .describe('A v2.1 collection export, object or JSON text'),
  base_url: HttpUrl.optional().describe('Overrides the API base'),
  include_tags: z.array(z.string().min(1).max(256)).max(100).optional().describe('OpenAPI only'),
  exclude_operations: z
    .array(z.string().min(1).max(2048))
    .max(1000)
    .optional()
    .describe('OpenAPI only: operationId or "METHOD /path"'),
  retry_non_safe_methods: z.boolean().default(false),
  graphql_url: HttpUrl.optional(),
  include_mutations: z.boolean().default(true),
  mcp_url: HttpUrl.optional(),
  mcp_transport: z.enum(['streamable-http', 'sse']).default('streamable-http'),
  mcp_era: z
    .enum(['auto', 'legacy', 'modern'])
    .optional()
    .describe('Protocol era of the upstream; auto: the era of the client, where the upstream speaks both'),
  mcp_sign_in: z
    .boolean()
    .optional()
    .describe('The server lists its tools only to a person who signed in: it is registered without them until then'),
  description: z.string().max(1024).optional(),
})
export type RegistrationPayload = z.infer<typeof RegistrationPayload>

export const Annotations = z.object({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
})
export type Annotations = z.infer<typeof Annotations>

export const ToolDiff = z.object({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  unchanged: z.number().int(),
  changed: z.array(
    z.object({
      name: z.string(),
      fields: z.array(z.enum(['description', 'inputSchema', 'method', 'endpoint', 'annotations'])),
      breaking: z.boolean(),
    }),
  ),
})
export type ToolDiff = z.infer<typeof ToolDiff>

const RegisteredTool = z.object({
  name: z.string(),
  sourceName: z.string(),
  description: z.string(),
  method: z.string().optional(),
  title: z.string().optional(),
  annotations: Annotations,
})

export const RegisterResult = z.object({
  status: z.literal('registered'),
  name: z.string(),
  tools_count: z.number().int(),
  source: z.enum(SOURCES),
  warnings: z.array(z.string()).optional(),
  input: z.enum(INPUTS),
  kind: z.enum(KINDS),
  mcpPath: z.string(),
  tools: z.array(RegisteredTool),
  diff: ToolDiff.optional(),
})
export type RegisterResult = z.infer<typeof RegisterResult>

export const DiscoveryPreview = z.object({
  source: z.enum(SOURCES),
  input: z.enum(INPUTS),
  kind: z.enum(KINDS),
  count: z.number().int(),
  title: z.string().optional().describe('of the document'),
  warnings: z.array(z.string()),
  diff: ToolDiff.optional(),
  tools: z.array(
    RegisteredTool.extend({
      endpoint: z.string().optional(),
      inputSchema: JsonObject,
      schemaBytes: z.number().int(),
      estTokens: z.number().int(),
      lint: z.array(z.string()),
    }),
  ),
  skipped: z.array(z.object({ operation: z.string(), reason: z.string() })),
})
export type DiscoveryPreview = z.infer<typeof DiscoveryPreview>

/** A request to start a program is refused explicitly, instead of registering something else. */
export function refusePrograms(body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const asks = Object.entries(body).flatMap(([key, value]: [string, unknown]) =>
    PROGRAM.has(key) || ((key === 'transport' || key === 'type') && value === 'stdio') ? [key] : [],
  )
  if (asks.length === 0) return
  const message = 'asks for a program to be started, and this gateway starts none; register the URL of a running server'
  throw new GatewayError('VALIDATION_ERROR', `${asks.join(', ')}: ${message}`, {
    fields: asks.map((path) => ({ path, message })),
  })
}

const PROGRAM: ReadonlySet<string> = new Set(['command', 'args', 'mcpServers'])
