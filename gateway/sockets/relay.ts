// Joins two open WebSockets: frames in both directions in order, with backpressure and a common end.
import type { WebSocket } from '../net/sockets.ts'
import { cutToBytes, foreignText, NOTHING_WITHHELD } from '../text/foreign-text.ts'

export type Ending = { readonly code: number; readonly reason: string }
export type RelayOptions = {
  readonly client: WebSocket
  readonly backend: WebSocket
  readonly idleTimeoutMs: number
  readonly onBytes: (direction: 'up' | 'down', bytes: number) => void
  /** The backend aborted, or violated the protocol. */
  readonly onBackendFailed: () => void
}
export type Relay = { readonly end: (ending: Ending) => void }

/** Unsent bytes above which the other side is paused, and below which it resumes. */
const MOST_UNSENT = 1_048_576
const FEW_UNSENT = 262_144
/** The limit of a close frame's reason. */
const REASON_BYTES = 123
const NO_CODE = 1005
const BROKEN_OFF = 1006
const TOO_LARGE = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'

/** Whether a side may be written to; pings to a stalled reader would pile up. */
export const isKeepingUp = ({ bufferedAmount }: WebSocket): boolean => bufferedAmount <= MOST_UNSENT

/** Closes with a handshake; resumes a paused side, so that it sees the answer. */
export function shut(socket: WebSocket, code: number, reason = ''): void {
  socket.resume()
  if (code === NO_CODE) socket.close()
  else socket.close(code, cutToBytes(reason, REASON_BYTES))
}

export function relay({ client, backend, idleTimeoutMs, onBytes, onBackendFailed }: RelayOptions): Relay {
  let over = false
  const idle = setTimeout(() => end({ code: 1001, reason: 'idle' }), idleTimeoutMs)

  function end({ code, reason }: Ending, backendCode = 1001): void {
    if (over) return
    over = true
    clearTimeout(idle)
    shut(client, code, reason)
    shut(backend, backendCode)
  }

  function pump(from: WebSocket, to: WebSocket, direction: 'up' | 'down', send: (data: Buffer) => Buffer | string) {
    const sent = (): void => {
      if (from.isPaused && to.bufferedAmount <= FEW_UNSENT) from.resume()
    }
    from.on('message', (data: Buffer, binary) => {
      if (over) return
      idle.refresh()
      onBytes(direction, data.length)
      to.send(binary ? data : send(data), { binary }, sent)
      if (!isKeepingUp(to)) from.pause()
    })
  }

  pump(client, backend, 'up', (data) => data)
  // Text for the model is cleaned; text for the backend passes unchanged.
  pump(backend, client, 'down', (data) => foreignText(data.toString(), NOTHING_WITHHELD))

  // The library has already answered the client with the right code.
  client.on('error', () => end({ code: 1002, reason: '' }))
  client.on('close', (code) => end({ code: NO_CODE, reason: '' }, code === BROKEN_OFF ? 1001 : code))
  backend.on('error', (error) => {
    if ('code' in error && error.code === TOO_LARGE) end({ code: 1009, reason: 'a message was too large' }, 1009)
    else backendFailed()
  })
  backend.on('close', (code, reason) => {
    if (code === BROKEN_OFF) backendFailed()
    else end({ code, reason: foreignText(reason.toString(), NOTHING_WITHHELD) }, NO_CODE)
  })
  function backendFailed(): void {
    if (!over) onBackendFailed()
    end({ code: 1011, reason: 'the backend failed' })
  }

  for (const socket of [client, backend]) socket.resume()
  return { end }
}
