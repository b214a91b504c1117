// An outcome becomes the result a client reads: the only place where it does. Contract 5.8, 5.9.
import { REFUSAL_GATE, type Refusal } from '../contract/refusal.ts'
import type { Json } from '../mcp/json-text.ts'
import type { CallToolResult, Failed, Outcome } from '../outcome/outcome.ts'
import { receivedText } from '../outcome/shape.ts'
import { writtenOf } from '../outcome/written.ts'
import type { Left } from '../pipeline/3-policy/budgets.ts'
import { targetOf } from '../pipeline/8-audit/row.ts'
import { cleanText } from '../text/clean.ts'

type CallResult = {
  readonly requestId: string
  readonly calledAs: string
  readonly durationMs: number
  readonly attempts: number
  /** What is left of them. */
  readonly budgets?: readonly Left[] | undefined
  /** A client checks every structured content against it, that of a refusal as well. */
  readonly listsOutput?: boolean
}

const callMeta = ({ requestId, durationMs, attempts, budgets }: CallResult, outcome?: Outcome) => {
  const meta = { request_id: requestId, durationMs: Math.round(durationMs), attempts, ...(budgets && { budgets }) }
  if (outcome === undefined) return attempts > 0 ? { ...meta, target: 'primary' } : meta
  const target = targetOf(outcome, attempts)
  const flagged = outcome.kind !== 'refused' && outcome.flagged
  const truncated = outcome.kind === 'ok' && outcome.from?.truncated
  const cache = outcome.from?.cache
  return {
    ...meta,
    ...(cache && { cache }),
    ...(target !== null && { target }),
    ...(truncated && { truncated }),
    ...(flagged && { flagged }),
  }
}

/** The same as text; nearly every call has these members and no others. */
function callText(call: CallResult, outcome: Outcome): string {
  const { requestId, durationMs, attempts } = call
  if (call.budgets !== undefined || outcome.from !== undefined || (outcome.kind !== 'refused' && outcome.flagged))
    return JSON.stringify(callMeta(call, outcome))
  const target = attempts > 0 ? ',"target":"primary"' : ''
  return `{"request_id":${JSON.stringify(requestId)},"durationMs":${Math.round(durationMs)},"attempts":${attempts}${target}}`
}

/** The result of an outcome as JSON text, without writing an object again that was just read: `more` is appended to its `_meta`. */
export function resultJson(outcome: Outcome, call: CallResult, more: string): Json | undefined {
  if (outcome.kind === 'refused' || outcome.result === undefined) return undefined
  const ready = writtenOf(outcome.result)
  if (ready) {
    const own = outcome.kind === 'failed' ? { 'gantry/failure': failureOf(outcome, call) } : {}
    const meta = JSON.stringify({ ...own, 'gantry/call': callMeta(call, outcome) }).slice(1, -1)
    const before = ready.meta === '' ? '' : `${ready.meta},`
    return { before: '', bytes: ready.members, after: `"_meta":{${before}${meta}${more}}}` }
  }
  if (outcome.kind !== 'ok' || outcome.asks) return undefined
  if (outcome.result._meta !== undefined) return undefined
  return `${membersText(outcome.result)},"_meta":{"gantry/call":${callText(call, outcome)}${more}}}`
}

function membersText(result: CallToolResult): string {
  const { content, structuredContent, isError } = result
  const text = structuredContent && receivedText(structuredContent)
  if (text === undefined || isError !== undefined) return JSON.stringify(result).slice(1, -1)
  return `"content":${JSON.stringify(content)},"structuredContent":${text}`
}

const failureOf = ({ failure, status, retryable, details }: Failed, { requestId }: CallResult) => ({
  kind: failure,
  request_id: requestId,
  ...(status === undefined ? {} : { status }),
  retryable,
  ...(details === undefined ? {} : { details }),
})

type Details = Readonly<Record<string, unknown>>

/** The request for input that takes the place of a result. */
export const toWish = (asks: Details, call: CallResult): Details => ({
  ...asks,
  _meta: { 'gantry/call': callMeta(call) },
})

export function toResult(outcome: Outcome, call: CallResult): CallToolResult {
  const { requestId, calledAs } = call
  const meta = callMeta(call, outcome)
  if (outcome.kind === 'ok') return { ...outcome.result, _meta: { ...outcome.result._meta, 'gantry/call': meta } }
  if (outcome.kind === 'refused') {
    const { code, text, retryAfterMs, reason, approval, details } = outcome
    const refusal: Refusal = {
      code,
      gate: REFUSAL_GATE[code],
      request_id: requestId,
      tool: calledAs,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(reason === undefined ? {} : { reason }),
      ...(approval === undefined ? {} : { approval }),
      ...(details === undefined ? {} : { details }),
    }
    return {
      isError: true,
      content: [{ type: 'text', text }],
      ...(call.listsOutput ? {} : { structuredContent: refusal }),
      _meta: { 'gantry/refusal': refusal, 'gantry/call': meta },
    }
  }
  const { text, result } = outcome
  const failed = failureOf(outcome, call)
  const own = result ?? { content: [{ type: 'text', text }] }
  return { ...own, isError: true, _meta: { ...own._meta, 'gantry/failure': failed, 'gantry/call': meta } }
}

/** One identical answer for what does not exist, what is elsewhere and what is hidden. */
export function unknownTool(requestId: string, calledAs: string, candidates: readonly string[]): CallToolResult {
  const details = candidates.length > 0 ? { details: { candidates } } : {}
  const refusal: Refusal = {
    code: 'unknown_tool',
    gate: REFUSAL_GATE.unknown_tool,
    request_id: requestId,
    tool: calledAs,
    ...details,
  }
  return {
    isError: true,
    content: [{ type: 'text', text: cleanText(`Unknown tool: ${calledAs}`) }],
    structuredContent: refusal,
    _meta: { 'gantry/refusal': refusal, 'gantry/call': { request_id: requestId, durationMs: 0, attempts: 0 } },
  }
}
