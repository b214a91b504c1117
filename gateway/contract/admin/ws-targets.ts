// WebSocket proxy targets: what `/ws-proxy/<name>` leads to, and how much of it there is at a time. Contract 7.8, 9.6, 10.11.
import { z } from 'zod'
import { OWNER_FIELDS, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'
import { BREAKER_STATES } from './clients.ts'

/** Null is the gateway's own setting. */
const limits = {
  maxConnections: z.number().int().min(1).max(10_000).nullable(),
  maxMessageBytes: z.number().int().min(1024).max(1_073_741_824).nullable(),
  idleTimeoutMs: z.number().int().min(1000).max(86_400_000).nullable(),
}
const backendWsUrl = z.string().min(1).max(2048)

export const WsTargetInput = z.strictObject({
  name: z.string().max(1024),
  backendWsUrl,
  maxConnections: limits.maxConnections.default(null),
  maxMessageBytes: limits.maxMessageBytes.default(null),
  idleTimeoutMs: limits.idleTimeoutMs.default(null),
  enabled: z.boolean().default(true),
})
export type WsTargetInput = z.output<typeof WsTargetInput>

const WsTargetChange = z
  .strictObject({ backendWsUrl, ...limits, enabled: z.boolean() })
  .partial()
  .extend({ revision: z.number().int().optional() })
export type WsTargetChange = Omit<z.output<typeof WsTargetChange>, 'revision'>

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

const one = z.object({ name: z.string() })

export const wsTargets = routes({
  list: {
    method: 'GET',
    path: '/admin-api/ws-proxy-targets',
    access: 'viewer',
    summary: 'List WebSocket targets by name',
    query: z.strictObject(pageQuery()),
    reply: page(WsTarget),
  },
  create: {
    method: 'POST',
    path: '/admin-api/ws-proxy-targets',
    access: 'admin',
    summary: 'Create a WebSocket target; its address is vetted and pinned',
    status: 201,
    body: WsTargetInput,
    reply: WsTarget,
    audit: 'ws_proxy_target.create',
    errors: ['INVALID_NAME', 'INVALID_URL', 'SSRF_BLOCKED', 'NAME_COLLISION'],
  },
  get: {
    method: 'GET',
    path: '/admin-api/ws-proxy-targets/:name',
    access: 'viewer',
    summary: 'Read one WebSocket target',
    params: one,
    reply: WsTarget,
    errors: ['WS_PROXY_TARGET_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: '/admin-api/ws-proxy-targets/:name',
    access: 'admin',
    summary: 'Change a WebSocket target; its connections are closed',
    params: one,
    body: WsTargetChange,
    reply: WsTarget,
    audit: 'ws_proxy_target.update',
    errors: ['WS_PROXY_TARGET_NOT_FOUND', 'INVALID_URL', 'SSRF_BLOCKED', 'PRECONDITION_FAILED'],
  },
  delete: {
    method: 'DELETE',
    path: '/admin-api/ws-proxy-targets/:name',
    access: 'admin',
    summary: 'Delete a WebSocket target; its connections are closed',
    status: 204,
    params: one,
    audit: 'ws_proxy_target.delete',
    errors: ['WS_PROXY_TARGET_NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  disconnectAll: {
    method: 'POST',
    path: '/admin-api/ws-proxy-targets/:name/disconnect-all',
    access: 'admin',
    summary: 'Close every connection of a WebSocket target',
    params: one,
    reply: z.object({ closed: z.number().int() }),
    audit: 'ws_proxy_target.disconnect_all',
    errors: ['WS_PROXY_TARGET_NOT_FOUND'],
  },
})
