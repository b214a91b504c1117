// Streamable HTTP in both eras: stateless modern requests, or legacy ones in a few long-lived sessions.
import { ExchangeError } from '../net/exchange.ts'
import { MODERN } from '../surfaces/era.ts'
import { type Budget, createBudget } from './budget.ts'
import { type Ask, type Connection, type Facts, type Listening, type Self, UpstreamStatus } from './connection.ts'
import { discover, initialize, legacyHeaders, type Session } from './handshake.ts'
import { listenLegacy, listenModern } from './listen.ts'
import { type Answer, type Incoming, isRecord, type JsonRecord } from './message.ts'
import { cancelledText, legacyMeta, modernMeta, requestText } from './meta.ts'
import { modernHeaders } from './mirrored.ts'
import { createReplier } from './reply.ts'
import { createSlots, type Slot } from './slots.ts'
import { type Door, exchangeRpc, type Outgoing, type Received } from './wire.ts'

export type ConnectionParts = {
  readonly door: Door
  readonly streamDoor: Door
  readonly self: Self
  readonly mostSessions: number
  /** Monotonic. */
  readonly now: () => number
  readonly wallClock: () => number
}

/** What was learned of an upstream's era stays true for this long without asking again. */
const FRESH_MS = 60_000
const NOTICE_MS = 2_000
const MOST_TURNS = 4
const HANDSHAKE_MS = 15_000
const NOTICE_MAX_BYTES = 1_048_576
const NOTICE_DEPTH = 64
const MOST_RESUMES = 16

/** Whether a session is gone. Old servers say so with a 400 that names no request. */
function isLost({ status, answer, unread }: Received): boolean {
  const code = answer && 'error' in answer ? answer.error.code : undefined
  if (status === 404) return unread || code !== -32_601
  return status === 400 && unread && code === -32_000
}

/** Whether an upstream that was modern speaks as if it no longer were: it did not read the request at all. */
function isDoubtful({ status, answer, unread }: Received): boolean {
  if (status !== 400 && status !== 404 && status !== 405) return false
  return answer === undefined || unread || ('error' in answer && answer.error.code === -32_022)
}

function answerOf({ answer, status, excerpt }: Received): Answer {
  if (answer === undefined) throw new UpstreamStatus(status, excerpt)
  return answer
}

export function createStreamable({
  door,
  streamDoor,
  self,
  mostSessions,
  now,
  wallClock,
}: ConnectionParts): Connection {
  const slots = createSlots<Session>(mostSessions)
  let lastId = 0
  const nextId = (): number => (lastId += 1)
  const greeting = { door, self, nextId, wallClock }
  let met: { readonly modern: boolean; readonly facts: Facts; readonly atMs: number } | undefined
  let asking: Promise<Facts | undefined> | undefined

  /** Meets the upstream for this slot. Undefined: it is modern, and needs no session. */
  async function meet(): Promise<Session | undefined> {
    const recent = met !== undefined && now() - met.atMs < FRESH_MS
    if (!recent) {
      asking ??= discover(greeting).finally(() => {
        asking = undefined
      })
      const facts = await asking
      if (facts) {
        met = { modern: true, facts, atMs: now() }
        return undefined
      }
    }
    const session = await initialize(greeting)
    if (!recent) met = { modern: false, facts: session.facts, atMs: now() }
    return session
  }

  /** One handshake at a time for a slot, whoever waits for it. */
  function open(slot: Slot<Session>): Promise<Session | undefined> {
    slot.opening ??= meet()
      .then((session) => {
        slot.session = session
        return session
      })
      .finally(() => {
        slot.opening = undefined
      })
    return slot.opening
  }

  const post = (session: Session, text: string, remainingMs: () => number): Promise<Received> =>
    exchangeRpc(door, {
      method: 'POST',
      headers: legacyHeaders(session),
      body: text,
      remainingMs,
      maxBytes: NOTICE_MAX_BYTES,
      maxDepth: NOTICE_DEPTH,
    })

  /** What comes on the stream of a request before its answer. */
  function listener(ask: Ask, token: number, onRequest: (message: Incoming & { kind: 'request' }) => void) {
    return (message: Incoming): void => {
      if (message.kind === 'request') onRequest(message)
      else if (message.kind === 'notification') {
        const { method, params } = message
        if (method !== 'notifications/progress') ask.onNotification?.(method, params)
        else if (params.progressToken === token) ask.onProgress?.(params)
      }
    }
  }

  /** The part of a request that both eras share. */
  function outgoing(ask: Ask, id: number, meta: JsonRecord, budget: Budget): Omit<Outgoing, 'headers'> {
    return {
      method: 'POST',
      body: requestText(ask, id, meta),
      expects: id,
      remainingMs: budget.remainingMs,
      maxBytes: ask.maxBytes,
      maxDepth: ask.maxDepth,
      onStart: budget.arm,
    }
  }

  const trace = ({ traceparent }: Ask): Readonly<Record<string, string>> =>
    traceparent === undefined ? {} : { traceparent }

  function askModern(ask: Ask, budget: Budget): Promise<Received> {
    const id = nextId()
    return exchangeRpc(door, {
      ...outgoing(ask, id, modernMeta(self, ask.params._meta), budget),
      headers: { ...modernHeaders(ask.method, ask.params), ...ask.headers, ...trace(ask) },
      // This era has no requests to the client: an `input_required` result stands for them.
      onMessage: listener(ask, id, () => undefined),
    })
  }

  async function askLegacy(ask: Ask, session: Session, budget: Budget): Promise<Received> {
    const id = nextId()
    const reply = createReplier((text) => post(session, text, () => NOTICE_MS), ask.onServerRequest)
    const headers = { ...legacyHeaders(session), ...trace(ask) }
    const onMessage = listener(ask, id, reply)
    try {
      const first = await exchangeRpc(door, {
        ...outgoing(ask, id, legacyMeta(ask.params._meta), budget),
        headers,
        onMessage,
      })
      return await resumed(first, ask, { id, headers, onMessage, budget })
    } catch (error) {
      if (error instanceof ExchangeError && (error.kind === 'cancelled' || error.kind === 'timeout'))
        // Nobody waits for whether the news arrives.
        post(session, cancelledText(id, error.kind), () => NOTICE_MS).catch(() => undefined)
      throw error
    }
  }

  /** A server may end the stream and have its client come back for the answer. */
  async function resumed(
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
      received = await exchangeRpc(door, {
        method: 'GET',
        headers: { ...parts.headers, accept: 'text/event-stream', 'last-event-id': lastEventId },
        expects: parts.id,
        remainingMs: parts.budget.remainingMs,
        maxBytes: ask.maxBytes,
        maxDepth: ask.maxDepth,
        onStart: parts.budget.arm,
        onMessage: parts.onMessage,
      })
    }
    return received
  }

  async function request(ask: Ask): Promise<Answer> {
    const budget = createBudget(ask.timeoutMs, now, ask.onStart)
    const slot = slots.of(ask.affinity)
    let resent = false
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      if (met?.modern) {
        const asked = met
        const received = await askModern(ask, budget)
        if (resent || !isDoubtful(received) || now() - asked.atMs < FRESH_MS) return answerOf(received)
        if (met === asked) met = undefined
        await budget.within(open(slot))
        if (met?.modern) return answerOf(received)
        resent = true
      } else {
        const session = slot.session ?? (await budget.within(open(slot)))
        if (session === undefined) continue
        const received = await askLegacy(ask, session, budget)
        if (session.id === undefined || !isLost(received)) return answerOf(received)
        // The request was refused unread, so it may be sent once more, in a new session.
        if (slot.session === session) slot.session = undefined
        if (resent) return answerOf(received)
        resent = true
      }
    }
    throw new ExchangeError('bad_response', 'it keeps changing the revision it speaks')
  }

  async function facts(timeoutMs: number): Promise<Facts> {
    if (met === undefined) await createBudget(timeoutMs, now).within(open(slots.of(undefined)))
    if (met === undefined) throw new ExchangeError('bad_response', 'it could not be met')
    return met.facts
  }

  async function listen(onListChanged: () => void, onOpen: (end: () => void) => void): Promise<Listening> {
    const { capabilities } = await facts(HANDSHAKE_MS)
    if (!isRecord(capabilities.tools) || capabilities.tools.listChanged !== true) return 'unsupported'
    const hearing = { door: streamDoor, onListChanged, onOpen }
    if (met?.modern) return listenModern(hearing, nextId(), modernMeta(self, undefined))
    const slot = slots.of(undefined)
    const session = slot.session ?? (await open(slot))
    if (session === undefined) return 'ended'
    const reply = createReplier((text) => post(session, text, () => NOTICE_MS), undefined)
    const heard = await listenLegacy(hearing, session, reply)
    if (heard !== 'lost') return heard
    if (session.id !== undefined && slot.session === session) slot.session = undefined
    return session.id === undefined ? 'unsupported' : 'ended'
  }

  async function close(): Promise<void> {
    const open = slots.all().flatMap(({ session }) => (session?.id === undefined ? [] : [session]))
    for (const slot of slots.all()) slot.session = undefined
    await Promise.all(
      open.map((session) =>
        exchangeRpc(door, {
          method: 'DELETE',
          headers: legacyHeaders(session),
          remainingMs: () => NOTICE_MS,
          maxBytes: NOTICE_MAX_BYTES,
          maxDepth: NOTICE_DEPTH,
          // A courtesy: an upstream that is gone, or does not know the method, has nothing to end.
        }).catch(() => undefined),
      ),
    )
  }

  return { request, facts, listen, close }
}

export const isModern = ({ revision }: Facts): boolean => revision === MODERN
