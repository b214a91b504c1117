// The routes of the HTTP front in the words of the other tables, for the document only: http/ serves them.
import { z } from 'zod'
import { InstallView } from '../contract/admin/install-links.ts'
import { routes } from '../contract/route.ts'

const status = <const S extends string>(text: S) => z.object({ status: z.literal(text) })

const ResourceMetadata = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  bearer_methods_supported: z.array(z.literal('header')),
  scopes_supported: z.array(z.string()).optional(),
})

export const front = routes({
  health: {
    method: 'GET',
    path: '/health',
    access: 'public',
    summary: 'Whether the process answers, and since when',
    reply: status('ok').extend({ uptime_seconds: z.number() }),
  },
  livez: { method: 'GET', path: '/livez', access: 'public', summary: 'Liveness probe', reply: status('ok') },
  readyz: {
    method: 'GET',
    path: '/readyz',
    access: 'public',
    summary: 'Readiness probe; 503 with its reasons otherwise. `for=traffic` leaves leadership out, for balancers',
    query: z.object({ for: z.literal('traffic').optional() }),
    reply: z.object({
      status: z.enum(['ready', 'not_ready']),
      reasons: z.array(z.enum(['not_leader', 'db_unavailable', 'shutting_down'])),
    }),
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    access: 'viewer',
    summary: 'Metrics in text exposition format',
    produces: ['text/plain'],
  },
  guide: {
    method: 'GET',
    path: '/llms.txt',
    access: 'public',
    summary: 'What this server is, for language models',
    produces: ['text/plain'],
    errors: ['RATE_LIMITED'],
    rateLimit: 'llms',
  },
  install: {
    method: 'GET',
    path: '/install/:token',
    access: 'public',
    summary: 'What an install link shows: a bundle, its key, and a snippet for each known client',
    reply: InstallView,
    errors: ['INSTALL_LINK_NOT_FOUND', 'RATE_LIMITED'],
    rateLimit: 'install_link',
  },
  connectLink: {
    method: 'GET',
    path: '/connect/:link',
    access: 'public',
    summary: 'Leads to the page that connects a person to a backend',
    errors: ['NOT_FOUND'],
    status: 302,
  },
  clientDocument: {
    method: 'GET',
    path: '/.well-known/gantry-client.json',
    access: 'public',
    summary: 'What authorization servers read of this gateway; there while GATEWAY_PUBLIC_URL is https',
    reply: z.looseObject({ client_id: z.string(), redirect_uris: z.array(z.string()) }),
    errors: ['NOT_FOUND'],
  },
  socket: {
    method: 'GET',
    path: '/ws-proxy/:name',
    access: 'public',
    summary: 'A WebSocket connection to a target, with the key of an MCP client',
    status: 101,
    errors: [
      'INVALID_REQUEST',
      'UNAUTHORIZED',
      'KEY_SCOPE',
      'INSUFFICIENT_SCOPE',
      'WS_PROXY_TARGET_NOT_FOUND',
      'SESSION_CAPACITY',
    ],
  },
  docs: {
    method: 'GET',
    path: '/docs',
    access: 'viewer',
    summary: 'Explorer of this document',
    produces: ['text/html'],
  },
  openapiJson: {
    method: 'GET',
    path: '/docs/openapi.json',
    access: 'viewer',
    summary: 'This document as JSON',
    produces: ['application/json'],
  },
  openapiYaml: {
    method: 'GET',
    path: '/docs/openapi.yaml',
    access: 'viewer',
    summary: 'This document as YAML',
    produces: ['application/yaml'],
  },
  app: {
    method: 'GET',
    path: '/admin',
    access: 'public',
    summary: 'The admin application; it asks for a sign-in by itself',
    produces: ['text/html'],
  },
  protectedResource: {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource',
    access: 'public',
    summary: 'Where tokens for this gateway come from; there while JWT_ISSUER is set',
    reply: ResourceMetadata,
    errors: ['NOT_FOUND'],
  },
  protectedShard: {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/mcp/:clientName',
    access: 'public',
    summary: 'The same for the endpoint of one backend',
    reply: ResourceMetadata,
    errors: ['NOT_FOUND'],
  },
  protectedBundle: {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/mcp-custom/:bundleName',
    access: 'public',
    summary: 'The same for the endpoint of one bundle',
    reply: ResourceMetadata,
    errors: ['NOT_FOUND'],
  },
  home: { method: 'GET', path: '/', access: 'public', summary: 'Leads to the admin application', status: 302 },
})
