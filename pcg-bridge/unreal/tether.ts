// An idle connection to a listening editor: the system closes it when the process ends, so its death is seen at once.
import { connect, type Socket } from 'node:net'

const RETRY_MS = 400
const CONNECT_MS = 900

export type Tether = { close(): void }

/**
 * `onLoose` says that the connection fell: the peer may be another process now. `onGone` says that nothing listens.
 * A server may close idle connections; then the next one is made.
 */
export function createTether(
  host: string,
  port: number,
  on: { readonly loose: () => void; readonly gone: () => void },
): Tether {
  let socket: Socket | null = null
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let openSince: number | null = null

  function open(): void {
    if (closed) return
    const opened = connect({ host, port })
    socket = opened
    opened.unref()
    opened.setTimeout(CONNECT_MS, () => {
      if (opened.connecting) opened.destroy()
    })
    opened.on('connect', () => {
      openSince = performance.now()
      opened.setTimeout(0)
    })
    // It carries no data.
    opened.on('data', () => opened.destroy())
    opened.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && !closed) {
        closed = true
        on.gone()
      }
    })
    opened.on('close', () => {
      if (closed) return
      if (openSince !== null) on.loose()
      // At once, to see whether it died; but a server that hangs up on everyone is not asked in a loop.
      const lasting = openSince !== null && performance.now() - openSince > RETRY_MS
      timer = setTimeout(open, lasting ? 0 : RETRY_MS)
      timer.unref()
      openSince = null
    })
  }
  open()
  return {
    close() {
      closed = true
      clearTimeout(timer)
      socket?.destroy()
    },
  }
}
