// The one way out of a sandboxed program: an HTTP and SOCKS5 proxy on a socket of its own, with a list of hosts and the outbound rules.

import {
  createServer as createHttp,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http'
import { type AddressInfo, createServer, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../telemetry/clock.ts'
import { createDoorToken, type DoorToken } from './door-token.ts'
import type { Pin } from './pin.ts'
import { pinnedConnector } from './pools.ts'

export type Passage = {
  readonly at: number
  readonly host: string
  readonly port: number
  /** Why it was refused; null where it passed. */
  readonly refused: string | null
}

export type DoorParts = {
  /** A Unix socket in a folder of this user; undefined for a loopback port, which asks for a token. */
  readonly path: string | undefined
  readonly hosts: readonly string[]
  readonly pin: (url: string) => Promise<Pin>
  readonly onPassage: (passage: Passage) => void
  readonly clock: Clock
}

/** Every user of this machine reaches a port, so what comes to one has to know its token. */
export type DoorAddress = { readonly path: string } | { readonly port: number; readonly token: string }
export type Door = { readonly address: DoorAddress; close(): Promise<void> }

const CONNECT_MS = 10_000
const MOST_CONNECTIONS = 256
const USUAL_PORTS: readonly number[] = [80, 443]
const BASIC = 'Basic realm="gantry"'
const HOP_BY_HOP = ['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'upgrade']

/** `api.example.com`, `*.example.com`, either with `:port`; without one, 80 and 443. */
export function isListed(hosts: readonly string[], host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return hosts.some((entry) => {
    const [, pattern = '', own] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
    if (own === undefined ? !USUAL_PORTS.includes(port) : Number(own) !== port) return false
    return pattern.startsWith('*.')
      ? name.endsWith(pattern.slice(1)) && name.length > pattern.length - 1
      : name === pattern
  })
}

class Refused extends Error {}

export async function openDoor({ path, hosts, pin, onPassage, clock }: DoorParts): Promise<Door> {
  const open = new Set<Duplex>()
  function hold<T extends Duplex>(socket: T): T {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    return socket
  }

  const dial = createDial({ hosts, pin, onPassage, clock }, hold)
  const token = path === undefined ? createDoorToken() : undefined

  const http = createHttp({ maxHeaderSize: 65_536 }, (request, response) => {
    if (token?.isIn(request.headers['proxy-authorization']) === false)
      return void response.writeHead(407, { 'proxy-authenticate': BASIC }).end()
    return void pass(request, response, dial)
  })
  http.on('connect', (request, client, head) => {
    if (token?.isIn(request.headers['proxy-authorization']) === false)
      return void client.end(
        `HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: ${BASIC}\r\nconnection: close\r\n\r\n`,
      )
    const target = addressIn(request.url ?? '')
    if (target === undefined) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    dial(target.host, target.port).then(
      (socket) => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        if (head.length > 0) socket.write(head)
        join(client, socket)
      },
      (error: unknown) => client.end(`HTTP/1.1 ${statusOf(error)}\r\nconnection: close\r\n\r\n`),
    )
  })
  http.on('clientError', (_error, socket) => socket.destroy())

  const server = createServer((socket) => {
    if (open.size >= MOST_CONNECTIONS) return void socket.destroy()
    hold(socket)
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      // The version of SOCKS is no letter of a method.
      if (first[0] === 5) {
        socket.resume()
        serveSocks(socket, dial, token).then(
          (target) => target && join(socket, target),
          () => socket.destroy(),
        )
        return
      }
      http.emit('connection', socket)
      socket.resume()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if (path === undefined) server.listen(0, '127.0.0.1', resolve)
    else server.listen(path, resolve)
  })
  return {
    // Listening on a port, it has one.
    address: token ? { port: (server.address() as AddressInfo).port, token: token.text } : { path: path ?? '' },
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

type Dial = (host: string, port: number) => Promise<Socket>

/** Connects to a listed host at a permitted address. */
function createDial({ hosts, pin, onPassage, clock }: Omit<DoorParts, 'path'>, hold: (socket: Socket) => Socket): Dial {
  async function pinned(host: string, port: number): Promise<Pin> {
    if (!isListed(hosts, host, port)) throw new Refused('it is not in hosts of this server')
    try {
      return await pin(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`)
    } catch {
      throw new Refused('it does not lead to a permitted address')
    }
  }

  return async function dial(host: string, port: number): Promise<Socket> {
    try {
      const to = await pinned(host, port)
      const connect = pinnedConnector(to, CONNECT_MS)
      const options = { hostname: host, host, protocol: 'http:', port: String(port) }
      const socket = await new Promise<Socket>((resolve, reject) =>
        connect(options, (...[error, made]) => (error === null ? resolve(made) : reject(error))),
      )
      onPassage({ at: clock.now(), host, port, refused: null })
      return hold(socket)
    } catch (error) {
      const refused = error instanceof Refused ? error.message : 'it could not be reached'
      onPassage({ at: clock.now(), host, port, refused })
      throw error
    }
  }
}

function join(client: Duplex, target: Socket): void {
  client.pipe(target)
  target.pipe(client)
  client.once('close', () => target.destroy())
  target.once('close', () => client.destroy())
}

const statusOf = (error: unknown): string => (error instanceof Refused ? '403 Forbidden' : '502 Bad Gateway')

function addressIn(authority: string): { readonly host: string; readonly port: number } | undefined {
  const [, host = '', port] = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+):(\d{1,5})$/.exec(authority) ?? []
  return port === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** A request in absolute form, `GET http://host/path`. */
async function pass(request: IncomingMessage, response: ServerResponse, dial: Dial): Promise<void> {
  const url = URL.parse(request.url ?? '')
  if (url?.protocol !== 'http:') return void response.writeHead(400).end()
  try {
    const socket = await dial(url.hostname.replace(/^\[|\]$/g, ''), Number(url.port) || 80)
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.includes(name)))
    const sent = sendRequest(
      {
        createConnection: () => socket,
        method: request.method,
        path: url.pathname + url.search,
        headers: { ...headers, host: url.host },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    sent.once('error', () => response.destroy())
    response.once('close', () => socket.destroy())
    request.pipe(sent)
  } catch (error) {
    response.writeHead(error instanceof Refused ? 403 : 502).end()
  }
}

/** RFC 1928, CONNECT only; with a token, by its user name and password (RFC 1929). */
async function serveSocks(socket: Socket, dial: Dial, token: DoorToken | undefined): Promise<Socket | undefined> {
  const { take, end } = fieldsOf(socket)
  const [, count = 0] = await take(2)
  const method = token === undefined ? 0 : 2
  if (!(await take(count)).includes(method)) return void socket.end(Buffer.from([5, 255]))
  socket.write(Buffer.from([5, method]))
  if (token) {
    const [, name = 0] = await take(2)
    await take(name)
    const [length = 0] = await take(1)
    if (!token.is((await take(length)).toString())) return void socket.end(Buffer.from([1, 1]))
    socket.write(Buffer.from([1, 0]))
  }
  const [version, command, , kind] = await take(4)
  const length = kind === 1 ? 4 : kind === 4 ? 16 : kind === 3 ? ((await take(1))[0] ?? 0) : 0
  if (version !== 5 || length === 0) return void socket.destroy()
  const bytes = await take(length)
  const port = (await take(2)).readUInt16BE()
  end()
  const reply = (code: number): boolean => socket.write(Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]))
  if (command !== 1) return void (reply(7), socket.end())
  const host = kind === 3 ? bytes.toString('latin1') : kind === 1 ? bytes.join('.') : hextets(bytes)
  try {
    const target = await dial(host, port)
    reply(0)
    return target
  } catch (error) {
    reply(error instanceof Refused ? 2 : 4)
    socket.end()
    return undefined
  }
}

const hextets = (bytes: Buffer): string =>
  new URL(
    `http://[${Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16)).join(':')}]`,
  ).hostname.slice(1, -1)

/** The fields of a greeting, one at a time; what follows them stays in the socket. */
function fieldsOf(socket: Socket) {
  let held: Buffer = Buffer.alloc(0)
  let wake: () => void = () => undefined
  const more = (chunk: Buffer): void => {
    held = Buffer.concat([held, chunk])
    wake()
  }
  const gone = (): void => wake()
  socket.on('data', more).once('close', gone)
  return {
    async take(count: number): Promise<Buffer> {
      while (held.length < count) {
        if (socket.destroyed) throw new Error('the client is gone')
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const found = held.subarray(0, count)
      held = held.subarray(count)
      return found
    },
    end(): void {
      socket.pause().off('data', more).off('close', gone)
      if (held.length > 0) socket.unshift(held)
    },
  }
}
