// Calls a tool of an MCP upstream once, and turns any response into an outcome that is safe to pass on.

import { checkAsked, refusedAsk } from '../../../mcp/client-requests.ts'
import { changedList, type Inputs, type ListKind, UpstreamStatus } from '../../../mcp/connection.ts'
import { type Answer, isRecord, type JsonRecord, LargeResult, type RpcFault } from '../../../mcp/message.ts'
import { paramHeaders } from '../../../mcp/mirrored-headers.ts'
import { ExchangeError } from '../../../net/exchange.ts'
import { failed } from '../../../outcome/failed.ts'
import type { Failed, Refused } from '../../../outcome/outcome.ts'
import { toolOutcomeBeside } from '../../../outcome/threads/index.ts'
import { toolOutcome } from '../../../outcome/tool-result.ts'
import type { Backend } from '../../../registry/backend.ts'
import { TokenUnavailable } from '../../../registry/credentials.ts'
import { traceparentOf } from '../../../telemetry/trace.ts'
import { milliseconds } from '../../../text/amounts.ts'
import {
  foreignExcerpt,
  foreignMessage,
  foreignText,
  NOTHING_WITHHELD,
  type Withheld,
} from '../../../text/foreign-text.ts'
import type { UpstreamConnections } from '../../../upstream/index.ts'
import type { WithheldNow } from '../../../upstream/withheld.ts'
import { inputGuardrails } from '../../2-guardrails/index.ts'
import type { Talk, ToolCall } from '../../call.ts'
import type { McpSender } from '../index.ts'
import { prepared } from '../prepared.ts'
import { NO_ROOM_NOW } from '../send-http.ts'
import { unreachable } from '../unreachable.ts'
import { orTokenless, withoutToken } from '../without-token.ts'
import { untilAnswered } from './input-required.ts'

export type SenderParts = {
  readonly connections: UpstreamConnections
  readonly settings: { readonly MAX_RESPONSE_BYTES: number; readonly MAX_JSON_DEPTH: number }
  /** Whether spans are made of calls. */
  readonly traced?: boolean
}

/** `result`, the message and the list around the blocks. */
const ENVELOPE_DEPTH = 3
const EXCERPT_MAX = 8_192
const PROGRESS_TEXT_MAX = 1_024
const METHOD_MAX = 256
/** Errors that say something about the call, not about the upstream. */
const CALLERS_FAULT: ReadonlySet<number> = new Set([-32_602, -32_601, -32_021, -32_042])

/** No client can be asked in it, and no other caller shares its session. */
const mute = ({ sessionHash, caller }: ToolCall) => ({
  key: `${sessionHash ?? caller.name}|`,
  principal: caller.name,
  capabilities: {},
})

export function createToolSender({ connections, settings, traced = false }: SenderParts): McpSender {
  const { connectionOf, credential, withheldOf, onListChanged } = connections
  return async function send(call, { timeoutMs, onStart, account }) {
    const { backend, tool, talk } = call
    const name = tool.definition.mcp?.name ?? tool.definition.sourceName
    // Without a token nothing is sent. The connection adds it to each request.
    const first = credential(call)
    const found = first instanceof Promise ? await first.catch(orTokenless) : first
    if (found instanceof TokenUnavailable) return withoutToken(found, backend)
    const shaping = prepared(tool, settings.MAX_RESPONSE_BYTES)
    const withheld = withheldOf(call, shaping.redact)
    const guarded = talk && guardedTalk(call, talk)
    const request = (inputs: Inputs | undefined): Promise<Answer> =>
      connectionOf(backend, call.acting).request({
        method: 'tools/call',
        params: { name, arguments: call.args, ...(call.meta === undefined ? {} : { _meta: call.meta }) },
        inputs,
        timeoutMs,
        maxBytes: settings.MAX_RESPONSE_BYTES,
        maxDepth: settings.MAX_JSON_DEPTH + ENVELOPE_DEPTH,
        takesLarge: true,
        account,
        conversation: talk?.conversation ?? mute(call),
        logLevel: talk?.logLevel,
        headers: paramHeaders(tool.definition.inputSchema, call.args),
        traceparent: traceparentOf(call.span, traced),
        onStart,
        onProgress: progressTo(call, withheld),
        onNotification: noticesTo(talk, withheld, (kind) => onListChanged(backend.name, kind)),
        onServerRequest: requestsTo(guarded, withheld),
      })
    const held = talk?.inputs && (await heldBack(call, talk.inputs))
    if (held) return held
    try {
      const settled = await untilAnswered(backend.name, guarded, withheld, request, onStart)
      if ('failure' in settled) return settled.failure
      if ('asked' in settled) return { kind: 'ok', result: { content: [] }, asks: settled.asked }
      const { answer } = settled
      if ('error' in answer) return ofFault(answer.error, talk, withheld())
      const { result } = answer
      return result instanceof LargeResult
        ? await toolOutcomeBeside(result, backend.name, withheld(), shaping.transform)
        : toolOutcome(result, backend.name, withheld(), shaping.transform)
    } catch (error) {
      if (error instanceof UpstreamStatus && error.status === 403) call.acting?.challenged(error.challenge)
      return ofError(error, backend, timeoutMs, withheld())
    }
  }
}

/** What a client gives in between is looked at as its arguments were. */
export async function heldBack(call: ToolCall, given: unknown): Promise<Refused | undefined> {
  return inputGuardrails(call.tool.config.guardrails)?.({ ...call, args: { given } })
}

export function guardedTalk(call: ToolCall, talk: Talk): Talk {
  if (call.tool.config.guardrails === undefined) return talk
  return {
    ...talk,
    async ask(method, params, onCancel) {
      const answer = await talk.ask(method, params, onCancel)
      const held = 'result' in answer ? await heldBack(call, answer.result) : undefined
      return held ? { error: { code: -32_000, message: held.text } } : answer
    },
  }
}

/** What an upstream asks during a request, as far as this client can be asked at all. */
export function requestsTo(talk: Talk | undefined, withheld: WithheldNow): Talk['ask'] | undefined {
  if (!talk || Object.keys(talk.conversation.capabilities).length === 0) return undefined
  const { ask, conversation } = talk
  return async (method, params, onCancel) => {
    const checked = checkAsked(method, params, conversation.capabilities, withheld())
    return 'params' in checked ? ask(method, checked.params, onCancel) : refusedAsk(checked)
  }
}

/** What an upstream reports in the meantime. */
export function noticesTo(
  talk: Talk | undefined,
  withheld: WithheldNow,
  onListChanged: (kind: ListKind) => void,
): (method: string, params: JsonRecord) => void {
  return (method, params) => {
    const kind = changedList(method)
    if (kind !== undefined) onListChanged(kind)
    // Changes of our own list of tools are announced by us.
    if (kind === 'tools' || !talk) return
    const now = withheld()
    talk.tell(foreignText(method, now, METHOD_MAX), notice(params, now))
  }
}

/** Redact paths lead from what a log message carries, and from a notification as a whole. */
function notice(params: JsonRecord, withheld: Withheld): JsonRecord {
  const { redact } = withheld
  const shown = redact && 'data' in params ? { ...params, data: redact(params.data) } : (redact?.(params) ?? params)
  // A record stays one: redact paths name values in it.
  return foreignMessage(shown, withheld) as JsonRecord
}

/** Upstream progress, cleaned, for the caller who asked for it. */
export function progressTo(
  { onProgress }: Pick<ToolCall, 'onProgress'>,
  withheld: WithheldNow,
): ((params: JsonRecord) => void) | undefined {
  if (!onProgress) return undefined
  return ({ progress, total, message }) => {
    if (typeof progress !== 'number') return
    const text = typeof message === 'string' ? foreignText(message, withheld(), PROGRESS_TEXT_MAX) : undefined
    onProgress(progress, typeof total === 'number' ? total : undefined, text)
  }
}

function ofFault({ code, message, data }: RpcFault, talk: Talk | undefined, withheld: Withheld): Failed {
  const clean = data === undefined ? undefined : foreignData(data, withheld)
  const details = { code, ...(clean === undefined ? {} : { data: clean }) }
  const rpc = ofProtocol(code, isRecord(clean) ? clean : {}, talk)
  return failed('upstream_error', foreignText(message, withheld, EXCERPT_MAX), false, {
    details,
    saysUpstreamFailed: !CALLERS_FAULT.has(code),
    ...(rpc ? { rpc } : {}),
  })
}

/** What an error carries: redact paths lead from it, and from each text in it that is JSON. */
export const foreignData = (data: unknown, withheld: Withheld): unknown =>
  foreignMessage(withheld.redact ? withheld.redact(data) : data, withheld)

/** Whether an error is for the client's protocol to deal with, as it is on this hop. */
function ofProtocol(code: number, data: JsonRecord, talk: Talk | undefined): Failed['rpc'] {
  if (!talk) return undefined
  const { takesRounds, inputs, conversation } = talk
  if (code === -32_021 && takesRounds) {
    const required = isRecord(data.requiredCapabilities) ? Object.entries(data.requiredCapabilities) : []
    const lacking = required.filter(([name]) => !Object.hasOwn(conversation.capabilities, name))
    return lacking.length === 0 ? undefined : { code, data: { requiredCapabilities: Object.fromEntries(lacking) } }
  }
  if (code === -32_602 && takesRounds && inputs !== undefined) return { code, data }
  const { elicitation } = conversation.capabilities
  if (code !== -32_042 || takesRounds || !isRecord(elicitation) || !Array.isArray(data.elicitations)) return undefined
  const safe = data.elicitations.every(
    (each) =>
      isRecord(each) && 'params' in checkAsked('elicitation/create', each, conversation.capabilities, NOTHING_WITHHELD),
  )
  return safe ? { code, data: { elicitations: data.elicitations } } : undefined
}

export function ofError(error: unknown, backend: Backend, timeoutMs: number, withheld: Withheld): Failed | Refused {
  const { name } = backend
  if (error instanceof UpstreamStatus) {
    const { status, body } = error
    const excerpt = foreignExcerpt(body, withheld, EXCERPT_MAX) || '(no content)'
    return failed(
      'upstream_status',
      `HTTP ${status} from ${name}: ${excerpt}`,
      status >= 500 || status === 408 || status === 429,
      { status },
    )
  }
  if (error instanceof TokenUnavailable) return withoutToken(error, backend)
  if (!(error instanceof ExchangeError)) throw error
  const message = foreignText(error.message, withheld)
  switch (error.kind) {
    case 'timeout':
      return failed('timeout', `Timed out after ${milliseconds(timeoutMs)}`, true)
    case 'too_large':
      return failed('response_too_large', message.replace('the answer exceeds', 'Response exceeds'), false)
    case 'no_socket':
      return failed('network', `Could not reach ${name}: ${error.message}; call again shortly`, true, { unasked: true })
    case 'no_room':
      return failed('response_too_large', NO_ROOM_NOW, true)
    case 'bad_response':
      return failed('bad_response', `Bad response from ${name}: ${message}`, true)
    case 'cancelled':
      return failed('cancelled', 'Cancelled', false)
    case 'blocked':
      return { kind: 'refused', code: 'ssrf_blocked', text: `The address of "${name}" is not permitted.` }
    case 'network':
      return unreachable(backend, message)
  }
}
