// A graceful stop with a deadline: no new work, calls in flight finish, streams and idle sockets do not hold it up.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Streams } from './streams.ts'

export type Drain = {
  readonly draining: () => boolean
  /** `forced` says that calls were still in flight at the deadline and were cut off. */
  readonly stop: () => Promise<{ readonly forced: boolean }>
}

export type DrainOptions = {
  readonly server: Server
  readonly streams: Streams
  readonly graceMs: number
  /** Releases the port and everything registered with the app. */
  readonly close: () => Promise<void>
}

const STEP_MS = 20
/** A reader that takes nothing must not hold the stop: its stream is cut after this much of the grace. */
const STREAM_SHARE = 0.25

export function createDrain({ server, streams, graceMs, close }: DrainOptions): Drain {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  let stopping: Promise<{ forced: boolean }> | undefined

  const drain = async (): Promise<{ forced: boolean }> => {
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
    draining: () => stopping !== undefined,
    stop: () => (stopping ??= drain()),
  }
}
