// What the desktop window offers through its preload, and whether it is there.
import type { Desktop } from '#channels'

/** What the pages need of it: a page in a browser has none of this. */
export type DesktopBridge = Desktop

export function desktopBridge(scope: object = globalThis): DesktopBridge | undefined {
  // The preload adds `desktop` to the global object, without a type; the method that is used is checked.
  const { desktop } = scope as { readonly desktop?: DesktopBridge }
  return typeof desktop?.adminRequest === 'function' ? desktop : undefined
}
