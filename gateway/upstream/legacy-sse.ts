// The transport of 2024-11-05: one event stream that first names where to POST, then carries the answer to everything.
import { ExchangeError } from '../net/exchange.ts'
import { type Budget, createBudget } from './budget.ts'
import { type Ask, type Connection, type Facts, UpstreamStatus } from './connection.ts'
import { initializeParams, legacyHeaders, readInitialized, refusedHandshake } from './handshake.ts'
import type { Answer, Incoming } from './message.ts'
import { cancelledText, legacyMeta, requestText } from './meta.ts'
import { createReplier } from './reply.ts'
import type { ConnectionParts } from './streamable.ts'
import { exchangeRpc } from './wire.ts'

type Notice = Incoming & { readonly kind: 'notification' }
type Pending = {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
  readonly onNotice: ((notice: Notice) => void) | undefined
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
type Ready = { readonly stream: Stream; readonly path: string; readonly facts: Facts }

const HANDSHAKE_MS = 10_000
const NOTICE_MS = 2_000
const POST_ANSWER_BYTES = 65_536
const DEPTH = 256
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

export function createLegacySse(parts: ConnectionParts & { readonly maxEventBytes: number }): Connection {
  const { door, streamDoor, self, now, wallClock, maxEventBytes } = parts
  let lastId = 0
  let current: Ready | undefined
  let opening: Promise<Ready> | undefined
  const onListChanged = new Set<() => void>()

  async function post(
    { path, headers }: { path: string; headers: Stream['headers'] },
    text: string,
    { remainingMs, arm }: Pick<Budget, 'remainingMs'> & Partial<Budget>,
  ): Promise<void> {
    const { status, excerpt } = await exchangeRpc(door, {
      method: 'POST',
      path,
      headers,
      body: text,
      remainingMs,
      maxBytes: POST_ANSWER_BYTES,
      maxDepth: DEPTH,
      ...(arm ? { onStart: arm } : {}),
    })
    if (status >= 300) throw new UpstreamStatus(status, excerpt)
  }

  function listen(): Stream {
    const base = new URL(door.path, door.pin.origin)
    const pending: Stream['pending'] = new Map()
    const endpoint = Promise.withResolvers<string>()
    const ended = Promise.withResolvers<void>()
    let cut: () => void = () => undefined
    const stream: Stream = { path: endpoint.promise, headers: ACCEPT, pending, ended: ended.promise, end: () => cut() }
    // Whoever opened it waits for it, or has given up.
    endpoint.promise.catch(() => undefined)

    const reply = createReplier(
      async (text) =>
        post({ path: await stream.path, headers: stream.headers }, text, { remainingMs: () => NOTICE_MS }),
      undefined,
    )
    const onMessage = (message: Incoming): void => {
      if (message.kind === 'request') reply(message)
      else if (message.kind === 'response') {
        // An answer nobody waits for any more is a late one.
        if (typeof message.id === 'number') pending.get(message.id)?.resolve(message.answer)
      } else if (message.method === 'notifications/tools/list_changed') for (const tell of onListChanged) tell()
      else for (const { onNotice } of pending.values()) onNotice?.(message)
    }
    const lost = (error: unknown): void => {
      if (current?.stream === stream) current = undefined
      endpoint.reject(error)
      for (const { reject } of pending.values()) reject(error)
      ended.resolve()
    }
    exchangeRpc(streamDoor, {
      method: 'GET',
      headers: { accept: 'text/event-stream' },
      remainingMs: () => STREAM_LIFE_MS,
      maxBytes: Number.POSITIVE_INFINITY,
      maxEventBytes,
      maxDepth: DEPTH,
      onStart: (given) => {
        cut = given
      },
      onMessage,
      onEvent: ({ type, data }) => {
        if (type === 'endpoint') endpoint.resolve(endpointOf(data, base))
      },
    }).then(({ status, excerpt }) => {
      const over = new ExchangeError('network', 'the event stream ended')
      lost(status >= 300 ? new UpstreamStatus(status, excerpt) : over)
    }, lost)
    return stream
  }

  /** Sends a request and waits for its answer on the stream. */
  async function ask(
    target: { stream: Stream; path: string },
    { id, text, onNotice, budget }: { id: number; text: string; onNotice?: (notice: Notice) => void; budget: Budget },
  ): Promise<Answer> {
    const { pending, headers } = target.stream
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    // A refused POST leaves it unheard.
    promise.catch(() => undefined)
    pending.set(id, { resolve, reject, onNotice })
    try {
      await post({ path: target.path, headers }, text, budget)
      return await budget.within(promise)
    } finally {
      pending.delete(id)
    }
  }

  async function greet(): Promise<Ready> {
    const stream = listen()
    const budget = createBudget(HANDSHAKE_MS, now)
    try {
      const path = await budget.within(stream.path)
      const id = (lastId += 1)
      const text = JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params: initializeParams(self) })
      const answer = await ask({ stream, path }, { id, text, budget })
      if ('error' in answer) throw refusedHandshake(answer.error)
      const { revision, facts } = readInitialized(answer.result, wallClock)
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
    const budget = createBudget(asked.timeoutMs, now, asked.onStart)
    const target = current ?? (await budget.within(ready()))
    const id = (lastId += 1)
    const onNotice = ({ method, params }: Notice): void => {
      if (method === 'notifications/progress' && params.progressToken === id) asked.onProgress?.(params)
    }
    try {
      return await ask(target, { id, text: requestText(asked, id, legacyMeta(asked.params._meta)), onNotice, budget })
    } catch (error) {
      if (error instanceof ExchangeError && (error.kind === 'cancelled' || error.kind === 'timeout'))
        // Nobody waits for whether the news arrives.
        post({ path: target.path, headers: target.stream.headers }, cancelledText(id, error.kind), {
          remainingMs: () => NOTICE_MS,
        }).catch(() => undefined)
      throw error
    }
  }

  return {
    request,
    facts: async (timeoutMs) => (current ?? (await createBudget(timeoutMs, now).within(ready()))).facts,
    async listen(changed, onOpen) {
      const { stream } = current ?? (await ready())
      onListChanged.add(changed)
      // The calls need the stream too, so ending the watch does not end it.
      await Promise.race([stream.ended, new Promise<void>((resolve) => onOpen(resolve))])
      onListChanged.delete(changed)
      return 'ended'
    },
    async close() {
      current?.stream.end()
      // One that is just being opened ends as soon as it is.
      opening?.then(
        ({ stream }) => stream.end(),
        () => undefined,
      )
    },
  }
}
