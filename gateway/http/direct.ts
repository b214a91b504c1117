// Requests served on node:http itself: the body is read once, and the answer is one write of a flat header list and its text.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { GatewayError } from '../contract/error.ts'
import type { LoopGuard } from '../net/loop-guard.ts'
import type { TrustPeer } from './client-address.ts'
import { BODY_TOO_LARGE, type ErrorText, NOT_JSON, UNREADABLE, WRONG_LENGTH } from './error-reply.ts'
import { decodeText, isJsonType } from './json-body.ts'
import { type RequestContext, requestContext } from './request-context.ts'
import type { HttpReply, HttpRequest } from './request-reply.ts'
import { BASE_HEADERS } from './security-headers.ts'

const BASE = Object.entries(BASE_HEADERS).flat()

type OnBody = (error: unknown, text: string) => void
export type Front = {
  /** Absent when no proxy is trusted. */
  readonly trust: TrustPeer | undefined
  readonly own: LoopGuard
}

export class DirectRequest implements HttpRequest {
  readonly id: string
  readonly raw: IncomingMessage
  readonly headers: IncomingMessage['headers']
  readonly params: unknown
  readonly routeOptions: { readonly url: string }
  context: RequestContext

  private readonly front: Front

  constructor(front: Front, id: string, raw: IncomingMessage, params: unknown, pattern: string) {
    this.front = front
    this.id = id
    this.raw = raw
    this.headers = raw.headers
    this.params = params
    this.routeOptions = { url: pattern }
    this.context = requestContext(raw, id, front.trust)
  }

  get method(): string {
    return this.raw.method ?? ''
  }

  /** The body as text. An error leaves the rest of the body unread. */
  body(reply: DirectReply, mostBytes: number, done: OnBody): void {
    const { raw, headers } = this
    const type = headers['content-type']
    const announced = headers['content-length']
    if (type === undefined && headers['transfer-encoding'] === undefined && (announced ?? '0') === '0') {
      done(undefined, '')
      return
    }
    if (!isJsonType(type)) {
      done(new GatewayError(...NOT_JSON), '')
      return
    }
    const length = Number(announced)
    /** More of the body may come on this connection, which therefore ends. */
    const fail = (text: ErrorText): void => {
      reply.header('connection', 'close')
      this.within(() => done(new GatewayError(...text), ''))
    }
    if (length > mostBytes) {
      fail(BODY_TOO_LARGE)
      return
    }
    let chunks: Buffer[] | undefined = []
    let received = 0
    /** What came so far, once: nothing that comes later is read. */
    const taken = (): Buffer[] | undefined => {
      const all = chunks
      chunks = undefined
      return all
    }
    raw
      .on('data', (chunk: Buffer) => {
        chunks?.push(chunk)
        received += chunk.length
        if (received > mostBytes && taken()) fail(BODY_TOO_LARGE)
      })
      .on('end', () => {
        const all = taken()
        if (all === undefined) return
        if (announced !== undefined && received !== length) fail(WRONG_LENGTH)
        else this.within(() => decode(all, done))
      })
      .on('error', () => {
        if (taken()) fail(UNREADABLE)
      })
  }

  /** What is sent because of this request says which gateways it went through. Reading a body leaves that context. */
  within(work: () => void): void {
    this.front.own.within(this.headers, work)
  }
}

function decode(chunks: readonly Buffer[], done: OnBody): void {
  let text: string
  try {
    text = decodeText((chunks.length === 1 ? chunks[0] : undefined) ?? Buffer.concat(chunks))
  } catch (error) {
    done(error, '')
    return
  }
  done(undefined, text)
}

export class DirectReply implements HttpReply {
  readonly raw: ServerResponse
  private readonly flat: string[]
  private status = 200
  private hijacked = false

  constructor(raw: ServerResponse, requestId: string) {
    this.raw = raw
    this.flat = ['x-request-id', requestId, ...BASE]
  }

  get sent(): boolean {
    return this.hijacked || this.raw.headersSent
  }

  header(name: string, value: string): this {
    const { flat } = this
    const lower = name.toLowerCase()
    for (let at = 0; at < flat.length; at += 2)
      if (flat[at] === lower) {
        flat[at + 1] = value
        return this
      }
    flat.push(lower, value)
    return this
  }

  headers(values: Readonly<Record<string, string>>): this {
    for (const name of Object.keys(values)) this.header(name, values[name] ?? '')
    return this
  }

  getHeaders(): Readonly<Record<string, string>> {
    const { flat } = this
    const named: Record<string, string> = {}
    for (let at = 0; at < flat.length; at += 2) named[flat[at] ?? ''] = flat[at + 1] ?? ''
    return named
  }

  code(status: number): this {
    this.status = status
    return this
  }

  send(body: string | Buffer = ''): this {
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    if (this.status !== 204) this.header('content-length', String(bytes))
    this.raw.writeHead(this.status, this.flat)
    // Text of one byte per character leaves without being encoded.
    this.raw.end(body, bytes === body.length ? 'latin1' : 'utf8')
    return this
  }

  hijack(): this {
    this.hijacked = true
    return this
  }
}
