// The row a call leaves: whose it was, what was called, how it ended. Contract 10.12.
import { REFUSAL_GATE } from '../../contract/refusal.ts'
import { statusClass } from '../5-dispatch/observed.ts'
import type { Outcome, ToolCall } from '../call.ts'
import type { CallRow } from './call-log.ts'
import { outcomeLabel } from './count.ts'

const textBytes = (content: readonly Readonly<Record<string, unknown>>[]): number =>
  content.reduce(
    (sum, { text, data }) =>
      sum + (typeof text === 'string' ? text.length : typeof data === 'string' ? data.length : 0),
    0,
  )

/** What a row says of how its call ended. */
export function endOf(
  outcome: Outcome,
): Pick<CallRow, 'outcome' | 'deny_code' | 'gate' | 'failure_kind' | 'status_class' | 'response_bytes'> {
  return {
    outcome: outcomeLabel(outcome),
    deny_code: outcome.kind === 'refused' ? outcome.code : null,
    gate: outcome.kind === 'refused' ? REFUSAL_GATE[outcome.code] : null,
    failure_kind: outcome.kind === 'failed' ? outcome.failure : null,
    status_class: statusClass(outcome),
    response_bytes: outcome.kind === 'ok' ? textBytes(outcome.result.content) : 0,
  }
}

export function rowOf(call: ToolCall, outcome: Outcome, durationMs: number, attempts: number, atMs: number): CallRow {
  return {
    request_id: call.requestId,
    at_ms: atMs,
    principal: call.caller.name,
    key_id: call.caller.keyId,
    consumer_id: call.caller.consumerId,
    surface: call.surface,
    bundle: call.bundle,
    session: call.sessionHash,
    client: call.backend.name,
    tool: call.tool.name,
    called_as: call.calledAs,
    ...endOf(outcome),
    duration_ms: Math.round(durationMs),
    attempts,
    cache: null,
    target: attempts > 0 ? 'primary' : null,
    request_bytes: call.requestBytes,
    trace_id: call.traceId,
  }
}
