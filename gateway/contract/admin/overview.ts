// The overview, the security posture and the live event stream. Contract 7.7, 10.14.
import { z } from 'zod'
import { routes } from '../route.ts'

const count = z.number().int()

export const SEVERITIES = ['critical', 'warning', 'info'] as const

export const PostureFinding = z.object({
  id: z.enum([
    'mcp_data_plane_open',
    'auth_disabled',
    'cors_wildcard',
    'session_cookie_insecure',
    'jwt_no_audience',
    'trust_proxy_too_wide',
    'allow_private_ips',
    'docs_public',
    'secret_box_unset',
    'audit_sink_unset',
    'no_backup_recent',
    'bound_to_all_interfaces',
  ]),
  severity: z.enum(SEVERITIES),
  summary: z.string(),
  tolerated: z.enum(['development', 'escape_hatch']).nullable(),
  remediation: z.string(),
})
export type PostureFinding = z.infer<typeof PostureFinding>

export const Overview = z.object({
  version: z.string(),
  uptimeSeconds: z.number(),
  instanceId: z.string(),
  leader: z.boolean(),
  fleet: z
    .object({ instances: count, oldest: count, newest: count })
    .nullable()
    .describe(
      'the instances of this database with the oldest and newest configuration that one has applied; null without REGISTRY_SYNC',
    ),
  clients: z.object({
    total: count,
    live: count,
    disabled: count,
    healthy: count,
    degraded: count,
    unreachable: count,
  }),
  tools: z.object({ total: count, disabled: count, missing: count, quarantined: count }),
  circuitBreakers: z.object({ open: count, halfOpen: count, closed: count }),
  bundles: z.object({ total: count, enabled: count }),
  composites: z.object({ total: count }),
  sessions: z.object({ streamable: count, max: count }),
  calls24h: z.object({ calls: count, errors: count, refused: count, avgMs: z.number(), p95Ms: z.number() }),
  refusals24h: z.array(z.object({ code: z.string(), count })),
  approvals: z.object({ pending: count }),
  monitors: z.object({ failing: count, drifted: count }),
  keys: z.object({ active: count, expiringSoon: count }),
  adminUsers: count.nullable(),
  mcpClientConnected: z.boolean(),
  responseCache: z.object({ entries: count }),
  wsProxy: z.object({ activeConnections: count }),
  posture: z.object({ worst: z.enum(SEVERITIES).nullable(), count }),
  onboarding: z.object({
    backend: z.boolean().describe('one that a user added'),
    bundle: z.boolean().describe('one with a tool'),
    key: z.boolean(),
    firstCall: z.boolean(),
    sampleUrl: z.string().describe('the OpenAPI document of the sample backend'),
  }),
})
export type Overview = z.infer<typeof Overview>

export const overview = routes({
  get: {
    method: 'GET',
    path: '/admin-api/overview',
    access: 'viewer',
    summary: 'The state of the gateway at a glance',
    reply: Overview,
  },
  posture: {
    method: 'GET',
    path: '/admin-api/security-posture',
    access: 'auditor',
    summary: 'What in the configuration weakens security, and how to fix it',
    reply: z.object({ findings: z.array(PostureFinding), worst: z.enum(SEVERITIES).nullable() }),
  },
  events: {
    method: 'GET',
    path: '/admin-api/events',
    access: 'viewer',
    summary: 'Live changes as server-sent events',
    query: z.strictObject({
      topics: z.string().max(256).optional().describe('comma-separated; all the role may see when absent'),
    }),
    produces: ['text/event-stream'],
  },
})
