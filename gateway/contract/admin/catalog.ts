// The install catalog: built-in templates and an administrator's own. Contract 7.4, 10.9.
import { z } from 'zod'
import { BackendName, HttpUrl } from '../names.ts'
import { Iso, page, pageQuery } from '../page.ts'
import { RegisterResult } from '../registration.ts'
import { routes } from '../route.ts'
import { UpstreamAuthInput } from './clients.ts'

const CatalogFields = {
  slug: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must match ^[a-z0-9][a-z0-9-]{0,62}$'),
  name: z.string().trim().min(1).max(128),
  kind: z.enum(['rest', 'graphql', 'mcp']),
  description: z.string().max(1024).optional(),
  category: z.string().max(64).optional(),
  tags: z.array(z.string().max(32)).max(20).optional(),
  icon: z.string().max(64).optional(),
  openapiUrl: HttpUrl.optional(),
  healthUrl: HttpUrl.optional(),
  baseUrl: HttpUrl.optional(),
  includeTags: z.array(z.string()).max(100).nullable().optional(),
  excludeOperations: z.array(z.string()).max(1000).nullable().optional(),
  mcpUrl: HttpUrl.optional(),
  mcpTransport: z.enum(['streamable-http', 'sse']).optional(),
  graphqlUrl: HttpUrl.optional(),
  includeMutations: z.boolean().optional(),
  featured: z.boolean().default(false),
  authHint: z.enum(['none', 'bearer', 'basic', 'header', 'oauth']).optional(),
  docsUrl: HttpUrl.optional(),
}

export const CatalogInput = z.strictObject(CatalogFields)
export type CatalogInput = z.infer<typeof CatalogInput>

export const CatalogEntry = z.object(CatalogFields).extend({
  id: z.string(),
  source: z.enum(['builtin', 'custom']),
  installed: z.array(z.string()),
  revision: z.number().int(),
  createdAt: Iso,
  updatedAt: Iso,
  createdBy: z.string().nullable(),
})
export type CatalogEntry = z.infer<typeof CatalogEntry>

const one = z.object({ id: z.string() })

export const catalog = routes({
  list: {
    method: 'GET',
    path: '/admin-api/catalog',
    access: 'viewer',
    summary: 'List templates, featured first',
    query: z.strictObject({
      q: z.string().max(256).optional(),
      kind: z.enum(['rest', 'graphql', 'mcp']).optional(),
      category: z.string().optional(),
      source: z.enum(['builtin', 'custom']).optional(),
      ...pageQuery(),
    }),
    reply: page(CatalogEntry),
  },
  create: {
    method: 'POST',
    path: '/admin-api/catalog',
    access: 'admin',
    summary: 'Add a template',
    status: 201,
    body: CatalogInput,
    reply: CatalogEntry,
    audit: 'catalog.create',
    errors: ['INVALID_SLUG', 'ALREADY_EXISTS'],
  },
  get: {
    method: 'GET',
    path: '/admin-api/catalog/:id',
    access: 'viewer',
    summary: 'Read one template',
    params: one,
    reply: CatalogEntry,
    errors: ['CATALOG_ENTRY_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: '/admin-api/catalog/:id',
    access: 'admin',
    summary: 'Change a custom template',
    params: one,
    body: CatalogInput.partial().extend({ revision: z.number().int().optional() }),
    reply: CatalogEntry,
    audit: 'catalog.update',
    errors: ['CATALOG_ENTRY_NOT_FOUND', 'IMMUTABLE_ENTRY', 'ALREADY_EXISTS', 'PRECONDITION_FAILED'],
  },
  delete: {
    method: 'DELETE',
    path: '/admin-api/catalog/:id',
    access: 'admin',
    summary: 'Remove a custom template',
    status: 204,
    params: one,
    audit: 'catalog.delete',
    errors: ['CATALOG_ENTRY_NOT_FOUND', 'IMMUTABLE_ENTRY'],
  },
  install: {
    method: 'POST',
    path: '/admin-api/catalog/:id/install',
    access: 'operator',
    summary: 'Register a backend from a template',
    params: one,
    body: z.strictObject({
      name: BackendName.optional(),
      baseUrl: HttpUrl.optional(),
      healthUrl: HttpUrl.optional(),
      upstreamAuth: UpstreamAuthInput.optional(),
    }),
    reply: RegisterResult,
    rateLimit: 'register',
    audit: ['catalog.install', 'client.register'],
    errors: [
      'CATALOG_ENTRY_NOT_FOUND',
      'SSRF_BLOCKED',
      'INVALID_URL',
      'DISCOVERY_ERROR',
      'NAME_COLLISION',
      'SECRET_BOX_NOT_CONFIGURED',
    ],
  },
})
