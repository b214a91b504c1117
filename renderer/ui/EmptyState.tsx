// An empty state: title, reason, action.
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

export function EmptyState({
  icon: Icon,
  title,
  about,
  action,
  heading: Heading = 'p',
}: {
  readonly icon: LucideIcon
  readonly title: string
  readonly about: ReactNode
  readonly action?: ReactNode
  /** If it replaces the page, its title is the page's heading. */
  readonly heading?: 'p' | 'h1'
}) {
  return (
    <div className="mx-auto flex max-w-sm flex-col items-center px-6 py-14 text-center">
      <Icon aria-hidden className="mb-3 size-7 text-ink-3" strokeWidth={1.5} />
      <Heading className="text-base font-semibold">{title}</Heading>
      <p className="mt-1 text-sm text-balance text-ink-2">{about}</p>
      {action && <div className="mt-4">{action}</div>}
    </div>
  )
}
