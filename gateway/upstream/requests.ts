// The requests of Streamable HTTP, one exchange each: modern ones, legacy ones in a session, and notifications without an answer.

import type { Ask, Self } from '../mcp/connection.ts'
import { type Incoming, isRecord, type JsonRecord } from '../mcp/message.ts'
import { modernHeaders } from '../mcp/mirrored-headers.ts'
import { cancelledText, legacyMeta, modernMeta, requestText } from '../mcp/request-meta.ts'
import { ExchangeError } from '../net/exchange.ts'
import type { Budget } from './budget.ts'
import { legacyHeaders, type UpstreamSession } from './handshake.ts'
import { createReplier, type Replier } from './reply.ts'
import type { Slot } from './slots.ts'
import { type Door, exchangeRpc, type Outgoing, type Received } from './wire.ts'

type Parts = {
  readonly door: Door
  readonly patientDoor: Door
  readonly self: Self
  readonly nextId: () => number
  /** Monotonic. */
  readonly monotonic: () => number
}

export type Requests = {
  modern(ask: Ask, budget: Budget): Promise<Received>
  legacy(ask: Ask, slot: Slot<UpstreamSession>, session: UpstreamSession, budget: Budget): Promise<Received>
  /** A request of our own in a caller's session. */
  own(
    session: UpstreamSession,
    method: string,
    params: JsonRecord,
    remainingMs: () => number,
    arm?: Budget['arm'],
  ): Promise<Received>
  post(session: UpstreamSession, text: string): Promise<Received>
  /** Whether it arrives is not awaited. */
  deliver(session: UpstreamSession, text: string): void
  /** An unused session. Never rejects. */
  end(slot: Slot<UpstreamSession>): Promise<void>
}

const NOTICE_MS = 2_000
const NOTICE_MAX_BYTES = 1_048_576
const NOTICE_DEPTH = 64
const MOST_RESUMES = 16

export function createRequests({ door, patientDoor, self, nextId, monotonic }: Parts): Requests {
  const post = (session: UpstreamSession, text: string): Promise<Received> =>
    exchangeRpc(door, {
      method: 'POST',
      headers: legacyHeaders(session),
      body: text,
      remainingMs: () => NOTICE_MS,
      maxBytes: NOTICE_MAX_BYTES,
      maxDepth: NOTICE_DEPTH,
    })

  const deliver = (session: UpstreamSession, text: string): void => {
    // Nothing waits for whether the news arrives.
    post(session, text).catch(() => undefined)
  }

  /** An unused session. An upstream that is gone, or does not have the method, has nothing to end. */
  async function end({ session, opening }: Slot<UpstreamSession>): Promise<void> {
    const last = session ?? (await opening?.catch(() => undefined))
    if (last?.id === undefined) return
    await exchangeRpc(door, {
      method: 'DELETE',
      headers: legacyHeaders(last),
      remainingMs: () => NOTICE_MS,
      maxBytes: NOTICE_MAX_BYTES,
      maxDepth: NOTICE_DEPTH,
    }).catch(() => undefined)
  }

  /** What comes on the stream of a request before its answer. */
  function listener(ask: Ask, token: number, reply: (() => Replier) | undefined) {
    return (message: Incoming): void => {
      if (message.kind === 'request') reply?.().onRequest(message)
      else if (message.kind === 'notification') {
        const { method, params } = message
        if (method === 'notifications/cancelled') reply?.().onCancelled(params)
        else if (method !== 'notifications/progress') ask.onNotification?.(method, params)
        else if (params.progressToken === token) ask.onProgress?.(params)
      }
    }
  }

  /** The part of a request that both eras share. */
  function outgoing(ask: Ask, id: number, budget: Budget): Omit<Outgoing, 'headers' | 'body'> {
    return {
      method: 'POST',
      expects: id,
      remainingMs: budget.remainingMs,
      maxBytes: ask.maxBytes,
      maxDepth: ask.maxDepth,
      takesLarge: ask.takesLarge,
      account: ask.account,
      onStart: budget.arm,
    }
  }

  function askModern(ask: Ask, budget: Budget): Promise<Received> {
    const id = nextId()
    return exchangeRpc(door, {
      ...outgoing(ask, id, budget),
      body: requestText(ask, id, modernMeta(self, ask), ask.inputs),
      headers: {
        ...modernHeaders(ask.method, ask.params),
        ...ask.headers,
        ...(ask.traceparent !== undefined && { traceparent: ask.traceparent }),
      },
      // This era has no requests to the client: an `input_required` result stands for them.
      onMessage: listener(ask, id, undefined),
    })
  }

  async function askLegacy(
    ask: Ask,
    slot: Slot<UpstreamSession>,
    session: UpstreamSession,
    budget: Budget,
  ): Promise<Received> {
    const setting = setLevel(ask, slot, session, budget)
    if (setting) await setting
    const id = nextId()
    let replier: Replier | undefined
    // Few upstreams ask anything during a request.
    const reply = (): Replier =>
      (replier ??= createReplier({
        post: (text) => post(session, text),
        handle: ask.onServerRequest,
        onAsk: budget.hold,
        monotonic,
      }))
    const own = legacyHeaders(session)
    const headers = ask.traceparent === undefined ? own : { ...own, traceparent: ask.traceparent }
    const onMessage = listener(ask, id, reply)
    const through = ask.onServerRequest ? patientDoor : door
    try {
      const first = await exchangeRpc(through, {
        ...outgoing(ask, id, budget),
        body: requestText(ask, id, legacyMeta(ask.params._meta)),
        headers,
        onMessage,
      })
      return first.resume === undefined ? first : await resumed(through, first, ask, { id, headers, onMessage, budget })
    } catch (given) {
      const error = budget.verdict(given)
      if (error instanceof ExchangeError && (error.kind === 'cancelled' || error.kind === 'timeout'))
        deliver(session, cancelledText(id, error.kind))
      throw error
    } finally {
      replier?.end()
    }
  }

  /** Undefined where the level is set already. */
  function setLevel(
    { method, params, logLevel }: Ask,
    slot: Slot<UpstreamSession>,
    session: UpstreamSession,
    { remainingMs, arm }: Budget,
  ): Promise<Received> | undefined {
    if (method === 'logging/setLevel' && typeof params.level === 'string') slot.logLevel = params.level
    else if (logLevel !== undefined && slot.logLevel !== logLevel && isRecord(session.facts.capabilities.logging)) {
      slot.logLevel = logLevel
      return ask(session, 'logging/setLevel', { level: logLevel }, remainingMs, arm)
    }
    return undefined
  }

  /** A request of our own in a caller's session. Its answer is ignored. */
  function ask(
    session: UpstreamSession,
    method: string,
    params: JsonRecord,
    remainingMs: () => number,
    arm?: Budget['arm'],
  ): Promise<Received> {
    const id = nextId()
    return exchangeRpc(door, {
      method: 'POST',
      headers: legacyHeaders(session),
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      expects: id,
      remainingMs,
      maxBytes: NOTICE_MAX_BYTES,
      maxDepth: NOTICE_DEPTH,
      ...(arm ? { onStart: arm } : {}),
    })
  }

  /** A server may end the stream and have its client come back for the answer. */
  async function resumed(
    through: Door,
    first: Received,
    ask: Ask,
    parts: {
      id: number
      headers: Readonly<Record<string, string>>
      onMessage: (message: Incoming) => void
      budget: Budget
    },
  ): Promise<Received> {
    let received = first
    for (let count = 0; received.resume !== undefined; count += 1) {
      if (count === MOST_RESUMES) throw new ExchangeError('network', 'the stream kept ending before the answer')
      const { lastEventId, retryMs } = received.resume
      await parts.budget.within(new Promise((resolve) => setTimeout(resolve, retryMs)))
      received = await exchangeRpc(through, {
        method: 'GET',
        headers: { ...parts.headers, accept: 'text/event-stream', 'last-event-id': lastEventId },
        expects: parts.id,
        remainingMs: parts.budget.remainingMs,
        maxBytes: ask.maxBytes,
        maxDepth: ask.maxDepth,
        takesLarge: ask.takesLarge,
        account: ask.account,
        onStart: parts.budget.arm,
        onMessage: parts.onMessage,
      })
    }
    return received
  }

  return { modern: askModern, legacy: askLegacy, own: ask, post, deliver, end }
}
