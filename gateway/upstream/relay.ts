// Sends an upstream what is no call of a tool (resources, prompts, completion, logging, the handshake, streams) and answers as it does.
import type { McpSender } from '../pipeline/5-dispatch/index.ts'
import { orTokenless, withoutToken } from '../pipeline/5-dispatch/without-token.ts'
import type { CallToolResult, Outcome, RelayedRequest, Succeeded, Talk, ToolCall } from '../pipeline/call.ts'
import { failed } from '../pipeline/failed.ts'
import { TokenUnavailable } from '../registry/credentials.ts'
import { formatTraceparent } from '../telemetry/trace.ts'
import { cleanLabel, cleanText } from '../text/clean.ts'
import { foreignMetadata, foreignText, foreignValue, type Withheld, withoutCredential } from '../text/foreign-text.ts'
import type { Connection, Facts } from './connection.ts'
import { openStream } from './hear.ts'
import { safeIcons } from './icons.ts'
import { untilAnswered } from './input-required.ts'
import { type Answer, isRecord, type JsonRecord } from './message.ts'
import {
  guardedTalk,
  heldBack,
  noticesTo,
  ofError,
  progressTo,
  requestsTo,
  type SenderParts,
  withoutHop,
} from './send.ts'
import { isModern } from './streamable.ts'
import type { WithheldNow } from './withheld.ts'

type Request = Extract<RelayedRequest, { readonly kind: 'request' }>
type Context = Parameters<McpSender>[1]
export type RelaySender = (call: ToolCall, relayed: RelayedRequest, context: Context) => Promise<Outcome>

const FACTS_MS = 10_000
const ENVELOPE_DEPTH = 4
const MESSAGE_MAX = 1_024
const METHOD_NOT_FOUND = -32_601
const TEXTS: ReadonlySet<string> = new Set(['title', 'description'])
const DONE: Succeeded = { kind: 'ok', result: { content: [] }, relayed: {} }

/** The modern era sends the level with each request, and subscriptions with the stream. */
const KEPT_HERE: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])
export const isKeptHere = (facts: Facts, method: string): boolean => isModern(facts) && KEPT_HERE.has(method)

export const declares = ({ capabilities }: Facts, capability: string): boolean => isRecord(capabilities[capability])

export function createRelaySender({
  connectionOf,
  credential,
  withheldOf,
  settings,
  onListChanged,
}: SenderParts): RelaySender {
  async function sent(call: ToolCall, relayed: RelayedRequest, context: Context, talk: Talk): Promise<Outcome> {
    const { backend, args } = call
    const connection = connectionOf(backend)
    const found = await Promise.resolve(credential(backend.name)).catch(orTokenless)
    if (found instanceof TokenUnavailable) return withoutToken(found, backend)
    const withheld = withheldOf(backend.name)
    const factsMs = Math.min(FACTS_MS, context.timeoutMs)
    let waitedMs = factsMs
    try {
      switch (relayed.kind) {
        case 'notification':
          connection.notify(talk.conversation, relayed.method, args)
          return DONE
        case 'stream':
          return await openStream(relayed.stream, {
            connection,
            talk: guardedTalk(call, talk),
            withheld,
            onListChanged: (kind) => onListChanged(backend.name, kind),
          })
        case 'handshake':
          await connection.facts(factsMs)
          return DONE
        case 'request': {
          const facts = await connection.facts(factsMs)
          if (!declares(facts, relayed.capability)) return lacking(relayed)
          if (isKeptHere(facts, relayed.method)) return DONE
          waitedMs = context.timeoutMs
          return await request(call, relayed, {
            ...context,
            connection,
            talk: guardedTalk(call, talk),
            withheld,
          })
        }
      }
    } catch (error) {
      return ofError(error, backend, waitedMs, withheld())
    }
  }

  type Asking = Context & {
    readonly connection: Connection
    readonly talk: Talk
    readonly withheld: WithheldNow
  }

  async function request(call: ToolCall, relayed: Request, asking: Asking): Promise<Outcome> {
    const { backend } = call
    const { connection, talk, withheld, timeoutMs, account, onStart } = asking
    const settled = await untilAnswered(
      backend.name,
      talk,
      withheld,
      (inputs) =>
        connection.request({
          method: relayed.method,
          params: call.args,
          inputs,
          timeoutMs,
          maxBytes: settings.MAX_RESPONSE_BYTES,
          maxDepth: settings.MAX_JSON_DEPTH + ENVELOPE_DEPTH,
          conversation: talk.conversation,
          logLevel: talk.logLevel,
          traceparent: formatTraceparent(call.span),
          account,
          onStart,
          onProgress: progressTo(call, withheld),
          onNotification: noticesTo(talk, withheld, (kind) => onListChanged(backend.name, kind)),
          onServerRequest: requestsTo(talk, withheld),
        }),
      onStart,
    )
    if ('failure' in settled) return settled.failure
    if ('asked' in settled) return { kind: 'ok', result: { content: [] }, asks: settled.asked }
    return answered(settled.answer, relayed, backend.name, withheld())
  }

  return async (call, relayed, context) => {
    const { talk } = call
    if (talk === undefined) throw new Error('A relayed request belongs to no client')
    const held = talk.inputs && (await heldBack(call, talk.inputs))
    return held ?? sent(call, relayed, context, talk)
  }
}

/** An error that is answered says nothing bad about the upstream: servers use any code for what is not there. */
const fault = (code: number, text: string, data: JsonRecord): Outcome =>
  failed('upstream_error', text, false, { saysUpstreamFailed: false, rpc: { code, data } })

const lacking = ({ method }: Request): Outcome => fault(METHOD_NOT_FOUND, `Method not found: ${method}`, {})

function answered(answer: Answer, { method, list }: Request, upstream: string, withheld: Withheld): Outcome {
  if ('error' in answer) {
    const { code, message, data } = answer.error
    const clean = foreignValue(data, withheld)
    return fault(code, foreignText(message, withheld, MESSAGE_MAX), isRecord(clean) ? clean : {})
  }
  if (!isRecord(answer.result))
    return failed('bad_response', `Bad response from ${upstream}: its result is no object`, true)
  const own = withoutHop(answer.result)
  const shown = list === undefined ? own : { ...own, [list]: shownList(own[list], withheld) }
  const relayed = cleanResult(shown, method, withheld)
  return { kind: 'ok', result: { content: contentOf(relayed) }, relayed }
}

/** What a row measures and a capture previews: the resources that were read, the messages of a prompt. */
function contentOf({ contents, messages }: JsonRecord): CallToolResult['content'] {
  if (Array.isArray(contents)) return contents.filter(isRecord).map((resource) => ({ type: 'resource', resource }))
  if (Array.isArray(messages)) return messages.flatMap((each) => (isRecord(each) ? each.content : [])).filter(isRecord)
  return []
}

/** The contents of a resource are files: they pass as they are but for the credential. */
function cleanResult(result: JsonRecord, method: string, withheld: Withheld): JsonRecord {
  const { contents, ...rest } = result
  // A record stays one: only its strings are cleaned.
  if (method !== 'resources/read' || contents === undefined) return foreignValue(result, withheld) as JsonRecord
  return { ...(foreignValue(rest, withheld) as JsonRecord), contents: withoutCredential(contents, withheld) }
}

/** A resource has a URI or a template of one; a prompt and an argument have only their name. */
function keepsIdentifier({ uri, uriTemplate, name }: JsonRecord): boolean {
  const identifier = uri ?? uriTemplate ?? name
  return typeof identifier !== 'string' || cleanText(identifier) === identifier
}

/** Leaves out entries whose identifier would be listed in another spelling: the client could not ask for them. */
function shownList(value: unknown, withheld: Withheld): readonly unknown[] {
  if (!Array.isArray(value)) return []
  return value
    .filter(isRecord)
    .filter(keepsIdentifier)
    .map((entry) => shownEntry(entry, withheld))
}

function shownEntry(entry: JsonRecord, withheld: Withheld): JsonRecord {
  const isResource = entry.uri !== undefined || entry.uriTemplate !== undefined
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]: [string, unknown]) => {
      // The name of a prompt is its identifier.
      if (key === 'name' && isResource && typeof value === 'string')
        return [key, cleanLabel(foreignText(value, withheld))]
      if (TEXTS.has(key) && typeof value === 'string') return [key, foreignMetadata(value, withheld)]
      if (key === 'arguments' && Array.isArray(value)) return [key, shownList(value, withheld)]
      if (key === 'icons') return [key, safeIcons(value)]
      return [key, value]
    }),
  )
}
