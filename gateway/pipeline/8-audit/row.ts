// The row a call leaves: whose it was, what was called, how it ended. Contract 10.12.
import { REFUSAL_GATE } from '../../contract/refusal.ts'
import { contentBytes } from '../../outcome/content-bytes.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import { statusClass } from '../7-dispatch/observed.ts'
import type { ToolCall } from '../call.ts'
import type { CallRow } from './call-log.ts'
import { outcomeLabel } from './count.ts'
import { verdictOf } from './verdict.ts'

const bytesIn = (text: unknown): number => (typeof text === 'string' ? Buffer.byteLength(text) : 0)

export function responseBytes(outcome: Outcome): number {
  switch (outcome.kind) {
    case 'ok':
      return contentBytes(outcome.result)
    case 'failed':
      return outcome.result ? contentBytes(outcome.result) : bytesIn(outcome.text)
    case 'refused':
      return 0
  }
}

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
    response_bytes: responseBytes(outcome),
  }
}

type Begun = Pick<
  ToolCall,
  'requestId' | 'caller' | 'surface' | 'bundle' | 'sessionHash' | 'program' | 'calledAs' | 'requestBytes'
>

/** What a row says of whose call it was and how it came. */
export function beginningOf(
  call: Begun,
): Pick<
  CallRow,
  | 'request_id'
  | 'principal'
  | 'key_id'
  | 'consumer_id'
  | 'surface'
  | 'bundle'
  | 'session'
  | 'program'
  | 'called_as'
  | 'request_bytes'
> {
  return {
    request_id: call.requestId,
    principal: call.caller.name,
    key_id: call.caller.keyId,
    consumer_id: call.caller.consumerId,
    surface: call.surface,
    bundle: call.bundle,
    session: call.sessionHash,
    program: call.program ?? null,
    called_as: call.calledAs,
    request_bytes: call.requestBytes,
  }
}

/** The server that answered; null when none was asked, and for a refusal, which is the gateway's own answer. */
export function targetOf({ kind, from }: Outcome, attempts: number): string | null {
  return from?.target ?? (attempts > 0 && kind !== 'refused' ? 'primary' : null)
}

type Spent = { readonly durationMs: number; readonly attempts: number; readonly counted: string | null }

export function rowOf(
  call: ToolCall,
  outcome: Outcome,
  { durationMs, attempts, counted }: Spent,
  atMs: number,
): CallRow {
  return {
    ...beginningOf(call),
    at_ms: atMs,
    client: call.backend.name,
    tool: call.tool.name,
    ...endOf(outcome),
    duration_ms: Math.round(durationMs),
    attempts,
    cache: outcome.from?.cache ?? null,
    target: targetOf(outcome, attempts),
    trace_id: call.span.traceId,
    method: call.relayed?.method ?? null,
    verdict: outcome.kind === 'refused' ? verdictOf(call, outcome) : null,
    counted,
  }
}
