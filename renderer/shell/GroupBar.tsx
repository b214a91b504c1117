// The pages of the current group, above the page.
import { Link } from '@tanstack/react-router'
import { t } from '../language/language.ts'
import { useCurrentPage } from './current-page.ts'
import { useEntries } from './nav-groups.ts'

export function GroupBar() {
  const current = useCurrentPage()
  const entry = useEntries().find(({ group }) => group === current?.group)
  if (!entry || entry.pages.length === 1) return null
  return (
    <nav
      aria-label={t(entry.group)}
      className="flex h-9 shrink-0 items-stretch gap-1 border-b border-line bg-surface px-4"
    >
      {entry.pages.map(({ path, title }) => (
        <Link
          key={path}
          to={path}
          activeOptions={{ includeSearch: false }}
          data-current={path === current?.path || undefined}
          className="flex items-center border-b-2 border-transparent px-2.5 text-sm whitespace-nowrap text-ink-2 hover:text-ink data-current:border-brand data-current:font-medium data-current:text-ink"
        >
          {title}
        </Link>
      ))}
    </nav>
  )
}
