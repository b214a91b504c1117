// The transport of 2024-11-05, for one client: an event stream that first names where to POST, then carries the answer to everything.

import {
  type Ask,
  type Hearing,
  type OnServerRequest,
  type ServerAnswer,
  type UpstreamInfo,
  UpstreamStatus,
} from '../mcp/connection.ts'
import { type Answer, type Incoming, type JsonRecord, LargeResult } from '../mcp/message.ts'
import { cancelledText, legacyMeta, noticeText, requestText } from '../mcp/request-meta.ts'
import { ExchangeError, NO_ROOM } from '../net/exchange.ts'
import { parseExact } from '../text/exact-json.ts'
import { type Budget, createBudget } from './budget.ts'
import { initializeParams, legacyHeaders, readInitialized, refusedHandshake } from './handshake.ts'
import { createReplier } from './reply.ts'
import { type ConnectionParts, PATIENCE_MS } from './streamable.ts'
import { exchangeRpc, READ_FACTOR } from './wire.ts'

type Notice = Incoming & { readonly kind: 'notification' }
type Pending = {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
  readonly ask: Ask | undefined
  readonly hold: () => () => void
}

/** One life of the event stream. */
type Stream = {
  /** Path and query to POST to, as soon as the upstream names it. */
  readonly path: Promise<string>
  headers: Readonly<Record<string, string>>
  readonly pending: Map<number, Pending>
  readonly ended: Promise<void>
  readonly end: () => void
}
type Ready = { readonly stream: Stream; readonly path: string; readonly facts: UpstreamInfo }

const HANDSHAKE_MS = 10_000
const NOTICE_MS = 2_000
const POST_ANSWER_BYTES = 65_536
const DEPTH = 256
const MOST_EXPECTED = 1_048_576
/** The longest a timer can wait; the stream has no other reason to end. */
const STREAM_LIFE_MS = 2_147_483_647
const ACCEPT = { accept: 'application/json, text/event-stream' }

/** Where messages go. It may not lead away from the origin that was vetted. */
function endpointOf(text: string, base: URL): string {
  if (!URL.canParse(text, base.href)) throw new ExchangeError('bad_response', 'its endpoint event holds no URL')
  const url = new URL(text, base)
  if (url.origin !== base.origin) throw new ExchangeError('bad_response', 'its endpoint is on another server')
  return url.pathname + url.search
}

/** For those that expect no large result. */
export function readHere({ json }: LargeResult, { resolve, reject }: Pending): void {
  if (json.length > MOST_EXPECTED) reject(new ExchangeError('too_large', 'the answer exceeds the limit of 1 MiB'))
  else resolve({ result: parseExact(Buffer.from(json).toString()) })
}

export type SseParts = ConnectionParts & { readonly maxEventBytes: number }

/** One client's life with such an upstream. */
export type SseSession = {
  request(ask: Ask): Promise<Answer>
  notify(method: string, params: JsonRecord): void
  facts(timeoutMs: number): Promise<UpstreamInfo>
  /** Until the stream ends, or is no longer listened to. */
  known(): UpstreamInfo | undefined
  hear(listener: Pick<Hearing, 'onNotification' | 'onStart'> & Partial<Hearing>): Promise<void>
  close(): void
}

export function createSseSession(parts: SseParts, capabilities: JsonRecord): SseSession {
  const { door, patientDoor, self, monotonic, clock, maxEventBytes } = parts
  let lastId = 0
  let current: Ready | undefined
  let opening: Promise<Ready> | undefined
  let hearing: Parameters<SseSession['hear']>[0] | undefined

  async function post(
    { path, headers }: { path: string; headers: Stream['headers'] },
    text: string,
    { remainingMs, arm }: Pick<Budget, 'remainingMs'> & Partial<Budget>,
  ): Promise<void> {
    const received = await exchangeRpc(door, {
      method: 'POST',
      path,
      headers,
      body: text,
      remainingMs,
      maxBytes: POST_ANSWER_BYTES,
      maxDepth: DEPTH,
      ...(arm ? { onStart: arm } : {}),
    })
    if (received.status >= 300) throw new UpstreamStatus(received)
  }

  function listen(): Stream {
    const base = new URL(door.path, door.pin.origin)
    const pending: Stream['pending'] = new Map()
    const endpoint = Promise.withResolvers<string>()
    const ended = Promise.withResolvers<void>()
    let cut: () => void = () => undefined
    const stream: Stream = { path: endpoint.promise, headers: ACCEPT, pending, ended: ended.promise, end: () => cut() }
    // Its opener waits for it, or has given up.
    endpoint.promise.catch(() => undefined)

    // Nothing on the stream says which request a message belongs to: it is taken for the latest one's.
    const latest = (): Ask | undefined => [...pending.values()].findLast(({ ask }) => ask !== undefined)?.ask
    const handle: OnServerRequest = async (method, params, onCancel): Promise<ServerAnswer> => {
      const answerer = latest()?.onServerRequest ?? hearing?.onServerRequest
      return answerer
        ? answerer(method, params, onCancel)
        : { error: { code: -32_601, message: `${method.slice(0, 128)} is not supported here` } }
    }
    const reply = createReplier({
      post: async (text) =>
        post({ path: await stream.path, headers: stream.headers }, text, { remainingMs: () => NOTICE_MS }),
      handle,
      monotonic,
      onAsk: () => {
        const held = [...pending.values()].map(({ hold }) => hold())
        return () => {
          for (const go of held) go()
        }
      },
    })
    const onNotice = ({ method, params }: Notice): void => {
      if (method === 'notifications/cancelled') reply.onCancelled(params)
      else if (method === 'notifications/progress') {
        const { progressToken } = params
        if (typeof progressToken === 'number') pending.get(progressToken)?.ask?.onProgress?.(params)
      } else (latest()?.onNotification ?? hearing?.onNotification)?.(method, params)
    }
    const onAnswer = (id: number, answer: Answer, bytes: number): void => {
      // An answer without a waiting call is late.
      const waiting = pending.get(id)
      if (waiting?.ask?.account?.take(bytes * READ_FACTOR) === false)
        waiting.reject(new ExchangeError('no_room', NO_ROOM))
      else if (waiting && 'result' in answer && answer.result instanceof LargeResult && !waiting.ask?.takesLarge)
        readHere(answer.result, waiting)
      else waiting?.resolve(answer)
    }
    const onMessage = (message: Incoming, bytes: number): void => {
      if (message.kind === 'request') reply.onRequest(message)
      else if (message.kind === 'notification') onNotice(message)
      else if (typeof message.id === 'number') onAnswer(message.id, message.answer, bytes)
    }
    const lost = (error: unknown): void => {
      if (current?.stream === stream) current = undefined
      endpoint.reject(error)
      reply.end()
      for (const { reject } of pending.values()) reject(error)
      ended.resolve()
    }
    exchangeRpc(patientDoor, {
      method: 'GET',
      headers: { accept: 'text/event-stream' },
      remainingMs: () => STREAM_LIFE_MS,
      maxBytes: Number.POSITIVE_INFINITY,
      maxEventBytes,
      maxDepth: DEPTH,
      takesLarge: true,
      onStart: (given) => {
        cut = given
      },
      onMessage,
      onEvent: ({ type, data }) => {
        if (type === 'endpoint') endpoint.resolve(endpointOf(data, base))
      },
    }).then((received) => {
      const over = new ExchangeError('network', 'the event stream ended')
      lost(received.status >= 300 ? new UpstreamStatus(received) : over)
    }, lost)
    return stream
  }

  /** Sends a request and waits for its answer on the stream. */
  async function ask(
    target: { stream: Stream; path: string },
    { id, text, asked, budget }: { id: number; text: string; asked?: Ask; budget: Budget },
  ): Promise<Answer> {
    const { pending, headers } = target.stream
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    // A refused POST leaves it unheard.
    promise.catch(() => undefined)
    pending.set(id, { resolve, reject, ask: asked, hold: budget.hold })
    try {
      await post({ path: target.path, headers }, text, budget)
      return await budget.within(promise)
    } finally {
      pending.delete(id)
    }
  }

  async function greet(): Promise<Ready> {
    const stream = listen()
    const budget = createBudget(HANDSHAKE_MS, monotonic)
    try {
      const path = await budget.within(stream.path)
      const id = (lastId += 1)
      const text = JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'initialize',
        params: initializeParams(self, capabilities),
      })
      const answer = await ask({ stream, path }, { id, text, budget })
      if ('error' in answer) throw await refusedHandshake(answer.error, door)
      const { revision, facts } = readInitialized(answer.result, clock)
      stream.headers = legacyHeaders({ id: undefined, revision })
      await post({ path, headers: stream.headers }, '{"jsonrpc":"2.0","method":"notifications/initialized"}', budget)
      current = { stream, path, facts }
      return current
    } catch (error) {
      stream.end()
      throw error
    }
  }

  function ready(): Promise<Ready> {
    opening ??= greet().finally(() => {
      opening = undefined
    })
    return opening
  }

  async function request(asked: Ask): Promise<Answer> {
    const budget = createBudget(asked.timeoutMs, monotonic, {
      onStart: asked.onStart,
      ...(asked.onServerRequest ? { patienceMs: PATIENCE_MS } : {}),
    })
    const id = (lastId += 1)
    let target: Ready | undefined
    try {
      target = current ?? (await budget.within(ready()))
      const text = requestText(asked, id, legacyMeta(asked.params._meta))
      return await ask(target, { id, text, asked, budget })
    } catch (given) {
      const error = budget.verdict(given)
      if (target && error instanceof ExchangeError && (error.kind === 'cancelled' || error.kind === 'timeout'))
        tell(target, cancelledText(id, error.kind))
      throw error
    } finally {
      budget.end()
    }
  }

  /** Whether the notification arrives is not awaited. */
  function tell({ path, stream }: Ready, text: string): void {
    post({ path, headers: stream.headers }, text, { remainingMs: () => NOTICE_MS }).catch(() => undefined)
  }

  return {
    request,
    notify(method, params) {
      if (current) tell(current, noticeText(method, params))
    },
    known: () => current?.facts,
    facts: async (timeoutMs) => (current ?? (await createBudget(timeoutMs, monotonic).within(ready()))).facts,
    async hear(listener) {
      const { stream } = current ?? (await ready())
      hearing = listener
      // The calls need the stream too, so no longer listening does not end it.
      listener.onOpen?.()
      await Promise.race([stream.ended, new Promise<void>((resolve) => listener.onStart(resolve))])
      if (hearing === listener) hearing = undefined
    },
    close() {
      current?.stream.end()
      // One that is just being opened ends as soon as it is.
      opening?.then(
        ({ stream }) => stream.end(),
        () => undefined,
      )
    },
  }
}
