// A graceful stop with a deadline: balancers are notified, then no new work, calls in flight finish, streams and idle sockets do not hold it up.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Streams } from './streams.ts'

export type Stopped = {
  /** Calls were still in flight at the deadline and were cut off. */
  readonly forced: boolean
}

export type StopOptions = {
  /** Serves on for SHUTDOWN_DRAIN_MS, so that balancers see the readiness probe before anything is refused. */
  readonly drain?: boolean
  /** Others accept the connections of this port: new ones are theirs from now on. */
  readonly elsewhere?: boolean
}

export type Drain = {
  /** A stop has begun; calls may still be served. */
  readonly leaving: () => boolean
  /** New calls are refused. */
  readonly draining: () => boolean
  readonly stop: (options?: StopOptions) => Promise<Stopped>
}

export type DrainOptions = {
  readonly server: Server
  readonly streams: Streams
  readonly drainMs: number
  readonly graceMs: number
  /** Open connections stay. */
  readonly stopAccepting: () => void
  /** Releases the port and everything registered with the app. */
  readonly close: () => Promise<void>
}

const STEP_MS = 20
/** A reader that takes nothing must not hold the stop: its stream is cut after this much of the grace. */
const STREAM_SHARE = 0.25

export function createDrain({ server, streams, drainMs, graceMs, stopAccepting, close }: DrainOptions): Drain {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  let stopping: Promise<Stopped> | undefined
  let refusing = false

  /** Each answer closes its connection: a balancer then holds none that could be cut while it sends the next call. */
  const serveOn = async (): Promise<void> => {
    server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
      response.shouldKeepAlive = false
    })
    await pause(drainMs)
  }

  const finish = async (): Promise<Stopped> => {
    refusing = true
    const startedAt = performance.now()
    const elapsed = (): number => performance.now() - startedAt
    streams.endAll()
    // Only who was here before counts: those who come now are answered 503 and let go.
    const waiting = [...open]
    // Node counts a connection that never sent anything as busy.
    for (const socket of waiting) if (socket.bytesRead === 0) socket.destroy()
    const left = (): boolean => waiting.some((socket) => open.has(socket))
    let cut = false
    for (;;) {
      server.closeIdleConnections()
      if (!left() || elapsed() >= graceMs) break
      if (!cut && elapsed() >= graceMs * STREAM_SHARE) {
        cut = true
        streams.destroyAll()
      }
      await pause(STEP_MS)
    }
    const forced = left()
    // Upgraded connections are not the server's any more, so each socket is ended by hand as well.
    const closing = close()
    server.closeAllConnections()
    for (const socket of open) socket.destroy()
    await closing
    return { forced }
  }

  return {
    leaving: () => stopping !== undefined,
    draining: () => refusing,
    stop({ drain = false, elsewhere = false } = {}) {
      if (stopping === undefined && elsewhere) stopAccepting()
      return (stopping ??= drain && drainMs > 0 ? serveOn().then(finish) : finish())
    },
  }
}
