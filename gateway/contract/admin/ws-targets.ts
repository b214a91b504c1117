// WebSocket proxy targets: what `/ws-proxy/<name>` leads to, and how much of it there is at a time. Contract 7.8, 9.6, 10.11.
import { z } from 'zod'
import { ownedInputs } from '../owned-inputs.ts'
import { ownedRoutes } from '../owned-routes.ts'
import { OWNER_FIELDS } from '../page.ts'
import { BREAKER_STATES } from './clients.ts'

/** Null is the gateway's own setting. */
const limits = {
  maxConnections: z.number().int().min(1).max(10_000).nullable(),
  maxMessageBytes: z.number().int().min(1024).max(1_073_741_824).nullable(),
  idleTimeoutMs: z.number().int().min(1000).max(86_400_000).nullable(),
}
const { input, change } = ownedInputs(
  { name: z.string().max(1024), backendWsUrl: z.string().min(1).max(2048), ...limits, enabled: z.boolean() },
  { maxConnections: null, maxMessageBytes: null, idleTimeoutMs: null, enabled: true },
  'name',
)
export const WsTargetInput = input
export type WsTargetInput = z.output<typeof WsTargetInput>

export const WsTarget = z.object({
  name: z.string(),
  backendWsUrl: z.string(),
  resolvedIp: z.string().nullable(),
  ...limits,
  enabled: z.boolean(),
  activeConnections: z.number().int(),
  circuitBreakerState: z.enum(BREAKER_STATES),
  ...OWNER_FIELDS,
})
export type WsTarget = z.infer<typeof WsTarget>

export const wsTargets = ownedRoutes(
  {
    path: '/admin-api/ws-proxy-targets',
    key: 'name',
    noun: 'ws_proxy_target',
    read: 'viewer',
    write: 'admin',
    input,
    change,
    record: WsTarget,
    notFound: 'WS_PROXY_TARGET_NOT_FOUND',
    errors: {
      create: ['INVALID_NAME', 'INVALID_URL', 'SSRF_BLOCKED', 'NAME_COLLISION'],
      update: ['INVALID_URL', 'SSRF_BLOCKED'],
    },
    summaries: {
      list: 'List WebSocket targets by name',
      create: 'Create a WebSocket target; its address is vetted and pinned',
      get: 'Read one WebSocket target',
      update: 'Change a WebSocket target; its connections are closed',
      delete: 'Delete a WebSocket target; its connections are closed',
    },
  },
  {
    disconnectAll: {
      method: 'POST',
      path: '/admin-api/ws-proxy-targets/:name/disconnect-all',
      access: 'admin',
      summary: 'Close every connection of a WebSocket target',
      reply: z.object({ closed: z.number().int() }),
      audit: 'ws_proxy_target.disconnect_all',
      errors: ['WS_PROXY_TARGET_NOT_FOUND'],
    },
  },
)
