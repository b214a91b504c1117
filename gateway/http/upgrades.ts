// WebSocket requests: each goes through the gates, hooks and error answers of any other request, and leaves as a connection.
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '../contract/error.ts'
import { acceptSocket, type Upgrading, type WebSocket } from '../net/sockets.ts'

export const SOCKET_PATH = '/ws-proxy/'

export type Upgrades = {
  /** The connection, paused; throws where the request asks for none. */
  accept(request: FastifyRequest, reply: FastifyReply, wanted: Wanted): WebSocket
  /** Throws likewise, and leaves the request as it is. */
  require(request: FastifyRequest): void
}
type Wanted = { readonly maxMessageBytes: number; readonly protocol: string | undefined }

/** Any other request for an upgrade (HTTP/2 in the clear, say) is answered as if it had made none. */
export const isSocketRequest = ({ url, headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && url?.startsWith(SOCKET_PATH) === true

const unfit = (why: string): GatewayError =>
  new GatewayError('INVALID_REQUEST', `This address takes WebSocket connections: ${why}`)

export function createUpgrades(
  server: Server,
  route: (raw: IncomingMessage, response: ServerResponse) => void,
): Upgrades {
  const waiting = new WeakMap<IncomingMessage, Upgrading>()

  server.on('upgrade', (raw: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The server has released it: without a listener its error would be uncaught.
    socket.on('error', () => socket.destroy())
    if (!isSocketRequest(raw)) {
      socket.destroy()
      return
    }
    const response = new ServerResponse(raw)
    response.shouldKeepAlive = false
    // Node's server gives nothing but sockets of its own here; the type says what others may.
    response.assignSocket(raw.socket)
    response.once('finish', () => socket.end())
    waiting.set(raw, { raw, socket, head })
    route(raw, response)
  })

  function upgrading({ raw }: FastifyRequest): Upgrading {
    const found = waiting.get(raw)
    if (found === undefined) throw unfit('ask for one with "Connection: Upgrade" and "Upgrade: websocket"')
    return found
  }

  return {
    require: (request) => void upgrading(request),
    accept(request, reply, { maxMessageBytes, protocol }) {
      const found = upgrading(request)
      const made = acceptSocket(found, { maxMessageBytes, protocol, headers: { 'X-Request-ID': request.id } })
      if (typeof made === 'string') throw unfit(made)
      reply.hijack()
      reply.raw.detachSocket(request.raw.socket)
      return made
    },
  }
}
