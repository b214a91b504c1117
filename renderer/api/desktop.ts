// The preload API of the desktop window, if present.
import type { Desktop } from '#channels'

/** The part that pages use; absent in a browser. */
export type DesktopBridge = Desktop

export function desktopBridge(scope: object = globalThis): DesktopBridge | undefined {
  // The preload adds `desktop` to the global object, without a type; the method that is used is checked.
  const { desktop } = scope as { readonly desktop?: DesktopBridge }
  return typeof desktop?.adminRequest === 'function' ? desktop : undefined
}
