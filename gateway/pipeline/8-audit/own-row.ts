// The row of a call that the gateway answers itself: a composite, whose steps have rows of their own, or a question to a kept result.
import type { Outcome } from '../../outcome/outcome.ts'
import { jsonText } from '../../storage/json-text.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { ToolCall } from '../call.ts'
import type { CallRow } from './call-log.ts'
import { outcomeLabel } from './count.ts'
import { beginningOf, endOf } from './row.ts'

type OwnCall = Parameters<typeof beginningOf>[0] & Pick<ToolCall, 'span'>
type Ended = { readonly tool: string; readonly outcome: Outcome; readonly durationMs: number; readonly atMs: number }

export const ownRow = (call: OwnCall, { tool, outcome, durationMs, atMs }: Ended): CallRow => ({
  ...beginningOf(call),
  at_ms: atMs,
  client: null,
  tool,
  ...endOf(outcome),
  verdict: outcome.kind === 'refused' ? jsonText({ t: outcome.text }) : null,
  duration_ms: Math.round(durationMs),
  attempts: 0,
  cache: null,
  target: null,
  trace_id: call.span.traceId,
})

export function countOwn(metrics: Pick<Metrics, 'inc' | 'observe'>, outcome: Outcome, durationMs: number): void {
  const label = outcomeLabel(outcome)
  metrics.inc('mcp_tool_calls_total', { outcome: label })
  if (outcome.kind === 'refused') metrics.inc('mcp_tool_refusals_total', { code: outcome.code })
  metrics.observe('mcp_tool_call_duration_seconds', durationMs / 1000, { outcome: label })
}
