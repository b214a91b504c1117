// Global actions of keyboard and palette: pages and a few commands.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  Contrast,
  Keyboard,
  LogOut,
  type LucideIcon,
  Moon,
  PanelLeft,
  RefreshCw,
  Rows4,
  Search,
  Sun,
  SunMoon,
} from 'lucide-react'
import { create } from 'zustand'
import { mayUse } from '#contract'
import { api } from '../api/api.ts'
import { forgetSession, useActor } from '../api/session.ts'
import { PAGES, type PageRow } from '../pages.ts'
import { notifyDone, notifyError } from '../ui/notify.ts'
import { type Theme, usePreferences } from './preferences.ts'
import { useSidebarFold } from './sidebar-fold.ts'

export const useOverlay = create<{ readonly open: 'palette' | 'keys' | null }>(() => ({ open: null }))

export type Action = {
  readonly title: string
  readonly icon: LucideIcon
  /** In the format of key-sequence.ts. */
  readonly keys?: string
  readonly run: () => void
}

/** The permitted pages, in table order. */
export function useOwnPages(): readonly PageRow[] {
  const actor = useActor()
  return PAGES.filter((page) => mayUse(actor, page.access))
}

export function useSignOut(): () => void {
  const queries = useQueryClient()
  return () => {
    api.auth.logout().then(() => {
      queries.removeQueries({ predicate: (query) => query.queryKey[0] !== 'me' })
      forgetSession(queries)
    }, notifyError)
  }
}

export function useActions(): readonly Action[] {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const actor = useActor()
  const signOut = useSignOut()
  const pages = useOwnPages()
  const fold = useSidebarFold()
  const theme = (next: Theme) => () => usePreferences.setState({ theme: next })
  return [
    ...pages.map((page) => ({
      title: page.title,
      icon: page.icon,
      keys: `g ${page.goTo}`,
      run: () => void navigate({ to: page.path }),
    })),
    { title: 'Command palette', icon: Search, keys: 'mod+k', run: () => useOverlay.setState({ open: 'palette' }) },
    { title: 'Keyboard shortcuts', icon: Keyboard, keys: '?', run: () => useOverlay.setState({ open: 'keys' }) },
    {
      title: 'Collapse or expand the sidebar',
      icon: PanelLeft,
      keys: '[',
      run: fold.toggle,
    },
    {
      title: 'Refresh this page',
      icon: RefreshCw,
      keys: 'r',
      run: () => void queries.invalidateQueries().then(() => notifyDone('Up to date'), notifyError),
    },
    { title: 'Theme: as the system', icon: SunMoon, run: theme('system') },
    { title: 'Theme: light', icon: Sun, run: theme('light') },
    { title: 'Theme: dark', icon: Moon, run: theme('dark') },
    {
      title: 'High contrast, on or off',
      icon: Contrast,
      run: () => usePreferences.setState(({ highContrast }) => ({ highContrast: !highContrast })),
    },
    {
      title: 'Compact or roomy',
      icon: Rows4,
      run: () => usePreferences.setState(({ compact }) => ({ compact: !compact })),
    },
    ...(actor.kind === 'session' ? [{ title: 'Sign out', icon: LogOut, run: signOut }] : []),
  ]
}
