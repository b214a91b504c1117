// A real WebSocket server on loopback whose behaviour depends on the path, and a client that records messages.
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { listening } from '../net/listening.fixture.ts'

export type WsBackend = {
  readonly url: string
  readonly port: number
  /** The handshakes, in order of arrival. */
  readonly seen: { readonly url: string; readonly headers: IncomingHttpHeaders }[]
  /** Every received text. */
  readonly received: string[]
  /** The close code of each connection. */
  readonly closed: number[]
  readonly open: () => number
  /** Resumes connections at `/deaf`, which are paused until then. */
  readonly listen: () => void
  readonly close: () => Promise<void>
}

type Behaviour = (socket: WebSocket, arrived: string, binary: boolean) => void

const echo: Behaviour = (socket, arrived, binary) => socket.send(binary ? Buffer.from(arrived, 'latin1') : arrived)
const ON_MESSAGE: Readonly<Record<string, Behaviour>> = {
  '/echo': echo,
  '/hidden': (socket) => socket.send('vis\u202eible\u001b[31m'),
  '/large': (socket, arrived) => socket.send('x'.repeat(Number(arrived))),
  '/flood': (socket, arrived) => {
    for (let sent = 0; sent < (Number(arrived) || 1); sent += 65_536) socket.send(Buffer.alloc(65_536))
  },
  '/break': (socket) => socket.terminate(),
  '/trickle': (socket) => {
    for (const part of ['one', 'two']) socket.send(part)
  },
  '/say': (socket, arrived) => socket.send((JSON.parse(arrived) as { say: string }).say),
  '/leave': (socket) => socket.close(4001, 'see \u202eyou'),
  '/binary': (socket) => socket.send(Buffer.from([1, 2, 3])),
  '/count': (socket, arrived) => {
    for (const part of ['one', 'two', 'three'])
      socket.send(JSON.stringify({ part, received: JSON.parse(arrived) as unknown }))
    socket.close(1000)
  },
  '/mute': () => undefined,
  '/deaf': () => undefined,
}
const REFUSALS: Readonly<Record<string, string>> = {
  '/refused': 'HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
  '/away': 'HTTP/1.1 302 Found\r\nlocation: ws://127.0.0.1:9/\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
  '/bad-accept':
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: bm9wZQ==\r\n\r\n',
}

export async function openWsBackend(): Promise<WsBackend> {
  const seen: { url: string; headers: IncomingHttpHeaders }[] = []
  const arrived: string[] = []
  const closed: number[] = []
  const sockets = new WebSocketServer({ noServer: true })
  const server = createServer((_request, response) => void response.writeHead(426).end())
  const connections = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    const url = request.url ?? ''
    const path = url.split('?', 1)[0] ?? ''
    seen.push({ url, headers: request.headers })
    socket.on('error', () => undefined)
    const refusal = REFUSALS[path]
    if (refusal !== undefined) socket.end(refusal)
    else if (path !== '/hang')
      sockets.handleUpgrade(request, socket, head, (opened) => {
        const behave = ON_MESSAGE[path] ?? echo
        if (path === '/deaf') opened.pause()
        opened.on('error', () => undefined)
        opened.on('close', (code) => closed.push(code))
        opened.on('message', (data: RawData, binary) => {
          const text = Buffer.isBuffer(data) ? data.toString(binary ? 'latin1' : 'utf8') : ''
          arrived.push(text)
          behave(opened, text, binary)
        })
      })
  })
  const { port } = await listening(server)
  return {
    url: `ws://127.0.0.1:${port}`,
    port,
    seen,
    received: arrived,
    closed,
    open: () => sockets.clients.size,
    listen: () => {
      for (const client of sockets.clients) client.resume()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const connection of connections) connection.destroy()
      }),
  }
}

export type WsClient = {
  readonly socket: WebSocket
  /** 101, or the refusal of the handshake. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly frames: (string | Buffer)[]
  /** `code reason`, once closed. */
  readonly closed: Promise<string>
}

/** A client that closes with the test. */
export async function wsConnect(
  url: string,
  { headers = {}, protocols = [] }: { headers?: Readonly<Record<string, string>>; protocols?: string[] } = {},
): Promise<WsClient> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocols, { headers })
  onTestFinished(() => socket.terminate())
  const frames: (string | Buffer)[] = []
  socket.on('message', (data: RawData, binary) => {
    if (Buffer.isBuffer(data)) frames.push(binary ? data : data.toString())
  })
  const closed = new Promise<string>((resolve) => {
    socket.once('close', (code, reason) => resolve(`${code} ${reason.toString()}`.trim()))
  })
  let headersOf: IncomingHttpHeaders = {}
  socket.once('upgrade', (response) => (headersOf = response.headers))
  return new Promise((resolve, reject) => {
    const report = (status: number, text = ''): void =>
      resolve({ socket, status, headers: headersOf, text, frames, closed })
    socket.once('open', () => report(101))
    socket.on('error', reject)
    socket.once('unexpected-response', (_request, response) => {
      let text = ''
      headersOf = response.headers
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => report(response.statusCode ?? 0, text))
    })
  })
}
