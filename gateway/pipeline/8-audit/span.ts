// The span of a call that is over. What it needs is taken at once and is little; it is made of that when its turn comes. Contract 15.
import { methodOf } from '../../discovery/request.ts'
import type { Backend, Tool } from '../../registry/backend.ts'
import { type Attributes, type FinishedSpan, STATUS } from '../../telemetry/finished-span.ts'
import type { Span } from '../../telemetry/trace.ts'
import type { PrincipalKind } from '../call.ts'
import type { Happening } from '../call-state.ts'
import type { StageRecord } from '../stage-record.ts'
import type { CallRow } from './call-log.ts'
import type { Ended } from './ended.ts'
import { stagesOf } from './stages.ts'

/** Nothing of arguments and results, which may be large, and are never exported. */
export type Traced = {
  readonly of: Ended['of']
  readonly row: CallRow
  readonly span: Span
  readonly step: number | undefined
  readonly principalKind: PrincipalKind
  readonly asked: Asked | undefined
  readonly happenings: readonly Happening[]
  readonly stages: StageRecord | undefined
  /** Monotonic. */
  readonly startedAt: number
  readonly durationMs: number
  readonly dispatchMs: number
}

/** The backend, where a request went there. */
type Asked = { readonly backend: Backend; readonly tool: Tool; readonly status: number | undefined }

const NONE: readonly Happening[] = []

export function tracedOf(ended: Ended): Traced {
  const { of, row, call, startedAt } = ended
  const { span } = call
  const principalKind = call.caller.kind
  const common = { of, row, span, principalKind, startedAt }
  if (ended.of === 'unknown')
    return {
      ...common,
      step: ended.call.step,
      asked: undefined,
      stages: undefined,
      happenings: NONE,
      durationMs: 0,
      dispatchMs: 0,
    }
  const { durationMs, dispatchMs } = ended
  if (ended.of === 'composite' || ended.of === 'result')
    return { ...common, step: undefined, asked: undefined, stages: undefined, happenings: NONE, durationMs, dispatchMs }
  const { backend, tool, step } = ended.call
  const { outcome, stages, happenings = NONE } = ended
  const status = outcome.kind === 'refused' ? undefined : outcome.status
  const asked = row.attempts > 0 ? { backend, tool, status } : undefined
  return { ...common, step, asked, stages, happenings, durationMs, dispatchMs }
}

/** `wallOf` gives the calendar time of a monotonic moment. */
export function spanOf(traced: Traced, wallOf: (moment: number) => number): FinishedSpan {
  const { span, row, startedAt, durationMs, happenings, stages } = traced
  return {
    ...span,
    name: nameOf(traced),
    kind: traced.of === 'composite' || traced.of === 'result' ? 'INTERNAL' : 'CLIENT',
    startMs: wallOf(startedAt),
    endMs: wallOf(startedAt + durationMs),
    ...statusOf(row),
    attributes: attributesOf(traced),
    events: happenings.map(({ name, at, attributes }) => ({ name, atMs: wallOf(at), attributes })),
    stages: stages ? stagesOf(stages, startedAt, wallOf) : [],
  }
}

/** The tool that was called, in full; null without one. */
export function toolNameOf({ of, row }: Pick<Traced, 'of' | 'row'>): string | null {
  if (of === 'unknown' || of === 'relayed') return null
  return of === 'composite' || of === 'result' ? row.tool : `${row.client}__${row.tool}`
}

function nameOf(traced: Traced): string {
  if (traced.of === 'relayed') return `relay ${traced.row.client} ${traced.row.method}`
  const name = toolNameOf(traced)
  if (name === null) return 'tool_call unknown'
  return traced.of === 'composite' ? `composite ${name}` : `tool_call ${name}`
}

function statusOf(row: CallRow): Pick<FinishedSpan, 'statusCode' | 'statusMessage'> {
  if (row.outcome === 'success') return { statusCode: STATUS.OK, statusMessage: null }
  if (row.outcome === 'cancelled') return { statusCode: STATUS.UNSET, statusMessage: null }
  // A word of ours: what the failure says may hold what was sent or answered.
  return { statusCode: STATUS.ERROR, statusMessage: row.deny_code ?? row.failure_kind ?? null }
}

function attributesOf(traced: Traced): Attributes {
  const { of, row, step, principalKind, durationMs, dispatchMs } = traced
  const isAsked = of === 'tool' || of === 'relayed'
  return given({
    'mcp.tool': toolNameOf(traced),
    'mcp.client': row.client,
    'mcp.tool.name': of === 'relayed' || of === 'unknown' ? null : row.tool,
    'mcp.method': row.method,
    'mcp.surface': row.surface,
    'mcp.bundle': row.bundle,
    'mcp.session_id': row.session,
    'mcp.tool.is_error': row.outcome !== 'success',
    'mcp.deny_code': row.deny_code,
    'mcp.deny_gate': row.gate,
    'gantry.failure_kind': row.failure_kind,
    'gantry.request_id': row.request_id,
    'gantry.principal_kind': principalKind,
    'gantry.key_id': row.key_id,
    'gantry.attempts': isAsked ? row.attempts : null,
    'gantry.cache': row.cache,
    'gantry.target': row.target,
    'gantry.response_bytes': row.response_bytes,
    // A composite consists of its steps, and each has a span of its own.
    'gantry.overhead_ms': isAsked ? Math.round(Math.max(0, durationMs - dispatchMs) * 1000) / 1000 : null,
    ...httpOf(traced),
    'mcp.step': step,
  })
}

/** Of requests to REST and GraphQL. */
function httpOf({ asked, row }: Traced): Readonly<Record<string, string | number | null | undefined>> {
  if (asked === undefined || row.target === 'mock') return {}
  const { backend, tool, status } = asked
  if ((backend.kind !== 'rest' && backend.kind !== 'graphql') || tool.config.ws?.enabled) return {}
  return {
    'http.request.method': methodOf(tool.definition),
    'http.response.status_code': status,
    'server.address': new URL(serverOf(backend, tool, row.target)).hostname,
  }
}

function serverOf({ baseUrl, canary, lb }: Backend, { definition }: Tool, target: CallRow['target']): string {
  const member = lb?.targets.find(({ id }) => target === `pool:${id}`)
  const second = target === 'canary' || target === 'failover' ? canary : undefined
  return (member ?? second)?.baseUrl ?? definition.baseUrl ?? baseUrl
}

function given(all: Readonly<Record<string, string | number | boolean | null | undefined>>): Attributes {
  const attributes: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(all)) if (value !== null && value !== undefined) attributes[name] = value
  return attributes
}
