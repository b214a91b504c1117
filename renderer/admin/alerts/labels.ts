// Labels of alert conditions, and the numbers each uses.
import type { AlertEvent } from '#contract'

export const EVENTS: Readonly<Record<AlertEvent, { readonly label: string; readonly about: string }>> = {
  error_rate: { label: 'Error rate', about: 'Too many recent calls failed' },
  usage_spike: { label: 'Usage spike', about: 'Far more calls than usual' },
  circuit_breaker_open: { label: 'Circuit breaker opens', about: 'A backend failed too often and is paused' },
  client_unreachable: {
    label: 'Backend unreachable',
    about: 'A backend failed its health checks and was taken out of service',
  },
  schema_drift: { label: 'Schema drift', about: 'The definition of a monitored tool changed' },
}

/** Conditions that count calls, with the label of their threshold. */
export const COUNTED = {
  error_rate: { label: 'Share of errors', hint: 'Between 0 and 1. Default: 0.5.', usual: '0.5' },
  usage_spike: { label: 'Factor', hint: 'Above 1. Default: 3.', usual: '3' },
} as const satisfies Partial<Record<AlertEvent, { label: string; hint: string; usual: string }>>

export type CountedEvent = keyof typeof COUNTED
export const isCounted = (event: unknown): event is CountedEvent => typeof event === 'string' && event in COUNTED
