// The typed admin API of this page.
import { API, createClient } from '#contract'
import { desktopBridge } from './desktop.ts'
import { pickTransport } from './transport.ts'

export const api = createClient(
  API,
  pickTransport(desktopBridge(), { fetch: (input, init) => globalThis.fetch(input, init) }),
)
