// What alert rules watch, in words; and which of their numbers mean something.
import type { AlertEvent } from '#contract'

export const EVENTS: Readonly<Record<AlertEvent, { readonly label: string; readonly about: string }>> = {
  error_rate: { label: 'Error rate', about: 'Too many calls of the last minutes failed' },
  usage_spike: { label: 'Usage spike', about: 'Far more calls than was usual before' },
  circuit_breaker_open: { label: 'Circuit breaker opens', about: 'A backend failed so often that it is paused' },
  client_unreachable: { label: 'Backend unreachable', about: 'A backend failed its health checks and was taken out' },
  schema_drift: { label: 'Schema drift', about: 'A monitored tool is no longer what it was' },
}

/** Those that count calls, and how their threshold is called. */
export const COUNTED = {
  error_rate: { label: 'Share of errors', hint: 'Between 0 and 1; half of the calls when left empty.', usual: '0.5' },
  usage_spike: { label: 'Times what is usual', hint: 'Above 1; three times when left empty.', usual: '3' },
} as const satisfies Partial<Record<AlertEvent, { label: string; hint: string; usual: string }>>

export type CountedEvent = keyof typeof COUNTED
export const isCounted = (event: unknown): event is CountedEvent => typeof event === 'string' && event in COUNTED
