// Alert rules: what is watched, and which webhook is notified. Contract 7.7, 10.6.
import { z } from 'zod'
import { HttpUrl, Label } from '../names.ts'
import { ownedInputs } from '../owned-inputs.ts'
import { ownedRoutes } from '../owned-routes.ts'
import { Id, Iso, OWNER_FIELDS } from '../page.ts'

export const ALERT_EVENTS = [
  'circuit_breaker_open',
  'client_unreachable',
  'error_rate',
  'usage_spike',
  'schema_drift',
  'connection_lost',
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

const { input, change } = ownedInputs(fields, { enabled: true, threshold: null, minCalls: null, client: null })
export const AlertInput = input.superRefine(({ eventType, threshold }, context) => {
  const message = thresholdProblem(eventType, threshold)
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['threshold'], message })
})
export type AlertInput = z.output<typeof AlertInput>

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

export const alerts = ownedRoutes(
  {
    path: '/admin-api/alerts',
    key: 'id',
    noun: 'alert',
    read: 'viewer',
    write: 'admin',
    input: AlertInput,
    change,
    record: AlertRule,
    notFound: 'ALERT_NOT_FOUND',
    errors: {
      create: ['INVALID_URL', 'SSRF_BLOCKED', 'CLIENT_NOT_FOUND', 'ALREADY_EXISTS'],
      update: ['INVALID_URL', 'SSRF_BLOCKED', 'CLIENT_NOT_FOUND', 'ALREADY_EXISTS', 'IMMUTABLE_FIELD'],
    },
    summaries: {
      list: 'List alert rules, newest first',
      create: 'Create an alert rule; the address of its webhook is vetted and pinned',
      get: 'Read one alert rule',
      update: 'Change an alert rule; its event stays',
      delete: 'Delete an alert rule',
    },
  },
  {
    test: {
      method: 'POST',
      path: '/admin-api/alerts/:id/test',
      access: 'admin',
      summary: 'Send a test delivery to the webhook of a rule, and wait for its answer',
      reply: z.object({ status: z.literal('delivered'), httpStatus: z.number().int(), durationMs: z.number().int() }),
      audit: 'alert.test',
      errors: ['ALERT_NOT_FOUND', 'WEBHOOK_FAILED'],
    },
  },
)
