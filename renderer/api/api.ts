// The typed admin API of this page.
import { ADMIN, createClient } from '#contract'
import { desktopBridge } from './desktop.ts'
import { pickTransport } from './transport.ts'

export const api = createClient(
  ADMIN,
  pickTransport(desktopBridge(), { fetch: (input, init) => globalThis.fetch(input, init) }),
)
