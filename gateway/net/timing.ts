// When the parts of a request happened, for requests that a span is made of. Nothing here runs for others.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** How a connection was opened. Monotonic; without TLS, `secured` is absent. */
type Dial = { readonly from: number; readonly connected: number; readonly secured: number | undefined }

/** Monotonic times of one exchange; each is absent until it happens. */
export class Timing {
  readonly began = performance.now()
  /** The request is on its connection. */
  sent: number | undefined
  head: number | undefined
  ended: number | undefined
  /** Of the first request on a new connection only. */
  dial: Dial | undefined
}

const dials = new WeakMap<object, Dial>()
let starting: Timing | undefined

/** undici reports the socket of a request right after its start, in the same turn. */
export function requestStarts(timing: Timing): void {
  timing.sent = performance.now()
  starting = timing
}

function onSent(message: unknown): void {
  const timing = starting
  starting = undefined
  const { socket } = message as { readonly socket: object } // as undici documents it
  const dial = dials.get(socket)
  if (dial === undefined) return
  // Also for a request that is not timed: the connection is not new for the one after it.
  dials.delete(socket)
  if (timing) timing.dial = dial
}

const SENT = 'undici:client:sendHeaders'

/** Returns the end of it. */
export function watchSent(): () => void {
  subscribe(SENT, onSent)
  return () => void unsubscribe(SENT, onSent)
}

/** Notes when a socket is connected; call the result when it can be used. */
export function timedDial(socket: Socket, from: number): () => void {
  let connected: number | undefined
  socket.once('connect', () => {
    connected = performance.now()
  })
  return () => {
    const at = performance.now()
    dials.set(socket, { from, connected: connected ?? at, secured: 'encrypted' in socket ? at : undefined })
  }
}
