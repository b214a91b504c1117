// The spans of a trace as bars on one time line, each below the one that it is part of. Pure.
import type { StoredSpan } from '#contract'

export type Bar = {
  readonly span: StoredSpan
  readonly depth: number
  /** Of the whole, in percent. */
  readonly left: number
  readonly width: number
}

/** A bar that is shorter is still seen. */
const LEAST_WIDTH = 0.5

export function barsOf(spans: readonly StoredSpan[]): readonly Bar[] {
  const start = Math.min(...spans.map(({ startMs }) => startMs))
  const whole = Math.max(...spans.map(({ endMs }) => endMs)) - start || 1
  const known = new Set(spans.map(({ spanId }) => spanId))
  // What a caller's own span holds begins here: that one is kept elsewhere.
  const parentOf = ({ spanId, parentSpanId }: StoredSpan): string =>
    parentSpanId !== null && parentSpanId !== spanId && known.has(parentSpanId) ? parentSpanId : ''
  const children = Map.groupBy(spans, parentOf)
  const below = (parent: string, depth: number): readonly Bar[] =>
    (children.get(parent) ?? []).flatMap((span) => {
      const left = Math.min(((span.startMs - start) / whole) * 100, 100 - LEAST_WIDTH)
      const width = Math.max(((span.endMs - span.startMs) / whole) * 100, LEAST_WIDTH)
      return [{ span, depth, left, width: Math.min(width, 100 - left) }, ...below(span.spanId, depth + 1)]
    })
  return below('', 0)
}

/** Fractions of a millisecond are what a fast step takes. */
export function preciseSpan(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`
  return `${ms >= 100 ? Math.round(ms) : Number(ms.toPrecision(2))} ms`
}

const EVENTS: Readonly<Record<string, string>> = {
  retry: 'Retried',
  cache_hit: 'Answered from the cache',
  breaker_refused: 'Refused by the circuit breaker',
}
export const eventWords = (name: string): string => EVENTS[name] ?? name
