// Install links of a bundle, and how a client is set up for any endpoint. Contract 7.4, 7.5, 10.3.
import { z } from 'zod'
import { ConnectClient } from '../connect.ts'
import { Label } from '../names.ts'
import { Id, Iso, page, pageQuery, When } from '../page.ts'
import { routes } from '../route.ts'

export const InstallLink = z.object({
  id: Id,
  bundleName: z.string(),
  label: z.string().nullable(),
  tokenPrefix: z.string(),
  mcpKeyId: Id,
  createdBy: z.string().nullable(),
  createdAt: Iso,
  expiresAt: Iso.nullable(),
  revokedAt: Iso.nullable(),
  lastUsedAt: Iso.nullable(),
  useCount: z.number().int(),
})
export type InstallLink = z.infer<typeof InstallLink>

export const InstallLinkInput = z.strictObject({
  label: Label.optional(),
  expiresAt: When.nullable().default(null),
  keyExpiresAt: When.nullable().default(null),
})
export type InstallLinkInput = z.output<typeof InstallLinkInput>

/** What the holder of the token sees. */
export const InstallView = z.object({
  bundle: z.object({
    name: z.string(),
    description: z.string().nullable(),
    tools: z.array(z.object({ client: z.string(), tool: z.string(), name: z.string(), description: z.string() })),
    composites: z.array(z.object({ name: z.string(), description: z.string() })),
  }),
  connect: z.object({
    url: z.string(),
    transport: z.literal('streamable-http'),
    headers: z.object({ Authorization: z.string() }),
    filename: z.string(),
    snippet: z.string(),
    instructions: z.array(z.string()),
    clients: z.array(ConnectClient),
  }),
})
export type InstallView = z.infer<typeof InstallView>

export const installLinks = routes({
  list: {
    method: 'GET',
    path: '/admin-api/bundles/:name/install-links',
    access: 'viewer',
    summary: 'List the install links of a bundle, newest first',
    query: z.strictObject(pageQuery()),
    reply: page(InstallLink),
    errors: ['BUNDLE_NOT_FOUND'],
  },
  create: {
    method: 'POST',
    path: '/admin-api/bundles/:name/install-links',
    access: 'admin',
    summary: 'Create an install link with a key of its own for the bundle',
    status: 201,
    body: InstallLinkInput,
    reply: InstallLink.extend({ token: z.string(), url: z.string() }),
    shownOnce: ['token', 'url'],
    audit: ['bundle.install_link.create', 'mcp_key.create'],
    errors: ['BUNDLE_NOT_FOUND', 'EMPTY_BUNDLE', 'SECRET_BOX_NOT_CONFIGURED', 'SECRETS_PROVIDER_ERROR'],
  },
  delete: {
    method: 'DELETE',
    path: '/admin-api/bundles/:name/install-links/:id',
    access: 'admin',
    summary: 'Revoke an install link and its key',
    audit: ['bundle.install_link.revoke', 'mcp_key.revoke'],
    errors: ['INSTALL_LINK_NOT_FOUND'],
  },
})

export const connect = routes({
  gatewayUrl: {
    method: 'GET',
    path: '/admin-api/connect/gateway-url',
    access: 'viewer',
    summary: 'The address clients use',
    reply: z.object({ publicUrl: z.string().nullable(), effectiveUrl: z.string() }),
  },
  snippets: {
    method: 'GET',
    path: '/admin-api/connect/snippets',
    access: 'viewer',
    summary: 'What to paste into each known client, with a placeholder for the key',
    query: z.strictObject({ scope: z.enum(['client', 'bundle', 'system']), name: z.string().max(64).optional() }),
    reply: z.object({ url: z.string(), clients: z.array(ConnectClient) }),
    errors: ['CLIENT_NOT_FOUND', 'BUNDLE_NOT_FOUND'],
  },
})
