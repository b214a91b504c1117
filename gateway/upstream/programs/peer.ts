// MCP over the lines of one process: the handshake of both eras, requests and their answers, what the server says in between.

import {
  type Ask,
  changedList,
  type Hearing,
  LISTS,
  type ListKind,
  type OnServerRequest,
  type Self,
  type UpstreamInfo,
} from '../../mcp/connection.ts'
import { MODERN } from '../../mcp/era.ts'
import {
  type Answer,
  type Incoming,
  isRecord,
  type JsonRecord,
  LargeResult,
  readMessages,
  textOf,
} from '../../mcp/message.ts'
import { cancelledText, legacyMeta, modernMeta, noticeText, requestText } from '../../mcp/request-meta.ts'
import { ExchangeError, NO_ROOM } from '../../net/exchange.ts'
import { isLarge, messagesBeside } from '../../outcome/threads/index.ts'
import type { Clock } from '../../telemetry/clock.ts'
import { byteCount } from '../../text/amounts.ts'
import { foreignText } from '../../text/foreign-text.ts'
import type { Budget } from '../budget.ts'
import { initializeParams, readInitialized } from '../handshake.ts'
import { readHere } from '../legacy-sse.ts'
import { createReplier } from '../reply.ts'
import { READ_FACTOR } from '../wire.ts'

export type Peer = {
  readonly facts: UpstreamInfo
  request(ask: Ask, budget: Budget): Promise<Answer>
  notify(method: string, params: JsonRecord): void
}

type Parts = {
  /** False where the program does not read. */
  readonly send: (text: string) => boolean
  readonly self: Self
  /** Of the one client that the process belongs to; none where several share it. */
  readonly capabilities: JsonRecord
  /** Whether all that the server says is for one client. */
  readonly isPrivate: boolean
  readonly listeners: () => Iterable<Hearing>
  readonly onListChanged: (kind: ListKind) => void
  /** Lines that are no messages. */
  readonly onText: (line: string) => void
  readonly secrets: () => readonly string[]
  readonly monotonic: () => number
  readonly clock: Clock
}

type Pending = {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
  readonly ask: Ask | undefined
  readonly hold: () => () => void
  readonly maxBytes: number
}

const DEPTH = 512
const MOST_REASON = 256
const ID_IN = /"id"\s*:\s*(\d{1,15})/
const MOST_HANDSHAKE = 1_048_576

const stuck = (): ExchangeError => new ExchangeError('no_room', 'the program does not read its input')

export function createPeer(parts: Parts) {
  const { send, self, capabilities, isPrivate, listeners, onListChanged, onText, secrets, monotonic, clock } = parts
  const pending = new Map<number, Pending>()
  let lastId = 0
  let ended: ExchangeError | undefined
  let isModern = false
  /** Large answers that are being read beside this thread. */
  let reading: Promise<unknown> = Promise.resolve()

  // Nothing on the line says which request a message belongs to: it is taken for the latest one's.
  const latest = (): Ask | undefined => [...pending.values()].findLast(({ ask }) => ask !== undefined)?.ask
  const firstListener = (): Hearing | undefined => [...listeners()][0]
  const handle: OnServerRequest = async (method, params, onCancel) => {
    const answerer = isPrivate ? (latest()?.onServerRequest ?? firstListener()?.onServerRequest) : undefined
    return answerer
      ? answerer(method, params, onCancel)
      : { error: { code: -32_601, message: `${method.slice(0, 128)} is not supported here` } }
  }
  const replier = createReplier({
    post: async (text) => send(text),
    handle,
    monotonic,
    onAsk: () => {
      const held = [...pending.values()].map(({ hold }) => hold())
      return () => {
        for (const go of held) go()
      }
    },
  })

  function onNotice({ method, params }: Incoming & { readonly kind: 'notification' }): void {
    if (method === 'notifications/cancelled') return replier.onCancelled(params)
    if (method === 'notifications/progress') {
      const { progressToken } = params
      if (typeof progressToken === 'number') pending.get(progressToken)?.ask?.onProgress?.(params)
      return
    }
    const kind = changedList(method)
    if (kind) onListChanged(kind)
    if (isPrivate) (latest()?.onNotification ?? firstListener()?.onNotification)?.(method, params)
    else if (method === 'notifications/resources/updated')
      for (const { resources, onNotification } of listeners())
        if (typeof params.uri === 'string' && resources.includes(params.uri)) onNotification(method, params)
  }

  function onAnswer(id: number, answer: Answer, bytes: number): void {
    // An answer without a waiting request is late.
    const waiting = pending.get(id)
    if (waiting === undefined) return
    if (bytes > waiting.maxBytes) waiting.reject(tooLarge(waiting.maxBytes))
    else if (waiting.ask?.account?.take(bytes * READ_FACTOR) === false)
      waiting.reject(new ExchangeError('no_room', NO_ROOM))
    else if ('result' in answer && answer.result instanceof LargeResult && !waiting.ask?.takesLarge)
      readHere(answer.result, waiting)
    else waiting.resolve(answer)
  }

  function hear(messages: readonly Incoming[], bytes: number): void {
    for (const message of messages)
      if (message.kind === 'request') replier.onRequest(message)
      else if (message.kind === 'notification') onNotice(message)
      else if (typeof message.id === 'number') onAnswer(message.id, message.answer, bytes)
  }

  /** The request that a line answers which cannot be read, or all of them. */
  function fail(error: ExchangeError, beginning: string): void {
    const named = pending.get(Number(ID_IN.exec(beginning)?.[1]))
    for (const { reject } of named ? [named] : pending.values()) reject(error)
  }

  function unread(error: unknown, line: string): void {
    if (error instanceof ExchangeError && ID_IN.test(line)) fail(error, line)
    else onText(line)
  }

  /** Rejects with what the handshake lacks. */
  function exchange(method: string, params: JsonRecord): Promise<Answer> {
    const id = (lastId += 1)
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    pending.set(id, { resolve, reject, ask: undefined, hold: () => () => undefined, maxBytes: MOST_HANDSHAKE })
    if (ended) reject(ended)
    else if (!send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))) reject(stuck())
    return promise.finally(() => pending.delete(id))
  }

  async function discover(): Promise<UpstreamInfo | undefined> {
    const answer = await exchange('server/discover', { _meta: modernMeta(self, {}) })
    if ('error' in answer || !isRecord(answer.result)) return undefined
    const { supportedVersions, capabilities: declared, _meta, instructions } = answer.result
    if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN)) return undefined
    const about = isRecord(_meta) ? _meta['io.modelcontextprotocol/serverInfo'] : undefined
    return {
      revision: MODERN,
      capabilities: isRecord(declared) ? declared : {},
      serverInfo: isRecord(about) ? about : {},
      instructions: typeof instructions === 'string' ? instructions : undefined,
      learnedAtMs: clock.now(),
    }
  }

  /** `initialize` comes first, because some servers end at a request that they receive before it. */
  async function greet(): Promise<UpstreamInfo> {
    const answer = await exchange('initialize', initializeParams(self, capabilities))
    if ('result' in answer) {
      const { facts } = readInitialized(answer.result, clock)
      send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
      return facts
    }
    const facts = await discover()
    if (facts === undefined) {
      const { code, message } = answer.error
      const reason = foreignText(message, { secrets: secrets() }, MOST_REASON)
      throw new ExchangeError('bad_response', `it refused the handshake with error ${code}: ${reason}`)
    }
    isModern = true
    return facts
  }

  /** In the modern era, changed lists are sent to who asked for them. */
  function subscribe({ capabilities: declared }: UpstreamInfo): void {
    const kinds = LISTS.filter((kind) => isRecord(declared[kind]) && declared[kind].listChanged === true)
    if (!isModern || kinds.length === 0) return
    const notifications = Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true]))
    // It has no answer before the process ends.
    exchange('subscriptions/listen', { notifications, _meta: modernMeta(self, {}) }).catch(() => undefined)
  }

  async function request(ask: Ask, budget: Budget): Promise<Answer> {
    if (ended) throw ended
    const id = (lastId += 1)
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    promise.catch(() => undefined)
    pending.set(id, { resolve, reject, ask, hold: budget.hold, maxBytes: ask.maxBytes })
    try {
      const text = isModern
        ? requestText(ask, id, modernMeta(self, ask), ask.inputs)
        : requestText(ask, id, legacyMeta(ask.params._meta))
      if (!send(text)) throw stuck()
      return await budget.within(promise)
    } catch (given) {
      const error = budget.verdict(given)
      if (error instanceof ExchangeError && (error.kind === 'cancelled' || error.kind === 'timeout'))
        send(cancelledText(id, error.kind))
      throw error
    } finally {
      pending.delete(id)
    }
  }

  return {
    onMessage(line: Buffer): Promise<unknown> | undefined {
      if (isLarge(line)) {
        // The thread takes the memory of the line.
        const [bytes, beginning] = [line.length, line.subarray(0, MOST_REASON).toString()]
        const read = messagesBeside(line, DEPTH).then(
          (messages) => hear(messages, bytes),
          (error: unknown) => unread(error, beginning),
        )
        // Without the values: each would hold the one before it.
        reading = Promise.all([reading, read]).then(() => undefined)
        return read
      }
      let text = ''
      try {
        text = textOf(line)
        hear(readMessages(text, DEPTH), line.length)
      } catch (error) {
        unread(error, text)
      }
      return undefined
    },
    onTooLong(beginning: Buffer, maxBytes: number): void {
      fail(tooLarge(maxBytes), beginning.toString())
    },
    /** The process is gone, and its output was read to its end. */
    async end(error: ExchangeError): Promise<void> {
      ended = error
      await reading
      replier.end()
      for (const { reject } of pending.values()) reject(error)
    },
    async greet(): Promise<Peer> {
      const facts = await greet()
      subscribe(facts)
      return {
        facts,
        request,
        notify: (method, params) => void send(noticeText(method, params)),
      }
    },
  }
}

const tooLarge = (maxBytes: number): ExchangeError =>
  new ExchangeError('too_large', `the answer exceeds the limit of ${byteCount(maxBytes)}`)
