// WebSockets in both directions: outgoing ones dial a pinned address, incoming ones upgrade an HTTP request. Compression is never negotiated.

import type { IncomingMessage } from 'node:http'
import type { createConnection } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { milliseconds } from '../text/amounts.ts'
import { connectionError } from './exchange.ts'
import { ExchangeError } from './exchange-error.ts'
import type { Pin } from './pin.ts'
import type { pinnedConnector } from './pools.ts'

export type { WebSocket } from 'ws'

export type SocketDial = {
  /** Path and query, as sent. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** The one subprotocol that is offered. */
  readonly protocol?: string | undefined
  /** The deadline for opening. */
  readonly deadlineMs: number
  readonly maxMessageBytes: number
}

export type Dialling = {
  /** Returns a paused socket: add listeners, then resume. Rejects with an ExchangeError. */
  readonly opened: Promise<WebSocket>
  /** Cancels it; does nothing after the end. */
  readonly cancel: () => void
}

/** How long a peer that does not answer a close may hold its connection. */
const CLOSE_GRACE_MS = 5_000

const COMMON = { perMessageDeflate: false, closeTimeout: CLOSE_GRACE_MS } as const

export function dialSocket(pin: Pin, connect: ReturnType<typeof pinnedConnector>, dial: SocketDial): Dialling {
  let giveUp: (error: ExchangeError) => void = () => undefined
  const opened = new Promise<WebSocket>((resolve, reject) => {
    const socket = new WebSocket(pin.origin + dial.path, dial.protocol === undefined ? [] : [dial.protocol], {
      ...COMMON,
      headers: { 'user-agent': 'Gantry', ...dial.headers },
      maxPayload: dial.maxMessageBytes,
      createConnection: dialled(pin, connect),
    })
    giveUp = (error) => {
      clearTimeout(timer)
      reject(error)
      if (socket.readyState === WebSocket.CONNECTING) socket.terminate()
    }
    const timer = setTimeout(
      () => giveUp(new ExchangeError('timeout', `no WebSocket within ${milliseconds(dial.deadlineMs)}`)),
      dial.deadlineMs,
    )
    // Stays for errors of a socket that was given up.
    socket.on('error', (error) => giveUp(asExchangeError(error)))
    socket.once('unexpected-response', (_request, { statusCode = 0 }) =>
      giveUp(new ExchangeError('bad_response', `it answered HTTP ${statusCode} and opened no WebSocket`)),
    )
    socket.once('open', () => {
      clearTimeout(timer)
      socket.pause()
      resolve(socket)
    })
  })
  return { opened, cancel: () => giveUp(new ExchangeError('cancelled', 'the request was cancelled')) }
}

type Dial = (options: unknown, done: (error: Error | null, socket?: Duplex) => void) => undefined

/** Cast to the library's type, which names two Node functions where Node accepts any callback. */
function dialled({ hostname, port, tls }: Pin, connect: ReturnType<typeof pinnedConnector>): typeof createConnection {
  const dial: Dial = (_options, done) => {
    connect({ hostname, protocol: tls ? 'https:' : 'http:', port: String(port) }, (...[error, socket]) => {
      if (error === null) done(null, socket)
      else done(error)
    })
    return undefined
  }
  return dial as unknown as typeof createConnection
}

/** The library's handshake errors have no code. */
const asExchangeError = (error: Error): ExchangeError =>
  'code' in error || error.name !== 'Error' ? connectionError(error) : new ExchangeError('bad_response', error.message)

export type Upgrading = { readonly raw: IncomingMessage; readonly socket: Duplex; readonly head: Buffer }
export type Accepting = {
  readonly maxMessageBytes: number
  readonly protocol: string | undefined
  /** Additional headers of the answer. */
  readonly headers: Readonly<Record<string, string>>
}

/** Returns a paused socket, or the reason why the request is not a WebSocket handshake. */
export function acceptSocket({ raw, socket, head }: Upgrading, accepting: Accepting): WebSocket | string {
  const server = new WebSocketServer({
    ...COMMON,
    noServer: true,
    clientTracking: false,
    maxPayload: accepting.maxMessageBytes,
    handleProtocols: () => accepting.protocol ?? false,
  })
  let answer: WebSocket | string = 'the connection is gone'
  server.on('headers', (lines) => {
    for (const [name, value] of Object.entries(accepting.headers)) lines.push(`${name}: ${value}`)
  })
  server.on('wsClientError', ({ message }) => {
    answer = message
  })
  // Without a verification callback it answers synchronously.
  server.handleUpgrade(raw, socket, head, (opened) => {
    opened.pause()
    answer = opened
  })
  return answer
}
