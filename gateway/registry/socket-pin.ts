// The pin of a tool's WebSocket: the backend's own if on its server, otherwise the separately checked one.
import { type Pin, parseSocketUrl, pinAt } from '../net/pin.ts'
import type { Backend, Tool } from './backend.ts'

export type SocketPlace = {
  readonly pin: Pin
  /** The credential is sent to the backend's own server only. */
  readonly here: boolean
  readonly path: string
}

/** Undefined if the tool has none or it is disabled. */
export function socketOf({ pins }: Backend, { config: { ws } }: Tool): SocketPlace | undefined {
  if (!ws?.enabled || pins === null) return undefined
  const url = parseSocketUrl(ws.wsUrl)
  const here = url.origin === pins.base.origin
  // A local service is allowed for the backend's own addresses only.
  const pin = here ? pins.base : pinAt(url, ws.addresses, { ...pins.base.reach, local: undefined })
  return { pin, here, path: url.pathname + url.search }
}
