// Calls a tool of an MCP upstream once, and turns whatever comes back into an outcome that is safe to hand on.
import { ExchangeError } from '../net/exchange.ts'
import { cleanText, cleanValue } from '../pipeline/5-dispatch/clean.ts'
import type { McpSender } from '../pipeline/5-dispatch/index.ts'
import { type Redaction, redaction } from '../pipeline/5-dispatch/redact.ts'
import type { CallToolResult, Failed, Outcome, ToolCall } from '../pipeline/call.ts'
import type { Backend, Registry } from '../registry/backend.ts'
import { type Connection, type OnServerRequest, UpstreamStatus } from './connection.ts'
import { type Answer, isRecord, type JsonRecord, type RpcFault } from './message.ts'
import { paramHeaders } from './mirrored.ts'

export type SenderParts = {
  readonly connectionOf: (backend: Backend) => Connection
  readonly credential: Registry['credential']
  readonly settings: { readonly MAX_RESPONSE_BYTES: number; readonly MAX_JSON_DEPTH: number }
  /** For the data plane: a request of the upstream during a call, and what else it says meanwhile. */
  readonly onServerRequest?:
    | ((call: ToolCall, ...request: Parameters<OnServerRequest>) => ReturnType<OnServerRequest>)
    | undefined
  readonly onNotification?: ((call: ToolCall, method: string, params: JsonRecord) => void) | undefined
}

/** `result`, the message and the list around the blocks. */
const ENVELOPE_DEPTH = 3
const EXCERPT_MAX = 8_192
const PROGRESS_TEXT_MAX = 1_024
/** Errors that say something about the call, not about the upstream. */
const CALLERS_FAULT: ReadonlySet<number> = new Set([-32_602, -32_601])

const failed = (failure: Failed['failure'], text: string, retryable: boolean, extra: Partial<Failed> = {}): Failed => ({
  kind: 'failed',
  failure,
  text,
  retryable,
  ...extra,
})

export function createMcpSender(parts: SenderParts): McpSender {
  const { connectionOf, credential, settings, onServerRequest, onNotification } = parts

  const secretsOf = async ({ name }: Backend): Promise<readonly string[]> => (await credential(name))?.secrets ?? []

  return async function send(call, { timeoutMs, onStart }) {
    const { backend, tool } = call
    const name = tool.definition.mcp?.name ?? tool.definition.sourceName
    const before = await secretsOf(backend)
    const settle = async (outcomeOf: (secrets: readonly string[]) => Outcome): Promise<Outcome> => {
      const after = await secretsOf(backend)
      // A token may have been replaced on the way; neither may come back.
      return outcomeOf(after === before ? before : [...new Set([...before, ...after])])
    }
    let answer: Answer
    try {
      answer = await connectionOf(backend).request({
        method: 'tools/call',
        params: { name, arguments: call.args, ...(call.meta === undefined ? {} : { _meta: call.meta }) },
        timeoutMs,
        maxBytes: settings.MAX_RESPONSE_BYTES,
        maxDepth: settings.MAX_JSON_DEPTH + ENVELOPE_DEPTH,
        affinity: call.sessionHash ?? call.caller.name,
        headers: paramHeaders(tool.definition.inputSchema, call.args),
        traceparent: call.traceparent,
        onStart,
        onProgress: progressTo(call, before),
        onNotification: onNotification && ((method, params) => onNotification(call, method, params)),
        onServerRequest: onServerRequest && ((method, params) => onServerRequest(call, method, params)),
      })
    } catch (error) {
      return settle((secrets) => ofError(error, backend, timeoutMs, secrets))
    }
    return settle((secrets) =>
      'error' in answer
        ? ofFault(answer.error, secrets)
        : ofResult(answer.result, backend, secrets, redaction(tool.config.redactPaths)),
    )
  }
}

function progressTo({ onProgress }: ToolCall, secrets: readonly string[]): ((params: JsonRecord) => void) | undefined {
  if (!onProgress) return undefined
  return ({ progress, total, message }) => {
    if (typeof progress !== 'number') return
    const text = typeof message === 'string' ? cleanText(message, secrets).slice(0, PROGRESS_TEXT_MAX) : undefined
    onProgress(progress, typeof total === 'number' ? total : undefined, text)
  }
}

function ofResult(
  value: unknown,
  { name }: Backend,
  secrets: readonly string[],
  redact: Redaction | undefined,
): Outcome {
  const given = isRecord(value) ? value : undefined
  const blocks = given?.content ?? []
  if (!given || !Array.isArray(blocks) || !blocks.every(isRecord))
    return failed('bad_response', `Bad response from ${name}: it is not the result of a tool`, true)
  const shown = redact
    ? { ...given, content: blocks.map((block) => redacted(block, redact)) }
    : { ...given, content: blocks }
  if (redact && 'structuredContent' in shown)
    Object.assign(shown, { structuredContent: redact(given.structuredContent) })
  // What it is by the checks above; all else in it is the upstream's own and travels along.
  const result = cleanValue(shown, secrets) as CallToolResult
  if (result.isError !== true) return { kind: 'ok', result }
  const text = result.content.find((block) => typeof block.text === 'string')?.text
  return failed('upstream_error', typeof text === 'string' ? text.slice(0, EXCERPT_MAX) : 'The tool failed', false, {
    result,
  })
}

/** A text block that is JSON is redacted as what it says. */
function redacted(block: JsonRecord, redact: Redaction): JsonRecord {
  const { text } = block
  const first = typeof text === 'string' ? text.trimStart()[0] : undefined
  if (typeof text !== 'string' || (first !== '{' && first !== '[')) return block
  try {
    return { ...block, text: JSON.stringify(redact(JSON.parse(text))) }
  } catch {
    // It looked like JSON and is text.
    return block
  }
}

function ofFault({ code, message, data }: RpcFault, secrets: readonly string[]): Failed {
  const details = { code, ...(data === undefined ? {} : { data: cleanValue(data, secrets) }) }
  return failed('upstream_error', cleanText(message, secrets).slice(0, EXCERPT_MAX), false, {
    details,
    saysUpstreamFailed: !CALLERS_FAULT.has(code),
  })
}

function ofError(error: unknown, { name }: Backend, timeoutMs: number, secrets: readonly string[]): Outcome {
  if (error instanceof UpstreamStatus) {
    const { status } = error
    const excerpt = error.excerpt === '' ? '(no content)' : cleanText(error.excerpt, secrets)
    return failed(
      'upstream_status',
      `HTTP ${status} from ${name}: ${excerpt}`,
      status >= 500 || status === 408 || status === 429,
      { status },
    )
  }
  if (!(error instanceof ExchangeError)) throw error
  const message = cleanText(error.message, secrets)
  switch (error.kind) {
    case 'timeout':
      return failed('timeout', `Timed out after ${timeoutMs} ms`, true)
    case 'too_large':
      return failed('response_too_large', message.replace('the answer exceeds', 'Response exceeds'), false)
    case 'bad_response':
      return failed('bad_response', `Bad response from ${name}: ${message}`, true)
    case 'cancelled':
      return failed('cancelled', 'Cancelled', false)
    case 'blocked':
      return { kind: 'refused', code: 'ssrf_blocked', text: `The address of "${name}" is not permitted.` }
    case 'network':
      return failed('network', `Could not reach ${name}: ${message}`, true)
  }
}
