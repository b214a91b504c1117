// Whether the sidebar is folded: remembered apart for pages that need the width of the window.
import { useCurrentPage } from './current-page.ts'
import { usePreferences } from './preferences.ts'

export function useSidebarFold(): { readonly folded: boolean; toggle(): void } {
  const key = useCurrentPage()?.wide ? 'narrowOnWide' : 'narrow'
  const folded = usePreferences((state) => state[key])
  return { folded, toggle: () => usePreferences.setState({ [key]: !folded }) }
}
