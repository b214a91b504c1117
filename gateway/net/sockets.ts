// WebSockets both ways: what leaves is dialled at a pinned address, what comes in was an HTTP request before. Compression is never agreed to.

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
  /** Path and query, as they go on the wire. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** The one subprotocol that is offered. */
  readonly protocol?: string | undefined
  /** Until it is open. */
  readonly deadlineMs: number
  readonly maxMessageBytes: number
}

export type Dialling = {
  /** Paused: whoever takes it listens first, and resumes it then. Rejects with an ExchangeError. */
  readonly opened: Promise<WebSocket>
  /** Gives it up; after the end it does nothing. */
  readonly cancel: () => void
}

/** What a peer that does not answer a close may still hold its connection for. */
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
    // Stays for what is torn down after it was given up.
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

/** In the type of the library, which names two functions of Node where Node itself takes any that calls back. */
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

/** The library's own words of a broken handshake carry no code. */
const asExchangeError = (error: Error): ExchangeError =>
  'code' in error || error.name !== 'Error' ? connectionError(error) : new ExchangeError('bad_response', error.message)

export type Upgrading = { readonly raw: IncomingMessage; readonly socket: Duplex; readonly head: Buffer }
export type Accepting = {
  readonly maxMessageBytes: number
  readonly protocol: string | undefined
  /** Lines of the answer beside its own. */
  readonly headers: Readonly<Record<string, string>>
}

/** Paused, like one that was dialled; a text says why the request is no WebSocket handshake. */
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
  // With no question to ask it answers at once.
  server.handleUpgrade(raw, socket, head, (opened) => {
    opened.pause()
    answer = opened
  })
  return answer
}
