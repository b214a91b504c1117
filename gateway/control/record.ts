// Records a control-plane call: row, metrics, and an audit entry if a gate refused it. Contract 10.12, 13.3.

import { createHash } from 'node:crypto'
import { canonicalDetail } from '../audit-log/canonical.ts'
import { type CallLog, type CallRow, recorded } from '../pipeline/8-audit/call-log.ts'
import type { Base } from '../records/base.ts'
import type { Settings } from '../settings/table.ts'
import { jsonText } from '../storage/json-text.ts'
import type { Log } from '../telemetry/log.ts'
import type { SysRequest } from './plane.ts'
import type { SysError } from './result.ts'

export type Ended = {
  readonly request: SysRequest
  /** Unknown names are not counted as tools. */
  readonly known: boolean
  readonly error: SysError | undefined
  readonly durationMs: number
  readonly responseBytes: number
}
export type Recorder = (ended: Ended) => Promise<void>

type RecorderDeps = Pick<Base, 'metrics' | 'changes' | 'clock'> & {
  readonly callLog: Pick<CallLog, 'write'>
  readonly log: Pick<Log, 'error'>
  readonly settings: Pick<Settings, 'AUDIT_TOOL_CALLS'>
}

type Outcome = 'success' | 'error' | 'refused'

const outcomeOf = (error: SysError | undefined): Outcome =>
  error === undefined ? 'success' : error.gate === undefined ? 'error' : 'refused'

export function createRecorder({ callLog, metrics, changes, log, settings, clock }: RecorderDeps): Recorder {
  const audited = (outcome: Outcome, known: boolean): boolean =>
    known && (settings.AUDIT_TOOL_CALLS === 'all' || (settings.AUDIT_TOOL_CALLS === 'gated' && outcome === 'refused'))

  async function audit({ request, error, durationMs }: Ended, outcome: Outcome): Promise<void> {
    const { caller, name, given, requestId } = request
    const argsHash = createHash('sha256')
      .update(`[null,${JSON.stringify(name)},${canonicalDetail(given)}]`)
      .digest('hex')
    const detail = {
      outcome,
      code: error?.code ?? null,
      gate: error?.gate ?? null,
      durationMs: Math.round(durationMs),
      surface: 'control',
      argsHash,
      approvalId: null,
    }
    try {
      await changes({ actor: caller.actor, requestId }, (_tx, write) => write('tool.call', name, detail))
    } catch (cause) {
      // The call is over: a failed record must not change its answer.
      log.error('a control-plane call could not be audited', { request_id: requestId, tool: name, error: cause })
    }
  }

  return async (ended) => {
    const outcome = outcomeOf(ended.error)
    metrics.inc('mcp_tool_calls_total', { outcome })
    if (outcome === 'refused') metrics.inc('mcp_tool_refusals_total', { code: ended.error?.code ?? '' })
    metrics.observe('mcp_tool_call_duration_seconds', ended.durationMs / 1000, { outcome })
    if (audited(outcome, ended.known)) await audit(ended, outcome)
    await recorded(callLog, rowOf(ended, outcome, clock.now()))
  }
}

function rowOf({ request, known, error, durationMs, responseBytes }: Ended, outcome: Outcome, atMs: number): CallRow {
  const { caller, name, requestId, sessionHash, program, traceId, bytes } = request
  const refused = outcome === 'refused'
  return {
    request_id: requestId,
    at_ms: atMs,
    principal: caller.name,
    key_id: caller.keyId,
    consumer_id: null,
    surface: 'control',
    bundle: null,
    session: sessionHash,
    program: program ?? null,
    client: null,
    tool: known ? name : '',
    called_as: name,
    outcome,
    deny_code: refused ? (error?.code ?? null) : null,
    gate: refused ? (error?.gate ?? null) : null,
    verdict: refused ? jsonText({ t: error?.message ?? '' }) : null,
    failure_kind: error?.code === 'invalid_arguments' ? 'invalid_arguments' : null,
    status_class: 'none',
    duration_ms: Math.round(durationMs),
    attempts: 0,
    cache: null,
    target: null,
    request_bytes: bytes,
    response_bytes: responseBytes,
    trace_id: traceId,
  }
}
