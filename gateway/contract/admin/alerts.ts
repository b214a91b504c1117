// Alert rules: what is watched, and whom a webhook tells of it. Contract 7.7, 10.6.
import { z } from 'zod'
import { HttpUrl, Label } from '../names.ts'
import { Id, Iso, OWNER_FIELDS, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'

export const ALERT_EVENTS = [
  'circuit_breaker_open',
  'client_unreachable',
  'error_rate',
  'usage_spike',
  'schema_drift',
] as const
export type AlertEvent = (typeof ALERT_EVENTS)[number]

/** What is asked of a rule that does not say: only these two count calls. */
export const ALERT_DEFAULTS = {
  error_rate: { threshold: 0.5, minCalls: 10 },
  usage_spike: { threshold: 3, minCalls: 20 },
} as const satisfies Partial<Record<AlertEvent, { readonly threshold: number; readonly minCalls: number }>>

const fields = {
  name: Label,
  eventType: z.enum(ALERT_EVENTS),
  webhookUrl: HttpUrl,
  enabled: z.boolean(),
  /** Null is the default of the event. */
  threshold: z.number().nullable(),
  minCalls: z.number().int().min(1).max(1_000_000_000).nullable(),
  /** Null watches every backend its owner has. */
  client: z.string().min(1).max(63).nullable(),
}

/** What is wrong with a threshold, by the event it is of. */
export function thresholdProblem(eventType: AlertEvent, threshold: number | null): string | undefined {
  if (threshold === null) return undefined
  if (eventType === 'error_rate' && (threshold < 0 || threshold > 1)) return 'must be a share between 0 and 1'
  if (eventType === 'usage_spike' && threshold <= 1) return 'must be a factor above 1'
  return undefined
}

export const AlertInput = z
  .strictObject({
    ...fields,
    enabled: fields.enabled.default(true),
    threshold: fields.threshold.default(null),
    minCalls: fields.minCalls.default(null),
    client: fields.client.default(null),
  })
  .superRefine(({ eventType, threshold }, context) => {
    const message = thresholdProblem(eventType, threshold)
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['threshold'], message })
  })
export type AlertInput = z.output<typeof AlertInput>

const AlertChange = z.strictObject(fields).partial().extend({ revision: z.number().int().optional() })
export type AlertChange = Omit<z.output<typeof AlertChange>, 'revision'>

export const AlertRule = z.object({
  ...fields,
  id: Id,
  name: z.string(),
  state: z.enum(['ok', 'firing']),
  lastFiredAt: Iso.nullable(),
  lastDelivery: z
    .object({ at: Iso, ok: z.boolean(), httpStatus: z.number().int().nullable(), error: z.string().nullable() })
    .nullable(),
  ...OWNER_FIELDS,
})
export type AlertRule = z.infer<typeof AlertRule>

const one = z.object({ id: z.string() })

export const alerts = routes({
  list: {
    method: 'GET',
    path: '/admin-api/alerts',
    access: 'viewer',
    summary: 'List alert rules, newest first',
    query: z.strictObject(pageQuery()),
    reply: page(AlertRule),
  },
  create: {
    method: 'POST',
    path: '/admin-api/alerts',
    access: 'admin',
    summary: 'Create an alert rule; the address of its webhook is vetted and pinned',
    status: 201,
    body: AlertInput,
    reply: AlertRule,
    audit: 'alert.create',
    errors: ['INVALID_URL', 'SSRF_BLOCKED', 'CLIENT_NOT_FOUND', 'ALREADY_EXISTS'],
  },
  get: {
    method: 'GET',
    path: '/admin-api/alerts/:id',
    access: 'viewer',
    summary: 'Read one alert rule',
    params: one,
    reply: AlertRule,
    errors: ['ALERT_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: '/admin-api/alerts/:id',
    access: 'admin',
    summary: 'Change an alert rule; its event stays',
    params: one,
    body: AlertChange,
    reply: AlertRule,
    audit: 'alert.update',
    errors: [
      'ALERT_NOT_FOUND',
      'INVALID_URL',
      'SSRF_BLOCKED',
      'CLIENT_NOT_FOUND',
      'ALREADY_EXISTS',
      'IMMUTABLE_FIELD',
      'PRECONDITION_FAILED',
    ],
  },
  delete: {
    method: 'DELETE',
    path: '/admin-api/alerts/:id',
    access: 'admin',
    summary: 'Delete an alert rule',
    status: 204,
    params: one,
    audit: 'alert.delete',
    errors: ['ALERT_NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  test: {
    method: 'POST',
    path: '/admin-api/alerts/:id/test',
    access: 'admin',
    summary: 'Send a test delivery to the webhook of a rule, and wait for its answer',
    params: one,
    reply: z.object({ status: z.literal('delivered'), httpStatus: z.number().int(), durationMs: z.number().int() }),
    audit: 'alert.test',
    errors: ['ALERT_NOT_FOUND', 'WEBHOOK_FAILED'],
  },
})
