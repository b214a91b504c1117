// Labels of alert conditions, and the numbers each uses.
import type { AlertEvent } from '#contract'
import { t } from '../../language/language.ts'

export const EVENTS: Readonly<Record<AlertEvent, { readonly label: string; readonly about: string }>> = {
  error_rate: { label: t('Error rate'), about: t('Too many recent calls failed') },
  usage_spike: { label: t('Usage spike'), about: t('Far more calls than usual') },
  circuit_breaker_open: { label: t('Circuit breaker opens'), about: t('A backend failed too often and is paused') },
  client_unreachable: {
    label: t('Backend unreachable'),
    about: t('A backend failed its health checks and was taken out of service'),
  },
  connection_lost: { label: t('Connection lost'), about: t('A person must connect to a backend again') },
  schema_drift: { label: t('Schema drift'), about: t('The definition of a monitored tool changed') },
}

/** Conditions that count calls, with the label of their threshold. */
export const COUNTED = {
  error_rate: { label: t('Share of errors'), hint: t('Between 0 and 1. Default: 0.5.'), usual: '0.5' },
  usage_spike: { label: t('Factor'), hint: t('Above 1. Default: 3.'), usual: '3' },
} as const satisfies Partial<Record<AlertEvent, { label: string; hint: string; usual: string }>>

export type CountedEvent = keyof typeof COUNTED
export const isCounted = (event: unknown): event is CountedEvent => typeof event === 'string' && event in COUNTED
