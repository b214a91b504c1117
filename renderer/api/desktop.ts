// What the desktop window offers through its preload, and whether it is there.
import type { ClientRequest, ClientResponse } from '#contract'

export type DesktopBridge = {
  readonly adminRequest: (request: ClientRequest) => Promise<ClientResponse>
  readonly subscribe?: (topic: string, listener: (payload: unknown) => void) => () => void
}

export function desktopBridge(scope: object = globalThis): DesktopBridge | undefined {
  // The preload adds `desktop` to a global the compiler knows nothing of; the one method that matters is checked.
  const { desktop } = scope as { readonly desktop?: DesktopBridge }
  return typeof desktop?.adminRequest === 'function' ? desktop : undefined
}
