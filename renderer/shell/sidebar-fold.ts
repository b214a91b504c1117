// Whether the sidebar is folded: remembered apart for pages that need the width of the window, and for small windows.
import { useSyncExternalStore } from 'react'
import { usePreferences } from '../ui/preferences.ts'
import { useCurrentPage } from './current-page.ts'

/** A zoom of 200 % leaves less of most windows; the open sidebar is a third of it. */
const small = typeof matchMedia === 'undefined' ? undefined : matchMedia('(width < 50rem)')

function onResize(changed: () => void): () => void {
  small?.addEventListener('change', changed)
  return () => small?.removeEventListener('change', changed)
}

export function useSidebarFold(): { readonly folded: boolean; toggle(): void } {
  const inSmall = useSyncExternalStore(onResize, () => small?.matches ?? false)
  const wide = useCurrentPage()?.wide ?? false
  const key = wide || inSmall ? 'narrowOnWide' : 'narrow'
  const folded = usePreferences((state) => state[key])
  return { folded, toggle: () => usePreferences.setState({ [key]: !folded }) }
}
