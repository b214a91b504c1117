// The typed admin API of this page.
import { createClient } from '#contract'
import { desktopBridge } from './desktop.ts'
import { ROUTES } from './routes.ts'
import { pickTransport } from './transport.ts'

export const api = createClient(
  ROUTES,
  pickTransport(desktopBridge(), { fetch: (input, init) => globalThis.fetch(input, init) }),
)
