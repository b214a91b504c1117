// Backends ("clients" on the wire): list, detail, change, removal, health, credentials. Contract 7.2, 9.3–9.5, 10.1.
import { z } from 'zod'
import { HttpUrl, Tag } from '../names.ts'
import { Flag, Id, Iso, MADE_FIELDS, page, pageQuery } from '../page.ts'
import { INPUTS, KINDS, SOURCES } from '../registration.ts'
import { routes } from '../route.ts'
import { AllowedLocalService, LocalService } from './local-services.ts'
import { Canary, Lb } from './targets.ts'
import { ToolDetail } from './tools.ts'

export const HEALTH = ['healthy', 'degraded', 'unreachable'] as const
export type Health = (typeof HEALTH)[number]
export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const

export const ClientGuards = z.strictObject({
  circuitBreaker: z
    .strictObject({
      failureThreshold: z.number().int().min(1).max(1000).optional(),
      windowMs: z.number().int().min(1000).max(86_400_000).optional(),
      resetTimeoutMs: z.number().int().min(0).max(3_600_000).optional(),
      halfOpenTimeoutMs: z.number().int().min(100).max(300_000).optional(),
    })
    .nullable()
    .optional(),
})
export type ClientGuards = z.infer<typeof ClientGuards>

const HeaderValue = z
  .string()
  .min(1)
  .max(8192)
  .regex(/^[^\r\n\0]*$/, 'must not contain line breaks')
const FORBIDDEN_HEADER = /^(host|content-.*|transfer-encoding|connection)$/i

export const UpstreamAuthInput = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('bearer'), token: HeaderValue }),
  z.strictObject({ type: z.literal('basic'), username: HeaderValue, password: HeaderValue }),
  z.strictObject({
    type: z.literal('header'),
    headerName: z
      .string()
      .max(256)
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be a header name')
      .refine((name) => !FORBIDDEN_HEADER.test(name), 'is managed by the gateway'),
    value: HeaderValue,
  }),
  z.strictObject({
    type: z.literal('query'),
    paramName: z.string().regex(/^[A-Za-z0-9_.~-]{1,128}$/, 'must hold letters, digits, ".", "_", "~" and "-"'),
    value: HeaderValue,
  }),
])
export type UpstreamAuthInput = z.infer<typeof UpstreamAuthInput>

export const UpstreamAuthInfo = z.object({
  configured: z.boolean(),
  type: z.string().optional(),
  headerName: z.string().nullable().optional(),
  paramName: z.string().nullable().optional(),
  updatedAt: Iso.optional(),
  /** Where it is sent. */
  origins: z.array(z.string()).optional(),
})

/** Accepted from admins: the stored credential is sent to the addresses of this change as well. */
export const KeepCredential = z.boolean().optional()

export const OAuthInput = z.strictObject({
  tokenUrl: HttpUrl,
  clientId: z.string().min(1).max(256),
  clientSecret: z.string().min(1).max(8192).optional(),
  scope: z.string().max(2048).nullable().optional(),
  audience: z.string().max(2048).nullable().optional(),
  authStyle: z.enum(['body', 'basic']).default('body'),
  keepCredential: z.boolean().optional(),
})
export type OAuthInput = z.infer<typeof OAuthInput>

export const OAuthInfo = z.object({
  tokenUrl: z.string(),
  clientId: z.string(),
  scope: z.string().nullable(),
  audience: z.string().nullable(),
  authStyle: z.enum(['body', 'basic']),
  clientSecretSet: z.literal(true),
  updatedAt: Iso,
  /** Where the token is sent, and which token endpoints receive the client secret. */
  origins: z.array(z.string()),
  secretOrigins: z.array(z.string()),
})

export const ClientSummary = z.object({
  name: z.string(),
  kind: z.enum(KINDS),
  enabled: z.boolean(),
  live: z.boolean(),
  status: z.enum(HEALTH).nullable(),
  toolsCount: z.number().int(),
  enabledToolsCount: z.number().int(),
  circuitBreakerState: z.enum(BREAKER_STATES).nullable(),
  baseUrl: z.string(),
  healthUrl: z.string().nullable(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  teamId: Id.nullable(),
  lastSeenAt: Iso.nullable(),
})
export type ClientSummary = z.infer<typeof ClientSummary>

export const ClientDetail = ClientSummary.extend({
  source: z.enum(SOURCES),
  input: z.enum(INPUTS).nullable(),
  mcpUrl: z.string().nullable(),
  mcpTransport: z.string().nullable(),
  mcpEra: z.string().nullable(),
  graphqlUrl: z.string().nullable(),
  openapiUrl: z.string().nullable(),
  includeTags: z.array(z.string()),
  excludeOperations: z.array(z.string()),
  includeMutations: z.boolean(),
  retryNonSafeMethods: z.boolean(),
  resolvedIp: z.string().nullable(),
  resolvedIps: z.array(z.string()),
  pinnedAt: Iso.nullable(),
  localService: AllowedLocalService.nullable(),
  /** Pinned, local and not allowed: calls are refused. */
  refusedLocalService: LocalService.nullable(),
  consecutiveFailures: z.number().int(),
  lastCheckedAt: Iso.nullable(),
  lastError: z.string().nullable(),
  evictedAt: Iso.nullable(),
  guards: ClientGuards.nullable(),
  breaker: z.object({
    state: z.enum(BREAKER_STATES),
    failuresInWindow: z.number().int(),
    halfOpenInMs: z.number().int().nullable(),
  }),
  canary: Canary.nullable(),
  lb: Lb.nullable(),
  oauthConfigured: z.boolean(),
  upstreamAuth: UpstreamAuthInfo,
  /** The origins its credential was given for; null without one. */
  credentialOrigins: z.array(z.string()).nullable(),
  /** Origins this backend calls without its credential, which was given for others. */
  credentialDetached: z.array(z.string()),
  /** Of the change that this answers. */
  warnings: z.array(z.string()).optional(),
  discoveredAt: Iso,
  mcpPath: z.string(),
  tools: z.array(ToolDetail),
  ...MADE_FIELDS,
})
export type ClientDetail = z.infer<typeof ClientDetail>

export const clients = routes({
  list: {
    method: 'GET',
    path: '/admin-api/clients',
    access: 'viewer',
    summary: 'List backends by name',
    query: z.strictObject({
      q: z.string().max(256).optional(),
      status: z.enum(HEALTH).optional(),
      enabled: Flag.optional(),
      kind: z.enum(KINDS).optional(),
      live: Flag.optional(),
      tag: z.string().optional(),
      ...pageQuery(),
    }),
    reply: page(ClientSummary),
  },
  setEnabled: {
    method: 'PATCH',
    path: '/admin-api/clients',
    access: 'operator',
    summary: 'Enable or disable several backends',
    body: z.strictObject({ names: z.array(z.string().min(1).max(64)).min(1).max(500), enabled: z.boolean() }),
    reply: z.object({ results: z.record(z.string(), z.boolean()) }),
    audit: ['client.enable', 'client.disable'],
  },
  get: {
    method: 'GET',
    path: '/admin-api/clients/:name',
    access: 'viewer',
    summary: 'Read one backend with its tools',
    reply: ClientDetail,
    errors: ['CLIENT_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: '/admin-api/clients/:name',
    access: 'operator',
    summary: 'Change a backend; a changed URL is vetted and pinned again',
    body: z.strictObject({
      enabled: z.boolean().optional(),
      description: z.string().max(1024).nullable().optional(),
      guards: ClientGuards.nullable().optional(),
      healthUrl: HttpUrl.nullable().optional(),
      baseUrl: HttpUrl.optional(),
      retryNonSafeMethods: z.boolean().optional(),
      keepCredential: KeepCredential,
      revision: z.number().int().optional(),
    }),
    reply: ClientDetail,
    audit: ['client.enable', 'client.disable', 'client.update', 'client.guards.update'],
    errors: ['CLIENT_NOT_FOUND', 'SSRF_BLOCKED', 'INVALID_URL', 'PRECONDITION_FAILED'],
  },
  delete: {
    method: 'DELETE',
    path: '/admin-api/clients/:name',
    access: 'operator',
    summary: 'Forget a backend and purge its configuration',
    audit: 'client.delete',
    errors: ['CLIENT_NOT_FOUND'],
  },
  resetBreaker: {
    method: 'POST',
    path: '/admin-api/clients/:name/circuit-breaker/reset',
    access: 'operator',
    summary: "Force a live backend's breaker to closed",
    reply: z.object({ name: z.string(), state: z.literal('closed'), previousState: z.enum(BREAKER_STATES) }),
    audit: 'client.circuit_breaker.reset',
    errors: ['CLIENT_NOT_FOUND', 'CLIENT_NOT_LIVE'],
  },
  checkHealth: {
    method: 'POST',
    path: '/admin-api/clients/:name/health-check',
    access: 'operator',
    summary: 'Probe a backend now; success restores an evicted one',
    reply: z.object({
      status: z.enum(HEALTH),
      ok: z.boolean(),
      latencyMs: z.number(),
      error: z.string().nullable(),
      restored: z.boolean(),
    }),
    audit: { none: 'a probe changes nothing an administrator set; an eviction or a return is audited by itself' },
    errors: ['CLIENT_NOT_FOUND'],
  },
  setTeam: {
    method: 'PUT',
    path: '/admin-api/clients/:name/team',
    access: 'superadmin',
    summary: 'Give a backend to a team, or to none',
    body: z.strictObject({ teamId: Id.nullable() }),
    reply: ClientSummary,
    audit: 'client.team.set',
    errors: ['CLIENT_NOT_FOUND', 'TEAM_NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  setTags: {
    method: 'PUT',
    path: '/admin-api/clients/:name/tags',
    access: 'operator',
    summary: 'Replace the tags of a backend',
    body: z.strictObject({ tags: z.array(Tag).max(20) }),
    reply: z.object({ name: z.string(), tags: z.array(z.string()) }),
    audit: 'client.tags.set',
    errors: ['CLIENT_NOT_FOUND'],
  },
  getOauth: {
    method: 'GET',
    path: '/admin-api/clients/:name/oauth',
    access: 'viewer',
    summary: 'Read the OAuth2 client-credentials settings',
    reply: z.object({ oauth: OAuthInfo.nullable() }),
    errors: ['CLIENT_NOT_FOUND'],
  },
  setOauth: {
    method: 'PUT',
    path: '/admin-api/clients/:name/oauth',
    access: 'admin',
    summary: 'Set OAuth2 client credentials for a backend',
    body: OAuthInput,
    reply: z.object({ oauth: OAuthInfo.nullable(), warnings: z.array(z.string()).optional() }),
    audit: 'client.oauth.set',
    errors: ['CLIENT_NOT_FOUND', 'SSRF_BLOCKED', 'INVALID_URL', 'SECRET_BOX_NOT_CONFIGURED', 'SECRETS_PROVIDER_ERROR'],
  },
  clearOauth: {
    method: 'DELETE',
    path: '/admin-api/clients/:name/oauth',
    access: 'admin',
    summary: 'Remove the OAuth2 settings',
    audit: 'client.oauth.clear',
    errors: ['CLIENT_NOT_FOUND', 'NOT_CONFIGURED'],
  },
  testOauth: {
    method: 'POST',
    path: '/admin-api/clients/:name/oauth/test',
    access: 'admin',
    summary: 'Fetch a token now, without showing it',
    reply: z.object({ ok: z.boolean(), expiresInMs: z.number().nullable(), error: z.string().nullable() }),
    audit: { none: 'a test changes nothing' },
    errors: ['CLIENT_NOT_FOUND', 'NOT_CONFIGURED'],
  },
  getUpstreamAuth: {
    method: 'GET',
    path: '/admin-api/clients/:name/upstream-auth',
    access: 'viewer',
    summary: 'Whether and how a credential is sent upstream',
    reply: UpstreamAuthInfo,
    errors: ['CLIENT_NOT_FOUND'],
  },
  setUpstreamAuth: {
    method: 'PUT',
    path: '/admin-api/clients/:name/upstream-auth',
    access: 'admin',
    summary: 'Set the credential sent upstream',
    body: UpstreamAuthInput,
    reply: UpstreamAuthInfo,
    audit: 'client.upstream_auth.set',
    errors: ['CLIENT_NOT_FOUND', 'NOT_APPLICABLE', 'SECRET_BOX_NOT_CONFIGURED', 'SECRETS_PROVIDER_ERROR'],
  },
  clearUpstreamAuth: {
    method: 'DELETE',
    path: '/admin-api/clients/:name/upstream-auth',
    access: 'admin',
    summary: 'Remove the credential sent upstream',
    audit: 'client.upstream_auth.clear',
    errors: ['CLIENT_NOT_FOUND', 'NOT_CONFIGURED'],
  },
})
