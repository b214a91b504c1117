// How often a rule over calls would have fired, from past calls. Pure.
import { ALERT_DEFAULTS, type UsagePoint } from '#contract'
import type { CountedEvent } from './labels.ts'

export type Asked = {
  readonly eventType: CountedEvent
  readonly threshold: number | null
  readonly minCalls: number | null
}
/** The number of points in a window. */
export type Spans = { readonly recent: number; readonly baseline: number }

type Sum = { readonly calls: number; readonly errors: number; readonly refused: number }
const sumOf = (points: readonly Sum[]): Sum =>
  points.reduce(
    (sum, { calls, errors, refused }) => ({
      calls: sum.calls + calls,
      errors: sum.errors + errors,
      refused: sum.refused + refused,
    }),
    { calls: 0, errors: 0, refused: 0 },
  )

function holds({ eventType, threshold, minCalls }: Asked, recent: Sum, baseline: Sum, spans: Spans): boolean {
  const usual = ALERT_DEFAULTS[eventType]
  const [least, most] = [minCalls ?? usual.minCalls, threshold ?? usual.threshold]
  if (eventType === 'error_rate') {
    const made = recent.calls - recent.refused
    return made >= least && made > 0 && recent.errors / made >= most
  }
  const before = baseline.calls === 0 ? 1 / spans.recent : baseline.calls / (spans.baseline - spans.recent)
  return recent.calls >= least && recent.calls / spans.recent >= most * before
}

/** Counts each start of the condition. The first points form the baseline. */
export function timesFired(asked: Asked, points: readonly UsagePoint[], spans: Spans): number {
  let [times, held] = [0, false]
  for (let end = spans.baseline; end <= points.length; end++) {
    const recent = sumOf(points.slice(end - spans.recent, end))
    const baseline = sumOf(points.slice(end - spans.baseline, end - spans.recent))
    const now = holds(asked, recent, baseline, spans)
    if (now && !held) times += 1
    held = now
  }
  return times
}
