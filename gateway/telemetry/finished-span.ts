// A finished span, as stored and exported. Contract 15, 10.13.
import type { TraceStage } from '../contract/admin/traces.ts'
import type { Span } from './trace.ts'

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** OpenTelemetry's codes: unset, ok, error. */
export const STATUS = { UNSET: 0, OK: 1, ERROR: 2 } as const

export type FinishedSpan = Span & {
  readonly name: string
  readonly kind: 'CLIENT' | 'INTERNAL'
  readonly startMs: number
  readonly endMs: number
  readonly statusCode: (typeof STATUS)[keyof typeof STATUS]
  readonly statusMessage: string | null
  readonly attributes: Attributes
  readonly stages: readonly TraceStage[]
  readonly events: readonly { readonly name: string; readonly atMs: number; readonly attributes: Attributes }[]
}
