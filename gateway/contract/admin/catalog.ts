// The install catalog: built-in templates and an administrator's own. Contract 7.4, 10.9.
import { z } from 'zod'
import { BackendName, HttpUrl } from '../names.ts'
import { ownedInputs } from '../owned-inputs.ts'
import { ownedRoutes } from '../owned-routes.ts'
import { MADE_FIELDS } from '../page.ts'
import { RegisterResult } from '../registration.ts'
import { UpstreamAuthInput } from './clients.ts'

export const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/

const CatalogFields = {
  // Judged where it is stored: a slug has an error code of its own.
  slug: z.string().max(1024).meta({ pattern: SLUG.source }),
  name: z.string().trim().min(1).max(128),
  kind: z.enum(['rest', 'graphql', 'mcp']),
  description: z.string().max(1024).optional(),
  category: z.string().max(64).optional(),
  tags: z.array(z.string().max(32)).max(20).optional(),
  icon: z.string().max(64).optional(),
  openapiUrl: HttpUrl.optional(),
  healthUrl: HttpUrl.optional(),
  baseUrl: HttpUrl.optional(),
  includeTags: z.array(z.string().min(1).max(256)).max(100).nullable().optional(),
  excludeOperations: z.array(z.string().min(1).max(2048)).max(1000).nullable().optional(),
  mcpUrl: HttpUrl.optional(),
  mcpTransport: z.enum(['streamable-http', 'sse']).optional(),
  graphqlUrl: HttpUrl.optional(),
  includeMutations: z.boolean().optional(),
  authHint: z.enum(['none', 'bearer', 'basic', 'header', 'oauth']).optional(),
  /** A link people follow. */
  docsUrl: HttpUrl.regex(/^https?:\/\//i, 'must start with http:// or https://').optional(),
}

const { input, change } = ownedInputs({ ...CatalogFields, featured: z.boolean() }, { featured: false })
export const CatalogInput = input
export type CatalogInput = z.infer<typeof CatalogInput>
export type CatalogChange = Omit<z.infer<typeof change>, 'revision'>

export const CatalogEntry = z.object({
  slug: z.string(),
  name: z.string(),
  kind: z.enum(['rest', 'graphql', 'mcp']),
  description: z.string().nullable(),
  category: z.string().nullable(),
  tags: z.array(z.string()),
  icon: z.string().nullable(),
  openapiUrl: z.string().nullable(),
  healthUrl: z.string().nullable(),
  baseUrl: z.string().nullable(),
  includeTags: z.array(z.string()).nullable(),
  excludeOperations: z.array(z.string()).nullable(),
  mcpUrl: z.string().nullable(),
  mcpTransport: z.enum(['streamable-http', 'sse']).nullable(),
  graphqlUrl: z.string().nullable(),
  includeMutations: z.boolean().nullable(),
  featured: z.boolean(),
  authHint: z.enum(['none', 'bearer', 'basic', 'header', 'oauth']).nullable(),
  docsUrl: z.string().nullable(),
  id: z.string(),
  source: z.enum(['builtin', 'custom']),
  installed: z.array(z.string()),
  ...MADE_FIELDS,
})
export type CatalogEntry = z.infer<typeof CatalogEntry>

export const catalog = ownedRoutes(
  {
    path: '/admin-api/catalog',
    key: 'id',
    noun: 'catalog',
    read: 'viewer',
    write: 'admin',
    filter: {
      q: z.string().max(256).optional(),
      kind: z.enum(['rest', 'graphql', 'mcp']).optional(),
      category: z.string().optional(),
      source: z.enum(['builtin', 'custom']).optional(),
    },
    input,
    change,
    record: CatalogEntry,
    notFound: 'CATALOG_ENTRY_NOT_FOUND',
    errors: {
      create: ['INVALID_SLUG', 'INVALID_URL', 'SSRF_BLOCKED', 'ALREADY_EXISTS'],
      update: ['IMMUTABLE_ENTRY', 'INVALID_SLUG', 'INVALID_URL', 'SSRF_BLOCKED', 'ALREADY_EXISTS'],
      delete: ['IMMUTABLE_ENTRY'],
    },
    summaries: {
      list: 'List templates, featured first',
      create: 'Add a template',
      get: 'Read one template',
      update: 'Change a custom template',
      delete: 'Remove a custom template',
    },
  },
  {
    install: {
      method: 'POST',
      path: '/admin-api/catalog/:id/install',
      access: 'operator',
      summary: 'Register a backend from a template',
      body: z.strictObject({
        name: BackendName.optional(),
        baseUrl: HttpUrl.optional(),
        healthUrl: HttpUrl.optional(),
        upstreamAuth: UpstreamAuthInput.optional(),
      }),
      reply: RegisterResult,
      rateLimit: 'register',
      audit: ['catalog.install', 'client.register', 'client.upstream_auth.set'],
      errors: [
        'CATALOG_ENTRY_NOT_FOUND',
        'SSRF_BLOCKED',
        'INVALID_URL',
        'DISCOVERY_ERROR',
        'NAME_COLLISION',
        'SECRET_BOX_NOT_CONFIGURED',
        'SECRETS_PROVIDER_ERROR',
      ],
    },
  },
)
