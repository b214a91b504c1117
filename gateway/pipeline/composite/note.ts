// The row and the counts of a composite itself; its steps leave their own. Contract 10.8.

import type { Outcome } from '../../outcome/outcome.ts'
import { jsonText } from '../../storage/json-text.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { type CallLog, type CallRow, recorded } from '../8-audit/call-log.ts'
import { outcomeLabel } from '../8-audit/count.ts'
import type { OnEnd } from '../8-audit/ended.ts'
import { beginningOf, endOf } from '../8-audit/row.ts'
import type { CompositeCall } from './run-composite.ts'

type Parts = {
  readonly callLog: Pick<CallLog, 'write'>
  readonly metrics: Pick<Metrics, 'inc' | 'observe'>
  readonly wallClock: () => number
  readonly onEnd: OnEnd
}

export function createCompositeNote({ callLog, metrics, wallClock, onEnd }: Parts) {
  return async (call: CompositeCall, outcome: Outcome, startedAt: number, durationMs: number): Promise<void> => {
    const label = outcomeLabel(outcome)
    metrics.inc('mcp_tool_calls_total', { outcome: label })
    if (outcome.kind === 'refused') metrics.inc('mcp_tool_refusals_total', { code: outcome.code })
    metrics.observe('mcp_tool_call_duration_seconds', durationMs / 1000, { outcome: label })
    const row: CallRow = {
      ...beginningOf(call),
      at_ms: wallClock(),
      client: null,
      tool: call.composite.name,
      ...endOf(outcome),
      verdict: outcome.kind === 'refused' ? jsonText({ t: outcome.text }) : null,
      duration_ms: Math.round(durationMs),
      attempts: 0,
      cache: null,
      target: null,
      trace_id: call.span.traceId,
    }
    await recorded(callLog, row)
    // Its steps did all the work, and each reported it.
    onEnd({ of: 'composite', row, call, outcome, startedAt, durationMs, dispatchMs: 0 })
  }
}
