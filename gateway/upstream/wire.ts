// One HTTP exchange with an MCP endpoint through the outbound door: what it answers, as JSON or as events, read as JSON-RPC.

import type { IncomingHttpHeaders } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Answer, type Incoming, readMessages, textOf, utf8Of } from '../mcp/message.ts'
import { createSseReader, type SseEvent, type SseReader } from '../mcp/sse-reader.ts'
import { arm, type Deadline, disarm } from '../net/deadlines.ts'
import { ExchangeError, NO_ROOM } from '../net/exchange.ts'
import type { Account } from '../net/memory-budget.ts'
import type { Outbound } from '../net/outbound.ts'
import type { Pin } from '../net/pin.ts'
import { isLarge, messagesBeside } from '../outcome/threads/index.ts'
import { byteCount } from '../text/amounts.ts'
import type { ForeignBody } from '../text/foreign-text.ts'

type Headers = Readonly<Record<string, string>>

/** Where the requests of one upstream go, and what makes them its own. */
export type Door = {
  readonly outbound: Outbound
  readonly pin: Pin
  readonly owner: string
  /** Path and query of the endpoint. */
  readonly path: string
  /** The credential, added to every request. */
  readonly credential: () => Headers | Promise<Headers>
  /** After a 401. True when another credential may be there now. */
  readonly refresh: () => Promise<boolean>
}

export type Outgoing = {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly path?: string
  readonly headers: Headers
  readonly body?: string
  /** The request whose answer is waited for; without it a stream is read to its end. */
  readonly expects?: number
  /** Asked for each try. */
  readonly remainingMs: () => number
  /** Of a body, or of all events of a stream together. */
  readonly maxBytes: number
  readonly maxEventBytes?: number
  readonly maxDepth: number
  /** Large messages are read beside the main thread, and a large result comes as a `LargeResult`. */
  readonly takesLarge?: boolean | undefined
  /** What is collected is held by it. */
  readonly account?: Account | undefined
  readonly onStart?: (cancel: () => void) => void
  /** The answer begins. */
  readonly onHead?: (status: number) => void
  /** With the size of the event it came in, or of the whole body. */
  readonly onMessage?: (message: Incoming, bytes: number) => void
  /** Events of another type than `message`. */
  readonly onEvent?: (event: SseEvent) => void
}

export type Received = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly answer: Answer | undefined
  /** The answer was an error about no request in particular: ours was not even read. */
  readonly unread: boolean
  /** A body that is no answer, or how it begins. */
  readonly body: ForeignBody
  /** Set when a stream ended without the answer and can be taken up again. */
  readonly resume: { readonly lastEventId: string; readonly retryMs: number } | undefined
}

const ERROR_BODY_BYTES = 65_536
/** How long the end of a stream is waited for after its answer, so that the connection can be used again. */
const LINGER_MS = 1_000
const DEFAULT_RETRY_MS = 1_000
/** Events are read as they come, and what they become takes many times their size. */
export const READ_FACTOR = 4

/** What reads events for so long lets others have their turn. */
const TURN_MS = 8

const NOTHING = Buffer.alloc(0)
const NO_BODY: ForeignBody = { bytes: NOTHING, contentType: undefined, isCut: false }

const tooLarge = (maxBytes: number): ExchangeError =>
  new ExchangeError('too_large', `the answer exceeds the limit of ${byteCount(maxBytes)}`)

/** The state of one exchange while its chunks come in. */
class Reading {
  answer: Answer | undefined
  unread = false
  private readonly out: Outgoing
  private readonly body: Buffer[] = []
  private bytes = 0
  /** More of an error came than is read. */
  private isCut = false
  private reader: SseReader | undefined
  /** Events that wait for those before them to be read. */
  private readonly waiting: string[] = []
  private waitingBytes = 0
  private later: Promise<void> | undefined
  /** On events, since others had their turn. */
  private spentMs = 0
  private readonly onLater: (error?: unknown) => void

  /** `onLater`: something was read after its chunk was taken, or could not be. */
  constructor(out: Outgoing, onLater: (error?: unknown) => void) {
    this.out = out
    this.onLater = onLater
  }

  /** An answer may come before the end. */
  get isStream(): boolean {
    return this.reader !== undefined
  }

  /** False when nothing more of the answer is wanted. */
  take(chunk: Buffer, status: number, headers: IncomingHttpHeaders): boolean {
    if (this.answer !== undefined) return true
    if (this.bytes === 0) this.begin(status, headers)
    this.bytes += chunk.length
    if (status >= 300 && !this.reader) {
      this.body.push(chunk)
      this.isCut = this.bytes > ERROR_BODY_BYTES
      return !this.isCut
    }
    if (this.bytes > this.out.maxBytes) throw tooLarge(this.out.maxBytes)
    if (this.out.account?.take(this.reader ? chunk.length * READ_FACTOR : chunk.length) === false)
      throw new ExchangeError('no_room', NO_ROOM)
    if (this.reader) this.reader.push(chunk)
    else this.body.push(chunk)
    return true
  }

  private begin(status: number, headers: IncomingHttpHeaders): void {
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity')
      throw new ExchangeError('bad_response', 'the answer is compressed, which was not asked for')
    const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
    if (status < 300 && type === 'text/event-stream')
      this.reader = createSseReader(this.out.maxEventBytes ?? this.out.maxBytes, (event) => this.event(event))
  }

  private event(event: SseEvent): void {
    if (this.answer !== undefined) return
    if (event.type !== 'message') this.out.onEvent?.(event)
    // An empty event only carries an id to resume from.
    else if (event.data !== '') this.data(event.data)
  }

  /** Events are handled in their order, however long each takes to read, and a flood of them in turns. */
  private data(data: string): void {
    if (this.later === undefined && !this.isLarge(data) && this.spentMs < TURN_MS) {
      const since = performance.now()
      this.hear(readMessages(data, this.out.maxDepth), data)
      this.spentMs += performance.now() - since
      return
    }
    this.waitingBytes += data.length
    if (this.waitingBytes > (this.out.maxEventBytes ?? this.out.maxBytes)) throw tooLarge(this.waitingBytes)
    this.waiting.push(data)
    if (this.later) return
    this.later = this.hearWaiting().finally(() => {
      this.later = undefined
      this.spentMs = 0
    })
    this.later.then(() => this.onLater(), this.onLater)
  }

  private async hearWaiting(): Promise<void> {
    await nextTurn()
    let since = performance.now()
    // More may come while these are read.
    for (let batch = this.waiting.splice(0); batch.length > 0; batch = this.waiting.splice(0))
      for (const data of batch) {
        this.waitingBytes -= data.length
        const large = this.isLarge(data)
        const messages = large ? await messagesBeside(data, this.out.maxDepth) : readMessages(data, this.out.maxDepth)
        this.hear(messages, data)
        if (this.answer !== undefined) return
        if (!large && performance.now() - since < TURN_MS) continue
        await nextTurn()
        since = performance.now()
      }
  }

  private isLarge(data: string): boolean {
    return this.out.takesLarge === true && isLarge(data)
  }

  private hear(messages: readonly Incoming[], data: string): void {
    for (const message of messages) if (this.answer === undefined) this.message(message, data.length)
  }

  private message(message: Incoming, bytes: number): void {
    const { expects, onMessage } = this.out
    if (message.kind !== 'response' || expects === undefined) {
      onMessage?.(message, bytes)
      return
    }
    if (message.id !== expects && !(message.id === null && !this.reader))
      throw new ExchangeError('bad_response', 'the answer belongs to another request')
    this.answer = message.answer
    this.unread = message.id === null
  }

  /** What a whole body says. Waits where some of it is read later, or beside this thread. */
  finish(status: number, headers: IncomingHttpHeaders): Received | Promise<Received> {
    if (this.later) return this.later.then(() => this.finish(status, headers))
    const { expects, takesLarge, maxDepth } = this.out
    const [only = NOTHING, ...more] = this.body
    const body = more.length === 0 ? only : Buffer.concat(this.body)
    if (this.reader || expects === undefined) return this.received(status, headers, body)
    if (status >= 300) this.errorBody(body)
    else if (takesLarge && isLarge(body))
      return messagesBeside(utf8Of(body), maxDepth).then((messages) => {
        this.answered(messages, body)
        return this.received(status, headers, body)
      })
    else this.answered(readMessages(textOf(body), maxDepth), body)
    return this.received(status, headers, body)
  }

  private answered(messages: readonly Incoming[], { length }: Buffer): void {
    for (const message of messages) this.message(message, length)
    if (this.answer === undefined) throw new ExchangeError('bad_response', 'the answer holds no response')
  }

  private received(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Received {
    const { answer, unread, isCut } = this
    const body = answer === undefined ? { bytes, contentType: headers['content-type'], isCut } : NO_BODY
    return { status, headers, answer, unread, body, resume: this.resume() }
  }

  /** Where a stream ended before its answer. */
  private resume(): Received['resume'] {
    if (this.reader === undefined || this.out.expects === undefined || this.answer !== undefined) return undefined
    const lastEventId = this.reader.lastEventId()
    if (lastEventId === '') throw new ExchangeError('network', 'the stream ended before the answer')
    return { lastEventId, retryMs: this.reader.retryMs() ?? DEFAULT_RETRY_MS }
  }

  /** With an HTTP error a JSON-RPC error may come, or anything else. */
  private errorBody(body: Buffer): void {
    try {
      for (const message of readMessages(textOf(body), this.out.maxDepth))
        if (message.kind === 'response' && 'error' in message.answer) this.message(message, body.length)
    } catch {
      // Then the status says all there is to say.
    }
  }
}

/** Headers of a session, joined with the credential once: they are frozen, and both stay the same from call to call. */
const joined = new WeakMap<Headers, { readonly credential: Headers; readonly whole: Headers }>()
const COMMON = { 'accept-encoding': 'identity', 'user-agent': 'Gantry' }
const COMMON_POST = { ...COMMON, 'content-type': 'application/json' }

function headersOf({ headers, body }: Outgoing, credential: Headers): Headers {
  const known = joined.get(headers)
  if (known?.credential === credential) return known.whole
  const whole = { ...(body === undefined ? COMMON : COMMON_POST), ...headers, ...credential }
  if (Object.isFrozen(headers)) joined.set(headers, { credential, whole })
  return whole
}

/** Rejects with an `ExchangeError` for every improper answer. */
function once(door: Door, out: Outgoing, credential: Headers): Promise<Received> {
  return new Promise((resolve, reject) => {
    let cut: () => void = () => undefined
    let linger: Deadline | undefined
    let head: Pick<Received, 'status' | 'headers'> | undefined
    const reading = new Reading(out, (error) => {
      if (error === undefined) answered()
      else {
        reject(error)
        cut()
      }
    })
    /** The rest of a stream is not waited for. */
    function answered(): void {
      const { answer, unread } = reading
      if (answer === undefined || linger !== undefined || head === undefined) return
      resolve({ ...head, answer, unread, body: NO_BODY, resume: undefined })
      linger = arm(LINGER_MS, cut)
    }
    door.outbound.dispatch(
      door.outbound.pool(door.pin, door.owner),
      {
        method: out.method,
        path: out.path ?? door.path,
        headers: headersOf(out, credential),
        ...(out.body === undefined ? {} : { body: out.body }),
        deadlineMs: out.remainingMs(),
        maxBytes: out.maxBytes,
        onStart: (cancel) => {
          cut = cancel
          out.onStart?.(cancel)
        },
        ...(out.onHead && { onHead: out.onHead }),
        onChunk: (chunk, response) => {
          try {
            head ??= response
            const more = reading.take(chunk, response.status, response.headers)
            if (reading.isStream) answered()
            return more
          } catch (error) {
            reject(error)
            return false
          }
        },
      },
      (answer) => {
        if (linger) disarm(linger)
        if (answer instanceof ExchangeError) reject(answer)
        else
          try {
            resolve(finish(reading, answer, out.account))
          } catch (error) {
            reject(error)
          }
      },
    )
  })
}

/** Large answers take turns. */
function finish(
  reading: Reading,
  { status, headers }: Pick<Received, 'status' | 'headers'>,
  account: Account | undefined,
): Received | Promise<Received> {
  const turn = account?.turn()
  return turn ? turn.then(() => reading.finish(status, headers)) : reading.finish(status, headers)
}

/** One exchange; after a 401 a second one with a fresh credential, when there is one. */
export async function exchangeRpc(door: Door, out: Outgoing): Promise<Received> {
  const credential = door.credential()
  const first = await once(door, out, credential instanceof Promise ? await credential : credential)
  if (first.status !== 401 || !(await door.refresh())) return first
  return once(door, out, await door.credential())
}
