// The sidebar: permitted pages by section; collapsible.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { api } from '../api/api.ts'
import { type PageRow, SECTIONS } from '../pages.ts'
import { Brand } from '../ui/Brand.tsx'
import { IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { Tooltip } from '../ui/Tooltip.tsx'
import { useOwnPages } from './actions.ts'
import { useCurrentPage } from './current-page.ts'
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
      title={`${data} waiting for a decision`}
      className="ml-auto rounded-full bg-warn-soft px-1.5 text-2xs font-medium text-warn tabular-nums"
    >
      {data > MOST_COUNTED ? `${MOST_COUNTED}+` : data}
    </span>
  )
}

export function Sidebar() {
  const pages = useOwnPages()
  const { folded: narrow, toggle } = useSidebarFold()
  const nav = useRef<HTMLElement>(null)
  const here = useCurrentPage()?.path
  useEffect(() => {
    if (here !== undefined) nav.current?.querySelector('[data-status=active]')?.scrollIntoView({ block: 'nearest' })
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
        aria-label="Pages"
        className="flex grow flex-col gap-4 overflow-x-hidden overflow-y-auto px-2 pt-2 pb-4 short:gap-2.5 short:pt-1 short:pb-2"
      >
        {SECTIONS.map((section) => {
          const own = pages.filter((page) => page.section === section)
          if (own.length === 0) return null
          return (
            <div key={section}>
              {narrow ? (
                <div className="mx-2 mb-2 h-px bg-line first:hidden" />
              ) : (
                <h2 className="eyebrow px-2 pb-1">{section}</h2>
              )}
              <ul className="flex flex-col gap-px">
                {own.map((page) => (
                  <li key={page.path}>
                    <PageLink page={page} narrow={narrow} />
                  </li>
                ))}
              </ul>
            </div>
          )
        })}
      </nav>
      <div className={cx('flex h-11 shrink-0 items-center border-t border-line', narrow ? 'justify-center' : 'px-2')}>
        <Tooltip text={narrow ? 'Expand' : 'Collapse'} keys={['[']} side="right">
          <IconButton label={narrow ? 'Expand the sidebar' : 'Collapse the sidebar'} onClick={toggle}>
            {narrow ? <PanelLeftOpen /> : <PanelLeftClose />}
          </IconButton>
        </Tooltip>
      </div>
    </aside>
  )
}

function PageLink({ page, narrow }: { readonly page: PageRow; readonly narrow: boolean }) {
  const Icon = page.icon
  const link = (
    <Link
      to={page.path}
      activeOptions={{ exact: page.path === '/', includeSearch: false }}
      aria-label={narrow ? page.title : undefined}
      className={cx(
        'group relative flex h-7.5 shrink-0 items-center gap-2.5 short:h-6.5 rounded-md text-sm text-ink-2 hover:bg-hover hover:text-ink',
        'data-[status=active]:bg-pressed data-[status=active]:font-medium data-[status=active]:text-ink',
        narrow ? 'justify-center' : 'px-2',
      )}
    >
      <span className="absolute inset-y-2 -left-2 hidden w-[3px] rounded-r-full bg-brand group-data-[status=active]:block" />
      <Icon aria-hidden className="size-4 shrink-0 text-ink-3 group-data-[status=active]:text-ink" />
      {!narrow && <span className="truncate">{page.title}</span>}
      {page.path === '/approvals' && <WaitingCount narrow={narrow} />}
    </Link>
  )
  return narrow ? (
    <Tooltip text={page.title} keys={['g', page.goTo]} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  )
}
