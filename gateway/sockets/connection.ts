// A proxied connection: dials the backend for an open client, and reads nothing until both are open.
import { ExchangeError } from '../net/exchange-error.ts'
import type { Dialling, WebSocket } from '../net/sockets.ts'
import { type Ending, isKeepingUp, type Relay, relay, shut } from './relay.ts'

export type ConnectionOptions = {
  readonly client: WebSocket
  readonly dialling: Dialling
  readonly idleTimeoutMs: number
  readonly onBytes: (direction: 'up' | 'down', bytes: number) => void
  /** Reports the backend's health: on open, on failure, and on abort. */
  readonly onBackend: (verdict: 'success' | 'failure' | 'none') => void
  /** Both sides are closed. */
  readonly onGone: () => void
}

export type Connection = {
  /** False if it had already ended. */
  readonly end: (ending: Ending) => boolean
  readonly ping: () => void
  /** Closes at once, dropping unsent data. */
  readonly destroy: () => void
}

/** A failed dial's close code for the client, and its outcome for the breaker. */
function endingOf(error: unknown): Ending & { readonly verdict: 'failure' | 'none' } {
  if (error instanceof ExchangeError) {
    if (error.kind === 'blocked')
      return { code: 1008, reason: 'the address of this target is not permitted', verdict: 'none' }
    if (error.kind === 'cancelled' || error.kind === 'no_socket')
      return { code: 1013, reason: error.message, verdict: 'none' }
  }
  return { code: 1011, reason: 'the backend did not open', verdict: 'failure' }
}

export function connection(options: ConnectionOptions): Connection {
  const { client, dialling, idleTimeoutMs, onBytes, onBackend, onGone } = options
  let backend: WebSocket | undefined
  let relaying: Relay | undefined
  let over = false
  let open = 2
  const gone = (): void => {
    open -= 1
    if (open === 0) onGone()
  }
  /** With both open, there is nothing left to cancel. */
  const cancel = (): void => {
    over = true
    dialling.cancel()
  }

  client.once('close', gone)
  client.once('close', cancel)
  // A close follows each error; without a listener the error would be uncaught.
  client.on('error', () => undefined)
  dialling.opened.then(
    (opened) => {
      opened.once('close', gone)
      onBackend('success')
      if (over) {
        shut(opened, 1001)
        return
      }
      backend = opened
      relaying = relay({ client, backend, idleTimeoutMs, onBytes, onBackendFailed: () => onBackend('failure') })
    },
    (error: unknown) => {
      const { verdict, code, reason } = endingOf(error)
      over = true
      onBackend(verdict)
      shut(client, code, reason)
      gone()
    },
  )

  return {
    end(ending) {
      if (over) return false
      cancel()
      if (relaying) relaying.end(ending)
      else shut(client, ending.code, ending.reason)
      return true
    },
    ping() {
      if (client.readyState === client.OPEN && isKeepingUp(client)) client.ping()
    },
    destroy() {
      cancel()
      client.terminate()
      backend?.terminate()
    },
  }
}
