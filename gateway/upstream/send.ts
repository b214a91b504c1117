// Calls a tool of an MCP upstream once, and turns whatever comes back into an outcome that is safe to hand on.
import { ExchangeError } from '../net/exchange.ts'
import { inputGuardrails } from '../pipeline/2-guardrails/index.ts'
import { cleanText, cleanValue } from '../pipeline/5-dispatch/clean.ts'
import type { McpSender } from '../pipeline/5-dispatch/index.ts'
import { type Prepared, prepared } from '../pipeline/5-dispatch/prepared.ts'
import { NO_ROOM_NOW } from '../pipeline/5-dispatch/send-http.ts'
import { couldNotReach } from '../pipeline/5-dispatch/unreachable.ts'
import { orTokenless, withoutToken } from '../pipeline/5-dispatch/without-token.ts'
import type { CallToolResult, Failed, Outcome, Refused, Talk, ToolCall } from '../pipeline/call.ts'
import { failed } from '../pipeline/failed.ts'
import type { Backend, Registry } from '../registry/backend.ts'
import { TokenUnavailable } from '../registry/credentials.ts'
import { META_SERVER } from '../surfaces/era.ts'
import { formatTraceparent } from '../telemetry/trace.ts'
import { checkAsked, refusedAsk } from './asked.ts'
import { type Connection, changedList, type Inputs, type ListKind, UpstreamStatus } from './connection.ts'
import { untilAnswered } from './input-required.ts'
import { type Answer, isRecord, type JsonRecord, type RpcFault } from './message.ts'
import { paramHeaders } from './mirrored.ts'

export type SenderParts = {
  readonly connectionOf: (backend: Backend) => Connection
  readonly credential: Registry['credential']
  readonly settings: { readonly MAX_RESPONSE_BYTES: number; readonly MAX_JSON_DEPTH: number }
  /** Some upstreams tell of it only where it was brought about. */
  readonly onListChanged: (client: string, kind: ListKind) => void
}

/** `result`, the message and the list around the blocks. */
const ENVELOPE_DEPTH = 3
const EXCERPT_MAX = 8_192
const PROGRESS_TEXT_MAX = 1_024
/** Errors that say something about the call, not about the upstream. */
const CALLERS_FAULT: ReadonlySet<number> = new Set([-32_602, -32_601, -32_021, -32_042])

const NONE: readonly string[] = []

/** Nobody can be asked in it, and nobody else shares its session. */
const mute = ({ sessionHash, caller }: ToolCall) => ({ key: `${sessionHash ?? caller.name}|`, capabilities: {} })

export function createMcpSender({ connectionOf, credential, settings, onListChanged }: SenderParts): McpSender {
  const secretsOf = ({ name }: Backend): readonly string[] | Promise<readonly string[]> => {
    const known = credential(name)
    return known instanceof Promise ? known.then((given) => given?.secrets ?? NONE) : (known?.secrets ?? NONE)
  }
  // Fetched while the call was under way or not at all: then there is nothing new that could come back.
  const laterSecrets = (
    backend: Backend,
    before: readonly string[],
  ): readonly string[] | Promise<readonly string[]> => {
    const later = secretsOf(backend)
    return later instanceof Promise ? later.catch((error: unknown) => (orTokenless(error), before)) : later
  }

  return async function send(call, { timeoutMs, onStart, account }) {
    const { backend, tool, talk } = call
    const name = tool.definition.mcp?.name ?? tool.definition.sourceName
    const first = secretsOf(backend)
    const before = first instanceof Promise ? await first.catch(orTokenless) : first
    if (before instanceof TokenUnavailable) return withoutToken(before, backend)
    const settle = async (outcomeOf: (secrets: readonly string[]) => Outcome): Promise<Outcome> => {
      const last = laterSecrets(backend, before)
      const after = last instanceof Promise ? await last : last
      // A token may have been replaced on the way; neither may come back.
      return outcomeOf(after === before ? before : [...new Set([...before, ...after])])
    }
    const guarded = talk && guardedTalk(call, talk)
    const request = (inputs: Inputs | undefined): Promise<Answer> =>
      connectionOf(backend).request({
        method: 'tools/call',
        params: { name, arguments: call.args, ...(call.meta === undefined ? {} : { _meta: call.meta }) },
        inputs,
        timeoutMs,
        maxBytes: settings.MAX_RESPONSE_BYTES,
        maxDepth: settings.MAX_JSON_DEPTH + ENVELOPE_DEPTH,
        account,
        conversation: talk?.conversation ?? mute(call),
        logLevel: talk?.logLevel,
        headers: paramHeaders(tool.definition.inputSchema, call.args),
        traceparent: formatTraceparent(call.span),
        onStart,
        onProgress: progressTo(call, before),
        onNotification: noticesTo(talk, before, (kind) => onListChanged(backend.name, kind)),
        onServerRequest: requestsTo(guarded, before),
      })
    const held = talk?.inputs && (await heldBack(call, talk.inputs))
    if (held) return held
    try {
      const settled = await untilAnswered(backend.name, guarded, before, request, onStart)
      if ('failure' in settled) return settled.failure
      if ('asked' in settled) return { kind: 'ok', result: { content: [] }, asks: settled.asked }
      const { answer } = settled
      return await settle((secrets) =>
        'error' in answer
          ? ofFault(answer.error, talk, secrets)
          : ofResult(answer.result, backend, secrets, prepared(tool, settings.MAX_RESPONSE_BYTES)),
      )
    } catch (error) {
      return settle((secrets) => ofError(error, backend, timeoutMs, secrets))
    }
  }
}

/** What a client gives in between is looked at as its arguments were. */
async function heldBack(call: ToolCall, given: unknown): Promise<Refused | undefined> {
  return inputGuardrails(call.tool.config.guardrails)?.({ ...call, args: { given } })
}

function guardedTalk(call: ToolCall, talk: Talk): Talk {
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
export function requestsTo(talk: Talk | undefined, secrets: readonly string[]): Talk['ask'] | undefined {
  if (!talk || Object.keys(talk.conversation.capabilities).length === 0) return undefined
  const { ask, conversation } = talk
  return async (method, params, onCancel) => {
    const checked = checkAsked(method, params, conversation.capabilities, secrets)
    return 'params' in checked ? ask(method, checked.params, onCancel) : refusedAsk(checked)
  }
}

/** What an upstream tells meanwhile. */
export function noticesTo(
  talk: Talk | undefined,
  secrets: readonly string[],
  onListChanged: (kind: ListKind) => void,
): (method: string, params: JsonRecord) => void {
  return (method, params) => {
    const kind = changedList(method)
    if (kind !== undefined) onListChanged(kind)
    // Our own list of tools is told of when it has changed.
    // A record stays one: only its strings are cleaned.
    if (kind !== 'tools') talk?.tell(method, cleanValue(params, secrets) as JsonRecord)
  }
}

/** Upstream progress, cleaned, for whoever follows it. */
export function progressTo(
  { onProgress }: Pick<ToolCall, 'onProgress'>,
  secrets: readonly string[],
): ((params: JsonRecord) => void) | undefined {
  if (!onProgress) return undefined
  return ({ progress, total, message }) => {
    if (typeof progress !== 'number') return
    const text = typeof message === 'string' ? cleanText(message, secrets).slice(0, PROGRESS_TEXT_MAX) : undefined
    onProgress(progress, typeof total === 'number' ? total : undefined, text)
  }
}

type Shaping = Pick<Prepared, 'redact' | 'transform'>

function ofResult(value: unknown, { name }: Backend, secrets: readonly string[], shaping: Shaping): Outcome {
  const given = isRecord(value) ? value : undefined
  const blocks = given?.content ?? []
  if (!given || !Array.isArray(blocks) || !blocks.every(isRecord))
    return failed('bad_response', `Bad response from ${name}: it is not the result of a tool`, true)
  const shown = shaped({ ...given, content: blocks }, shaping)
  // What it is by the checks above; all else in it is the upstream's own and travels along.
  const result = cleanValue(withoutHop(shown), secrets) as CallToolResult
  if (result.isError !== true) return { kind: 'ok', result }
  const text = result.content.find((block) => typeof block.text === 'string')?.text
  return failed('upstream_error', typeof text === 'string' ? text.slice(0, EXCERPT_MAX) : 'The tool failed', false, {
    result,
  })
}

/** Changed where it says that it worked, and redacted whatever it says. */
function shaped<T extends { readonly content: readonly JsonRecord[] }>(given: T, { redact, ...rest }: Shaping): T {
  const transform = 'isError' in given && given.isError === true ? undefined : rest.transform
  if (!redact && !transform) return given
  const rewrite = (value: unknown): unknown => {
    const changed = transform ? transform(value) : value
    return redact ? redact(changed) : changed
  }
  const concerns = (text: string): boolean => transform !== undefined || redact?.mayConcern(text) === true
  const content = given.content.map((block) => rewritten(block, rewrite, concerns))
  return 'structuredContent' in given
    ? { ...given, content, structuredContent: rewrite(given.structuredContent) }
    : { ...given, content }
}

/** A text block that is JSON is rewritten as what it says. */
function rewritten(
  block: JsonRecord,
  rewrite: (value: unknown) => unknown,
  concerns: (text: string) => boolean,
): JsonRecord {
  const { text } = block
  const first = typeof text === 'string' ? text.trimStart()[0] : undefined
  if (typeof text !== 'string' || (first !== '{' && first !== '[') || !concerns(text)) return block
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // It looked like JSON and is text.
    return block
  }
  return { ...block, text: JSON.stringify(rewrite(value)) }
}

/** True of its own hop only: what a modern upstream says of itself in every result. What is ours to say, nobody else says. */
const isOfTheHop = (key: string): boolean => key === META_SERVER || key.startsWith('gantry/')

export function withoutHop<T extends JsonRecord>(result: T): JsonRecord {
  const { resultType: _complete, ...rest } = result
  if (!isRecord(rest._meta) || !Object.keys(rest._meta).some(isOfTheHop)) return rest
  const meta = Object.entries(rest._meta).filter(([key]) => !isOfTheHop(key))
  const { _meta, ...bare } = rest
  return meta.length > 0 ? { ...bare, _meta: Object.fromEntries(meta) } : bare
}

function ofFault({ code, message, data }: RpcFault, talk: Talk | undefined, secrets: readonly string[]): Failed {
  const clean = data === undefined ? undefined : cleanValue(data, secrets)
  const details = { code, ...(clean === undefined ? {} : { data: clean }) }
  const rpc = ofProtocol(code, isRecord(clean) ? clean : {}, talk)
  const text = cleanText(message, secrets).slice(0, EXCERPT_MAX)
  return failed('upstream_error', text, false, {
    details,
    saysUpstreamFailed: !CALLERS_FAULT.has(code),
    ...(rpc ? { rpc } : {}),
  })
}

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
    (each) => isRecord(each) && 'params' in checkAsked('elicitation/create', each, conversation.capabilities, []),
  )
  return safe ? { code, data: { elicitations: data.elicitations } } : undefined
}

export function ofError(
  error: unknown,
  backend: Backend,
  timeoutMs: number,
  secrets: readonly string[],
): Failed | Refused {
  const { name } = backend
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
  if (error instanceof TokenUnavailable) return withoutToken(error, backend)
  if (!(error instanceof ExchangeError)) throw error
  const message = cleanText(error.message, secrets)
  switch (error.kind) {
    case 'timeout':
      return failed('timeout', `Timed out after ${timeoutMs} ms`, true)
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
      return failed('network', couldNotReach(backend, message), true)
  }
}
