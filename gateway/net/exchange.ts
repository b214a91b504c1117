// One request over a pool: total deadline, limit of decompressed bytes, cancellation. No AbortSignal, no stream objects.

import type { IncomingHttpHeaders } from 'node:http'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { byteCount, milliseconds } from '../text/amounts.ts'
import { arm, type Deadline, disarm } from './deadlines.ts'
import { ExchangeError, type ExchangeFailure } from './exchange-error.ts'
import type { Account } from './memory-budget.ts'
import { BlockedAddress } from './pools.ts'
import { requestStarts, type Timing } from './timing.ts'

export { ExchangeError } from './exchange-error.ts'

export type ExchangeRequest = {
  readonly method: Dispatcher.HttpMethod
  /** Path and query, as sent. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** From the start of the request to the last byte of the answer. */
  readonly deadlineMs: number
  readonly maxBytes: number
  /** The memory budget of the collected body. */
  readonly account?: Account | undefined
  /** Filled in, where a span is made of the request. */
  readonly timing?: Timing | undefined
  /** Receives a function that cancels the request; it does nothing after the end. */
  readonly onStart?: (cancel: () => void) => void
  /** Called when the answer's head has arrived. */
  readonly onHead?: (status: number) => void
  /** Receives each chunk instead of collecting the body; returning false ends the exchange. */
  readonly onChunk?: (chunk: Buffer, response: { status: number; headers: IncomingHttpHeaders }) => boolean
}

export type ExchangeResponse = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Decompressed. Empty if chunks were handed over. */
  readonly body: Buffer
}

export type OnExchanged = (answer: ExchangeResponse | ExchangeError) => void

const MOST_ENCODINGS = 2
const NO_SOCKET = 'this gateway has no free connection'
export const NO_ROOM = 'there is no room for another large answer now'
const NONE = Buffer.alloc(0)

class Exchange implements Dispatcher.DispatchHandler {
  status = 0
  headers: IncomingHttpHeaders = {}
  private readonly chunks: Buffer[] = []
  private bytes = 0
  /** Memory reserved so far. */
  private roomy = 0
  private controller: Dispatcher.DispatchController | undefined
  private readonly deadline: Deadline
  private ended = false
  private readonly request: ExchangeRequest
  private readonly done: OnExchanged

  constructor(request: ExchangeRequest, done: OnExchanged) {
    this.request = request
    this.done = done
    this.deadline = arm(request.deadlineMs, () =>
      this.fail('timeout', `no complete answer within ${milliseconds(request.deadlineMs)}`),
    )
    request.onStart?.(() => this.fail('cancelled', 'the request was cancelled'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // Cancelled or timed out while waiting for a connection.
    if (this.ended) controller.abort(new Error('ended'))
    else if (this.request.timing) requestStarts(this.request.timing)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    this.status = status
    this.headers = headers
    if (this.request.timing) this.request.timing.head = performance.now()
    this.request.onHead?.(status)
    const length = Number(headers['content-length'])
    if (this.request.onChunk) return
    if (length > this.request.maxBytes) this.tooLarge()
    // Reserves the declared length at once: answers that reserve piece by piece could starve each other.
    else if (length > 0) this.makeRoom(length)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.ended) return
    if (this.request.onChunk) {
      if (this.request.onChunk(chunk, { status: this.status, headers: this.headers })) return
      this.finish(NONE)
      // The receiver ended it midway: do not reuse the socket.
      this.controller?.abort(new Error('ended'))
      return
    }
    this.bytes += chunk.length
    if (this.bytes > this.request.maxBytes) this.tooLarge()
    else if (this.makeRoom(this.bytes)) this.chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (this.ended) return
    const raw = this.chunks.length === 1 ? (this.chunks[0] ?? NONE) : Buffer.concat(this.chunks)
    const encoding = this.headers['content-encoding']
    if (encoding === undefined || raw.length === 0 || this.request.onChunk) {
      this.finish(raw)
      return
    }
    decode(raw, encoding, this.request.maxBytes).then(
      (body) => {
        // The compressed bytes are already freed; the count ignores this.
        if (this.request.account?.take(body.length) === false) this.fail('no_room', NO_ROOM)
        else this.finish(body)
      },
      (error: unknown) => {
        if (error instanceof ExchangeError) this.fail(error.kind, error.message)
        else this.fail('bad_response', 'the answer could not be decompressed')
      },
    )
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    const { kind, message } = connectionError(error)
    this.fail(kind, message)
  }

  private makeRoom(bytes: number): boolean {
    const more = bytes - this.roomy
    if (more <= 0) return true
    if (this.request.account?.take(more) === false) {
      this.fail('no_room', NO_ROOM)
      return false
    }
    this.roomy = bytes
    return true
  }

  private tooLarge(): void {
    this.fail('too_large', `the answer exceeds the limit of ${byteCount(this.request.maxBytes)}`)
  }

  private finish(body: Buffer): void {
    if (this.ended) return
    this.end()
    this.done({ status: this.status, headers: this.headers, body })
  }

  private fail(kind: ExchangeFailure, message: string): void {
    if (this.ended) return
    this.end()
    this.done(new ExchangeError(kind, message))
    this.controller?.abort(new Error(kind))
  }

  private end(): void {
    this.ended = true
    if (this.request.timing) this.request.timing.ended = performance.now()
    disarm(this.deadline)
    this.chunks.length = 0
  }
}

/** Why the connection failed or was lost. */
export function connectionError(error: Error): ExchangeError {
  if (error instanceof BlockedAddress) return new ExchangeError('blocked', failureClass(error))
  if (isOurs(error)) return new ExchangeError('no_socket', NO_SOCKET)
  return new ExchangeError('network', failureClass(error))
}

/** Out of file descriptors: the server was not contacted. */
const isOurs = (error: Error): boolean => 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')

/** Certificate errors of Node and OpenSSL, which share no prefix. */
const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|UNABLE_TO_|CRL_|EPROTO$|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$)|CERT/

/** A short reason for the failure, without address or port. */
function failureClass(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'connection timed out'
  if (code === 'ECONNREFUSED') return 'connection refused'
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE')
    return 'connection closed by the other side'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'host unreachable'
  if (TLS_CODE.test(code)) return 'TLS failed'
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'not an HTTP answer'
  return 'connection failed'
}

type Decoder = (
  data: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Buffer) => void,
) => void
const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: (data, options, done) => gunzip(data, options, done),
  'x-gzip': (data, options, done) => gunzip(data, options, done),
  // Many servers send raw deflate under this name.
  deflate: (data, options, done) =>
    inflate(data, options, (error, result) =>
      error && !isOverflow(error) ? inflateRaw(data, options, done) : done(error, result),
    ),
  br: (data, options, done) => brotliDecompress(data, options, done),
  zstd: (data, options, done) => zstdDecompress(data, options, done),
}

const isOverflow = (error: Error): boolean => 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'

async function decode(raw: Buffer, header: string, maxBytes: number): Promise<Buffer> {
  const names = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length > MOST_ENCODINGS) throw new ExchangeError('bad_response', 'the answer is compressed more than twice')
  let body = raw
  for (const name of names.reverse()) {
    const decoder = DECODERS[name]
    if (!decoder) throw new ExchangeError('bad_response', 'the answer has a content encoding that is not supported')
    const input = body
    body = await new Promise<Buffer>((resolve, reject) => {
      decoder(input, { maxOutputLength: maxBytes }, (error, result) => {
        if (error === null) resolve(result)
        else if (isOverflow(error))
          reject(new ExchangeError('too_large', `the answer exceeds the limit of ${byteCount(maxBytes)}`))
        else reject(error)
      })
    })
  }
  return body
}

/** `hops`: a header of every request, absent without a listener. Calls back once; the callback must not throw. */
export function dispatch(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  hops: readonly [name: string, value: string] | undefined,
  done: OnExchanged,
): void {
  const { method, path, body = null } = request
  const headers: string[] = []
  for (const name of Object.keys(request.headers))
    if (name !== hops?.[0]) headers.push(name, request.headers[name] ?? '')
  if (hops) headers.push(...hops)
  dispatcher.dispatch({ method, path, headers, body }, new Exchange(request, done))
}
