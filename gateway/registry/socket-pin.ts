// Where the WebSocket of a tool is dialled: at the backend's own pin where it is the backend's server, else at what it was vetted at.
import { type Pin, parseSocketUrl, pinAt } from '../net/pin.ts'
import type { Backend, Tool } from './backend.ts'

export type SocketPlace = {
  readonly pin: Pin
  /** A credential goes to the backend's own server only. */
  readonly here: boolean
  readonly path: string
}

/** Undefined for a tool that has none, or has it switched off. */
export function socketOf({ pins }: Backend, { config: { ws } }: Tool): SocketPlace | undefined {
  if (!ws?.enabled || pins === null) return undefined
  const url = parseSocketUrl(ws.wsUrl)
  const here = url.origin === pins.base.origin
  const pin = here ? pins.base : pinAt(url, ws.addresses, pins.base.reach)
  return { pin, here, path: url.pathname + url.search }
}
