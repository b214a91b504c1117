// The sidebar: one entry for each group of permitted pages, by section; collapsible.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { api } from '../api/api.ts'
import { t } from '../language/language.ts'
import { SECTIONS } from '../pages.ts'
import { Brand } from '../ui/Brand.tsx'
import { IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { Tooltip } from '../ui/Tooltip.tsx'
import { useCurrentPage } from './current-page.ts'
import { ACCOUNT, type Entry, useEntries } from './nav-groups.ts'
import { useSidebarFold } from './sidebar-fold.ts'

const MOST_COUNTED = 99

function WaitingCount({ narrow }: { readonly narrow: boolean }) {
  const { data } = useQuery({
    queryKey: ['approvals', 'waiting'],
    queryFn: () => api.approvals.list({ query: { status: 'pending', limit: String(MOST_COUNTED + 1) } }),
    select: ({ items }) => items.length,
  })
  if (!data) return null
  if (narrow) return <span className="absolute top-1 right-1 size-2 rounded-full bg-warn-solid" />
  return (
    <span
      title={t('{count} waiting for a decision', { count: data })}
      className="ml-auto rounded-full bg-warn-soft px-1.5 text-2xs font-medium text-warn tabular-nums"
    >
      {data > MOST_COUNTED ? `${MOST_COUNTED}+` : data}
    </span>
  )
}

export function Sidebar() {
  const entries = useEntries()
  const { folded: narrow, toggle } = useSidebarFold()
  const account = entries.find(({ group }) => group === ACCOUNT)
  const nav = useRef<HTMLElement>(null)
  const current = useCurrentPage()
  const here = current?.path
  useEffect(() => {
    if (here !== undefined) nav.current?.querySelector('[data-current]')?.scrollIntoView({ block: 'nearest' })
  }, [here])
  return (
    <aside
      className={cx(
        'flex h-full shrink-0 flex-col border-r border-line bg-canvas transition-[width] duration-150',
        narrow ? 'w-13' : 'w-56',
      )}
    >
      <div className={cx('flex h-12 shrink-0 items-center gap-2.5', narrow ? 'justify-center' : 'px-4')}>
        <Brand className="size-6 shrink-0" />
        {!narrow && <span className="text-base font-semibold tracking-[-0.01em]">Gantry</span>}
      </div>
      <nav
        ref={nav}
        aria-label={t('Pages')}
        className="flex grow flex-col gap-4 overflow-x-hidden overflow-y-auto px-2 pt-2 pb-4 short:gap-2.5 short:pt-1 short:pb-2"
      >
        {SECTIONS.map((section) => {
          const own = entries.filter((entry) => entry.section === section && entry.group !== ACCOUNT)
          if (own.length === 0) return null
          return (
            <div key={section}>
              {narrow ? (
                <div className="mx-2 mb-2 h-px bg-line first:hidden" />
              ) : (
                <h2 className="eyebrow px-2 pb-1">{t(section)}</h2>
              )}
              <ul className="flex flex-col gap-px">
                {own.map((entry) => (
                  <li key={entry.path}>
                    <EntryLink entry={entry} narrow={narrow} current={entry.group === current?.group} />
                  </li>
                ))}
              </ul>
            </div>
          )
        })}
      </nav>
      <div
        className={cx(
          'flex shrink-0 items-center border-t border-line py-1.5',
          narrow ? 'flex-col gap-1' : 'justify-between gap-1 px-2',
        )}
      >
        {account && (
          <nav aria-label={t('You')} className={cx(!narrow && 'grow')}>
            <EntryLink entry={account} narrow={narrow} current={current?.group === ACCOUNT} />
          </nav>
        )}
        <Tooltip text={narrow ? t('Expand') : t('Collapse')} keys={['[']} side="right">
          <IconButton label={narrow ? t('Expand the sidebar') : t('Collapse the sidebar')} onClick={toggle}>
            {narrow ? <PanelLeftOpen /> : <PanelLeftClose />}
          </IconButton>
        </Tooltip>
      </div>
    </aside>
  )
}

function EntryLink({
  entry,
  narrow,
  current,
}: {
  readonly entry: Entry
  readonly narrow: boolean
  /** One of its pages is open. */
  readonly current: boolean
}) {
  const Icon = entry.icon
  const link = (
    <Link
      to={entry.path}
      activeOptions={{ exact: entry.path === '/', includeSearch: false }}
      aria-label={narrow ? entry.title : undefined}
      data-current={current || undefined}
      className={cx(
        'group relative flex h-7.5 shrink-0 items-center gap-2.5 short:h-6.5 rounded-md text-sm text-ink-2 hover:bg-hover hover:text-ink',
        'data-current:bg-pressed data-current:font-medium data-current:text-ink',
        narrow ? 'justify-center' : 'px-2',
      )}
    >
      <span className="absolute inset-y-2 -left-2 hidden w-[3px] rounded-r-full bg-brand group-data-current:block" />
      <Icon aria-hidden className="size-4 shrink-0 text-ink-3 group-data-current:text-ink" />
      {!narrow && <span className="truncate">{entry.title}</span>}
      {entry.path === '/approvals' && <WaitingCount narrow={narrow} />}
    </Link>
  )
  return narrow ? (
    <Tooltip text={entry.title} keys={['g', entry.goTo]} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  )
}
