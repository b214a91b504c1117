// Sends an upstream what is no call of a tool (resources, prompts, completion, logging, the handshake, streams) and answers as it does.

import { type Connection, type UpstreamInfo, UpstreamStatus } from '../../../mcp/connection.ts'
import { isRecord, LargeResult } from '../../../mcp/message.ts'
import type { Outcome, Succeeded } from '../../../outcome/outcome.ts'
import { fault, relayedFault, relayedOutcome } from '../../../outcome/relayed-result.ts'
import { relayedOutcomeBeside } from '../../../outcome/threads/index.ts'
import { TokenUnavailable } from '../../../registry/credentials.ts'
import { traceparentOf } from '../../../telemetry/trace.ts'
import { isModern } from '../../../upstream/streamable.ts'
import type { WithheldNow } from '../../../upstream/withheld.ts'
import type { RelayedRequest, Talk, ToolCall } from '../../call.ts'
import type { McpSender } from '../index.ts'
import { orTokenless, withoutToken } from '../without-token.ts'
import { untilAnswered } from './input-required.ts'
import { openStream } from './open-stream.ts'
import { guardedTalk, heldBack, noticesTo, ofError, progressTo, requestsTo, type SenderParts } from './send.ts'

type Request = Extract<RelayedRequest, { readonly kind: 'request' }>
type Context = Parameters<McpSender>[1]
export type RelaySender = (call: ToolCall, relayed: RelayedRequest, context: Context) => Promise<Outcome>

const FACTS_MS = 10_000
const ENVELOPE_DEPTH = 4
const METHOD_NOT_FOUND = -32_601
const DONE: Succeeded = { kind: 'ok', result: { content: [] }, relayed: {} }

/** The modern era sends the level with each request, and subscriptions with the stream. */
const KEPT_HERE: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])
export const isKeptHere = (facts: UpstreamInfo, method: string): boolean => isModern(facts) && KEPT_HERE.has(method)

export const declares = ({ capabilities }: UpstreamInfo, capability: string): boolean =>
  isRecord(capabilities[capability])

export function createRelaySender({ connections, settings, traced = false }: SenderParts): RelaySender {
  const { connectionOf, credential, withheldOf, onListChanged } = connections

  async function sent(call: ToolCall, relayed: RelayedRequest, context: Context, talk: Talk): Promise<Outcome> {
    const { backend, args } = call
    const found = await Promise.resolve(credential(call)).catch(orTokenless)
    if (found instanceof TokenUnavailable) return withoutToken(found, backend)
    const connection = connectionOf(backend, call.acting)
    const withheld = withheldOf(call)
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
          await connection.facts(factsMs, talk.conversation.era)
          return DONE
        case 'request': {
          const facts = await connection.facts(factsMs, talk.conversation.era)
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
      if (error instanceof UpstreamStatus && error.status === 403) call.acting?.challenged(error.challenge)
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
    const asked = { method: relayed.method, list: relayed.list }
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
          takesLarge: true,
          conversation: talk.conversation,
          logLevel: talk.logLevel,
          traceparent: traceparentOf(call.span, traced),
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
    const { answer } = settled
    if ('error' in answer) return relayedFault(answer.error, withheld())
    return answer.result instanceof LargeResult
      ? relayedOutcomeBeside(answer.result, backend.name, asked, withheld())
      : relayedOutcome(answer.result, backend.name, asked, withheld())
  }

  return async (call, relayed, context) => {
    const { talk } = call
    if (talk === undefined) throw new Error('A relayed request belongs to no client')
    const held = talk.inputs && (await heldBack(call, talk.inputs))
    return held ?? sent(call, relayed, context, talk)
  }
}

const lacking = ({ method }: Request): Outcome => fault(METHOD_NOT_FOUND, `Method not found: ${method}`, {})
