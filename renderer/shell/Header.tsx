// The header: breadcrumb, connection, search, theme, user.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { CircleUserRound, Keyboard, LogOut, Moon, Search, Sun, SunMoon, UserRound } from 'lucide-react'
import { useLiveState } from '../api/live.ts'
import { useActor } from '../api/session.ts'
import { t } from '../language/language.ts'
import { Dot } from '../ui/Badge.tsx'
import { Button, IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { Kbd } from '../ui/Kbd.tsx'
import { useOverlay } from '../ui/keys/overlay.ts'
import { Menu, MenuCheck, MenuItem, MenuSeparator } from '../ui/Menu.tsx'
import { THEMES, type Theme, usePreferences } from '../ui/preferences.ts'
import { Tooltip } from '../ui/Tooltip.tsx'
import { wireWord } from '../ui/wire-words.ts'
import { useSignOut } from './actions.ts'
import { useCurrentPage } from './current-page.ts'
import { LanguageItems } from './LanguageItems.tsx'

const STATES = {
  connecting: {
    tone: 'neutral',
    label: t('Connecting'),
    about: t('Connecting to the gateway’s live updates.'),
    beat: true,
  },
  live: { tone: 'ok', label: t('Live'), about: t('This page updates automatically.'), beat: false },
  lost: {
    tone: 'warn',
    label: t('Reconnecting'),
    about: t('Connection lost. Data may be out of date; it refreshes when the connection is back.'),
    beat: true,
  },
} as const

/** Shows whether the page receives live updates. */
function Connection() {
  const { tone, label, about, beat } = STATES[useLiveState((live) => live.state)]
  return (
    <Tooltip text={about}>
      <button type="button" className="flex h-6 items-center gap-2 rounded-full px-2 text-xs text-ink-2">
        <Dot tone={tone} className={beat ? 'beat' : ''} />
        <span role="status">{label}</span>
      </button>
    </Tooltip>
  )
}

const THEME_ICONS = { system: SunMoon, light: Sun, dark: Moon } as const
const THEME_NAMES: Readonly<Record<Theme, string>> = { system: t('System'), light: t('Light'), dark: t('Dark') }

export function Header() {
  const page = useCurrentPage()
  const { tool, name, id, traceId } = useParams({ strict: false })
  const called = useRecordName(page?.path.slice(1) ?? '', id)
  const inner: string | undefined = tool ?? name ?? traceId ?? called
  return (
    <header className="flex h-12 shrink-0 items-center gap-3 border-b border-line bg-canvas pr-3 pl-6">
      <nav aria-label={t('Breadcrumb')} className="min-w-24 grow basis-64 overflow-hidden">
        <ol className="flex min-w-0 items-center gap-2 text-sm">
          {page && (
            <li className={cx('shrink-0 text-ink-3', inner !== undefined && 'max-lg:hidden')}>
              {t(t(page.group) === page.title ? page.section : page.group)}
            </li>
          )}
          {page && (
            <li aria-hidden className={cx('text-ink-3', inner !== undefined && 'max-lg:hidden')}>
              /
            </li>
          )}
          <li className={cx('shrink-0', inner === undefined ? 'font-medium' : 'text-ink-2 hover:text-ink')}>
            {page ? (
              <Link to={page.path} aria-current={inner === undefined ? 'page' : undefined} className="rounded">
                {page.title}
              </Link>
            ) : (
              t('Not found')
            )}
          </li>
          {page && inner !== undefined && (
            <>
              <li aria-hidden className="text-ink-3">
                /
              </li>
              <li aria-current="page" className="truncate font-medium">
                {inner}
              </li>
            </>
          )}
        </ol>
      </nav>
      <Connection />
      <button
        type="button"
        className="flex h-8 w-60 min-w-32 shrink items-center gap-2 max-md:w-auto max-md:min-w-0 max-md:shrink-0 rounded-md border border-line bg-surface px-2.5 text-sm text-ink-3 shadow-card hover:border-line-strong"
        onClick={() => useOverlay.setState({ open: 'palette' })}
      >
        <Search aria-hidden className="size-4" />
        <span className="min-w-0 grow truncate text-left max-md:sr-only">{t('Search or jump to…')}</span>
        <span className="contents max-md:hidden">
          <Kbd keys={['mod', 'k']} />
        </span>
      </button>
      <div className="flex items-center gap-0.5">
        <ThemeMenu />
        <Tooltip text={t('Keyboard shortcuts')} keys={['?']}>
          <IconButton label={t('Keyboard shortcuts')} onClick={() => useOverlay.setState({ open: 'keys' })}>
            <Keyboard />
          </IconButton>
        </Tooltip>
        <UserMenu />
      </div>
    </header>
  )
}

/** Uses the cached record of the page; requests nothing. */
function useRecordName(noun: string, id: string | undefined): string | undefined {
  const { data } = useQuery<{ readonly name?: string }>({ queryKey: [noun, 'one', id ?? ''], enabled: false })
  return id === undefined ? undefined : data?.name
}

function ThemeMenu() {
  const { theme, highContrast, compact } = usePreferences()
  const Icon = THEME_ICONS[theme]
  return (
    <Menu
      trigger={
        <IconButton label={t('Theme')}>
          <Icon />
        </IconButton>
      }
    >
      {THEMES.map((each) => {
        const Each = THEME_ICONS[each]
        return (
          <MenuItem key={each} icon={<Each />} onSelect={() => usePreferences.setState({ theme: each })}>
            <span className={each === theme ? 'font-semibold' : ''}>{THEME_NAMES[each]}</span>
          </MenuItem>
        )
      })}
      <MenuSeparator />
      <MenuCheck checked={highContrast} onChange={(next) => usePreferences.setState({ highContrast: next })}>
        {t('High contrast')}
      </MenuCheck>
      <MenuCheck checked={compact} onChange={(next) => usePreferences.setState({ compact: next })}>
        {t('Compact')}
      </MenuCheck>
    </Menu>
  )
}

function UserMenu() {
  const actor = useActor()
  const navigate = useNavigate()
  const signOut = useSignOut()
  return (
    <Menu
      trigger={
        <Button
          look="quiet"
          className="max-w-48 pr-2! pl-1.5!"
          aria-label={t('Signed in as {name}', { name: actor.name })}
        >
          <CircleUserRound />
          <span className="truncate max-md:sr-only">{actor.name}</span>
        </Button>
      }
    >
      <div className="px-2 pt-1 pb-1.5">
        <p className="truncate text-sm font-medium">{actor.name}</p>
        <p className="text-xs text-ink-3">{wireWord(actor.role)}</p>
      </div>
      <MenuSeparator />
      <LanguageItems />
      {actor.kind === 'session' && (
        <>
          <MenuSeparator />
          <MenuItem icon={<UserRound />} onSelect={() => void navigate({ to: '/account' })}>
            {t('Account')}
          </MenuItem>
          <MenuItem icon={<LogOut />} onSelect={signOut}>
            {t('Sign out')}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
