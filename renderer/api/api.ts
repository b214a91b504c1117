// The typed admin API of this page.
import { createClient } from '#contract'
import { desktopBridge } from './desktop.ts'
import { afterOwnChanges } from './own-changes.ts'
import { ROUTES } from './routes.ts'
import { pickTransport } from './transport.ts'

export const api = createClient(
  ROUTES,
  afterOwnChanges(pickTransport(desktopBridge(), { fetch: (input, init) => globalThis.fetch(input, init) })),
)
