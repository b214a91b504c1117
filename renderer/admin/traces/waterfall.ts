// Positions the spans of a trace on a timeline, nested below their parents. Pure.
import type { StoredSpan, TraceStage } from '#contract'
import { t } from '../../language/language.ts'

export type Bar = {
  readonly span: StoredSpan
  /** Of a part of the span. */
  readonly stage: TraceStage | undefined
  readonly depth: number
  /** In percent of the whole. */
  readonly left: number
  readonly width: number
}

/** The minimum width of a bar. */
const LEAST_WIDTH = 0.5

/** The stages of a trace with more spans are shown for the chosen one alone. */
const MOST_OPEN = 3

export function barsOf(spans: readonly StoredSpan[], chosen?: string): readonly Bar[] {
  const start = Math.min(...spans.map(({ startMs }) => startMs))
  const whole = Math.max(...spans.map(({ endMs }) => endMs)) - start || 1
  const known = new Set(spans.map(({ spanId }) => spanId))
  // Children of a caller's span are roots here, because that span is stored elsewhere.
  const parentOf = ({ spanId, parentSpanId }: StoredSpan): string =>
    parentSpanId !== null && parentSpanId !== spanId && known.has(parentSpanId) ? parentSpanId : ''
  const children = Map.groupBy(spans, parentOf)
  const below = (parent: string, depth: number): readonly Bar[] =>
    (children.get(parent) ?? []).flatMap((span) => {
      const opened = spans.length <= MOST_OPEN || span.spanId === chosen
      return [
        { span, stage: undefined, depth, ...placed(span) },
        ...(opened ? stageBars(span, depth + 1) : []),
        ...below(span.spanId, depth + 1),
      ]
    })
  const placed = ({ startMs, endMs }: { readonly startMs: number; readonly endMs: number }) => {
    const left = Math.min(((startMs - start) / whole) * 100, 100 - LEAST_WIDTH)
    const width = Math.max(((endMs - startMs) / whole) * 100, LEAST_WIDTH)
    return { left, width: Math.min(width, 100 - left) }
  }
  /** A single attempt is the call itself: its parts stand in its place. */
  const stageBars = (span: StoredSpan, depth: number): readonly Bar[] => {
    const tried = span.stages.filter(({ name }) => name === 'attempt').length
    return span.stages.flatMap((stage) => {
      if (stage.name === 'attempt' && tried === 1 && span.stages.some(({ name }) => name === 'wait')) return []
      const inner = tried > 1 && stage.attempt !== undefined && stage.name !== 'attempt'
      return [{ span, stage, depth: inner ? depth + 1 : depth, ...placed(stage) }]
    })
  }
  return below('', 0)
}

/** Fast steps take fractions of a millisecond. */
export function preciseSpan(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`
  return `${ms >= 100 ? Math.round(ms) : Number(ms.toPrecision(2))} ms`
}

const EVENTS: Readonly<Record<string, string>> = {
  retry: t('Retried'),
  cache_hit: t('Answered from the cache'),
  breaker_refused: t('Refused by the circuit breaker'),
}
export const eventWords = (name: string): string => EVENTS[name] ?? name
