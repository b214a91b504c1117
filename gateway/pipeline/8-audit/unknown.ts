// A call that found no tool: it meets no guard and no backend, and leaves its row and its count all the same. Contract 5.8.

import { REFUSAL_GATE } from '../../contract/refusal.ts'
import type { Base } from '../../records/base.ts'
import { jsonText } from '../../storage/json-text.ts'
import { outOfScope } from '../0-admission/admit.ts'
import type { ToolCall } from '../call.ts'
import type { CallAudit } from './call-audit.ts'
import { type CallLog, type CallRow, recorded } from './call-log.ts'
import type { OnEnd } from './ended.ts'
import { beginningOf } from './row.ts'

export type UnknownCall = Pick<
  ToolCall,
  | 'requestId'
  | 'caller'
  | 'surface'
  | 'bundle'
  | 'sessionHash'
  | 'program'
  | 'span'
  | 'step'
  | 'calledAs'
  | 'requestBytes'
> & {
  /** The one backend of the surface; null where there are several. */
  readonly client: string | null
  readonly code: 'unknown_tool' | 'key_scope'
}

type Parts = Pick<Base, 'metrics' | 'clock'> & {
  readonly callLog: Pick<CallLog, 'write'>
  /** Monotonic. */
  readonly monotonic: () => number
  readonly audit: Pick<CallAudit, 'noteOutside'> | undefined
  readonly onEnd: OnEnd
}

export function createUnknownNote({
  callLog,
  audit,
  metrics,
  monotonic,
  clock,
  onEnd,
}: Parts): (call: UnknownCall) => Promise<void> {
  return async (call) => {
    const startedAt = monotonic()
    metrics.inc('mcp_tool_calls_total', { outcome: 'refused' })
    metrics.inc('mcp_tool_refusals_total', { code: call.code })
    if (call.code === 'key_scope') audit?.noteOutside(call)
    const row = rowOf(call, clock.now())
    await recorded(callLog, row)
    onEnd({ of: 'unknown', row, call, startedAt })
  }
}

const rowOf = (call: UnknownCall, atMs: number): CallRow => ({
  ...beginningOf(call),
  at_ms: atMs,
  client: call.client,
  // There is no such tool, and names that callers make up must not fill the statistics.
  tool: '',
  outcome: 'refused',
  deny_code: call.code,
  gate: REFUSAL_GATE[call.code],
  verdict: jsonText(
    call.code === 'key_scope' ? { t: outOfScope(call).text, s: 'key.scopes' } : { t: `Unknown tool: ${call.calledAs}` },
  ),
  failure_kind: null,
  status_class: 'none',
  duration_ms: 0,
  attempts: 0,
  cache: null,
  target: null,
  response_bytes: 0,
  trace_id: call.span.traceId,
})
