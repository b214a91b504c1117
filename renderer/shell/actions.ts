// Global actions of keyboard and palette: pages and a few commands.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Contrast, Keyboard, LogOut, Moon, PanelLeft, RefreshCw, Rows4, Search, Sun, SunMoon } from 'lucide-react'
import { mayUse } from '#contract'
import { api } from '../api/api.ts'
import { forgetSession, useActor } from '../api/session.ts'
import { t } from '../language/language.ts'
import { PAGES, type PageRow } from '../pages.ts'
import { useOverlay } from '../ui/keys/overlay.ts'
import type { Action } from '../ui/keys/page-actions.ts'
import { notifyDone, notifyError } from '../ui/notify.ts'
import { type Theme, usePreferences } from '../ui/preferences.ts'
import { useAddActions } from './add-actions.ts'
import { useSidebarFold } from './sidebar-fold.ts'

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
  const adding = useAddActions()
  const theme = (next: Theme) => () => usePreferences.setState({ theme: next })
  return [
    ...pages.map((page) => ({
      title: page.title,
      icon: page.icon,
      keys: `g ${page.goTo}`,
      run: () => void navigate({ to: page.path }),
    })),
    ...adding,
    { title: t('Command palette'), icon: Search, keys: 'mod+k', run: () => useOverlay.setState({ open: 'palette' }) },
    { title: t('Keyboard shortcuts'), icon: Keyboard, keys: '?', run: () => useOverlay.setState({ open: 'keys' }) },
    {
      title: t('Collapse or expand the sidebar'),
      icon: PanelLeft,
      keys: '[',
      run: fold.toggle,
    },
    {
      title: t('Refresh this page'),
      icon: RefreshCw,
      keys: 'r',
      run: () => void queries.invalidateQueries().then(() => notifyDone(t('Up to date')), notifyError),
    },
    { title: t('Theme: as the system'), icon: SunMoon, run: theme('system') },
    { title: t('Theme: light'), icon: Sun, run: theme('light') },
    { title: t('Theme: dark'), icon: Moon, run: theme('dark') },
    {
      title: t('High contrast, on or off'),
      icon: Contrast,
      run: () => usePreferences.setState(({ highContrast }) => ({ highContrast: !highContrast })),
    },
    {
      title: t('Compact or roomy'),
      icon: Rows4,
      run: () => usePreferences.setState(({ compact }) => ({ compact: !compact })),
    },
    ...(actor.kind === 'session' ? [{ title: t('Sign out'), icon: LogOut, run: signOut }] : []),
  ]
}
