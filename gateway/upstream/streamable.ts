// Streamable HTTP in both eras: stateless modern requests, or legacy ones in a few long-lived sessions.

import {
  type Ask,
  type Connection,
  changedList,
  type Hearing,
  LISTS,
  type Listening,
  type ListKind,
  type Self,
  type UpstreamInfo,
  UpstreamStatus,
} from '../mcp/connection.ts'
import { type Era, MODERN } from '../mcp/era.ts'
import { type Answer, isRecord } from '../mcp/message.ts'
import { modernMeta, noticeText } from '../mcp/request-meta.ts'
import { ExchangeError } from '../net/exchange.ts'
import type { Clock } from '../telemetry/clock.ts'
import { type Budget, createBudget } from './budget.ts'
import { createEras, type EraSetting, FRESH_MS } from './eras.ts'
import type { UpstreamSession } from './handshake.ts'
import { listenLegacy, listenModern } from './listen.ts'
import { createReplier, type Replier } from './reply.ts'
import { createRequests } from './requests.ts'
import { createSlots, OWN_LEGACY, type Slot } from './slots.ts'
import type { Door, Received } from './wire.ts'

export type ConnectionParts = {
  readonly door: Door
  /** For what may stay open for long: streams, and calls whose client may be asked something. */
  readonly patientDoor: Door
  readonly self: Self
  readonly era: EraSetting
  readonly mostSessions: number
  /** Monotonic. */
  readonly monotonic: () => number
  readonly clock: Clock
}

const MOST_TURNS = 4
const HANDSHAKE_MS = 15_000
/** What the clients of one request may take altogether to answer what they are asked. */
export const PATIENCE_MS = 600_000

/** Whether a session is gone. Old servers report that with a 400 that names no request. */
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

function answerOf(received: Received): Answer {
  if (received.answer === undefined) throw new UpstreamStatus(received)
  return received.answer
}

export function createStreamable({
  door,
  patientDoor,
  self,
  era: setting,
  mostSessions,
  monotonic,
  clock,
}: ConnectionParts): Connection {
  let lastId = 0
  const nextId = (): number => (lastId += 1)
  const requests = createRequests({ door, patientDoor, self, nextId, monotonic })
  const slots = createSlots<UpstreamSession>(mostSessions, (slot) => void requests.end(slot))
  const eras = createEras(setting, { door, self, nextId, clock }, monotonic)

  /** One handshake at a time for a slot, for all that wait for it. */
  function open(slot: Slot<UpstreamSession>): Promise<UpstreamSession | undefined> {
    slot.opening ??= eras
      .open(slot.conversation.era, slot.conversation.capabilities)
      .then((session) => {
        slot.session = session
        slot.logLevel = undefined
        return session
      })
      .finally(() => {
        slot.opening = undefined
      })
    return slot.opening
  }

  const goesWithoutSession = ({ session, conversation }: Slot<UpstreamSession>): boolean =>
    session === undefined && eras.isModernFor(conversation.era)

  async function request(asked: Ask): Promise<Answer> {
    const slot = slots.of(asked.conversation)
    // In the modern era an upstream asks by its answer, and does not wait.
    const patient = asked.onServerRequest !== undefined && !goesWithoutSession(slot)
    const budget = createBudget(asked.timeoutMs, monotonic, {
      onStart: asked.onStart,
      ...(patient ? { patienceMs: PATIENCE_MS } : {}),
    })
    slot.busy += 1
    try {
      return await turns(asked, slot, budget)
    } catch (error) {
      throw budget.verdict(error)
    } finally {
      slot.busy -= 1
      budget.end()
    }
  }

  async function turns(asked: Ask, slot: Slot<UpstreamSession>, budget: Budget): Promise<Answer> {
    let resent = false
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      if (goesWithoutSession(slot)) {
        const learnedAtMs = eras.learnedAtMs()
        const received = await requests.modern(asked, budget)
        if (resent || !isDoubtful(received) || monotonic() - learnedAtMs < FRESH_MS) return answerOf(received)
        eras.forget(learnedAtMs)
        await budget.within(open(slot))
        if (goesWithoutSession(slot)) return answerOf(received)
        resent = true
      } else {
        const session = slot.session ?? (await budget.within(open(slot)))
        if (session === undefined) continue
        const received = await requests.legacy(asked, slot, session, budget)
        if (session.id === undefined || !isLost(received)) return answerOf(received)
        // The request was refused unread, so it may be sent once more, in a new session.
        if (slot.session === session) slot.session = undefined
        if (resent) return answerOf(received)
        resent = true
      }
    }
    throw new ExchangeError('bad_response', 'it keeps changing the revision it speaks')
  }

  async function facts(timeoutMs: number, era?: Era): Promise<UpstreamInfo> {
    const budget = createBudget(timeoutMs, monotonic)
    if (eras.known(era) === undefined) await budget.within(open(slots.of(undefined)))
    // An upstream of both eras was met in the modern one.
    if (eras.known(era) === undefined) await budget.within(open(slots.of(OWN_LEGACY)))
    const known = eras.known(era)
    if (known === undefined) throw new ExchangeError('bad_response', 'it could not be met')
    return known
  }

  async function listen(
    onListChanged: (kind: ListKind) => void,
    onStart: (end: () => void) => void,
  ): Promise<Listening> {
    const { capabilities } = await facts(HANDSHAKE_MS)
    const kinds = LISTS.filter((kind) => {
      const declared = capabilities[kind]
      return isRecord(declared) && declared.listChanged === true
    })
    if (kinds.length === 0) return 'unsupported'
    const onNotification = (method: string): void => {
      const kind = changedList(method)
      if (kind) onListChanged(kind)
    }
    if (eras.isModernFor(undefined)) {
      const notifications = Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true]))
      return listenModern({ door: patientDoor, onNotification, onStart }, nextId(), notifications, modernMeta(self, {}))
    }
    return inSession(slots.of(undefined), undefined, { door: patientDoor, onNotification, onStart })
  }

  /** One life of the stream of a session. */
  async function inSession(
    slot: Slot<UpstreamSession>,
    handle: Hearing['onServerRequest'] | undefined,
    parts: Omit<Parameters<typeof listenLegacy>[0], 'reply'>,
    begin?: (session: UpstreamSession) => Promise<void>,
  ): Promise<Listening> {
    slot.busy += 1
    let reply: Replier | undefined
    try {
      const session = slot.session ?? (await open(slot))
      if (session === undefined) return 'ended'
      await begin?.(session)
      reply = createReplier({ post: (text) => requests.post(session, text), handle, monotonic })
      const events = await listenLegacy({ ...parts, reply }, session)
      if (events !== 'lost') return events
      if (session.id !== undefined && slot.session === session) slot.session = undefined
      return session.id === undefined ? 'unsupported' : 'ended'
    } finally {
      slot.busy -= 1
      reply?.end()
    }
  }

  async function hear({
    conversation,
    resources,
    onNotification,
    onServerRequest,
    onStart,
    onOpen,
  }: Hearing): Promise<Listening> {
    await facts(HANDSHAKE_MS, conversation.era)
    const parts = { door: patientDoor, onNotification, onStart, onOpen }
    if (eras.isModernFor(conversation.era)) {
      // Changed lists are received for all callers at once; of this client's own there are its resources.
      if (resources.length === 0) return 'unsupported'
      return listenModern(parts, nextId(), { resourceSubscriptions: resources }, modernMeta(self, { conversation }))
    }
    return inSession(slots.of(conversation), onServerRequest, parts, async (session) => {
      for (const uri of resources) await requests.own(session, 'resources/subscribe', { uri }, () => HANDSHAKE_MS)
    })
  }

  return {
    request,
    facts,
    known: eras.known,
    listen,
    hear,
    notify({ key }, method, params) {
      const session = slots.get(key)?.session
      if (session) requests.deliver(session, noticeText(method, params))
    },
    leave(key) {
      const slot = slots.drop(key)
      if (slot) void requests.end(slot)
    },
    async close() {
      const all = slots.all()
      for (const { conversation } of all) slots.drop(conversation.key)
      await Promise.all(all.map(requests.end))
    },
  }
}

export const isModern = ({ revision }: UpstreamInfo): boolean => revision === MODERN
