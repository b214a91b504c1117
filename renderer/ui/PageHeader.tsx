// The head of a page: its name, one line about it, and what can be done here.
import type { ReactNode } from 'react'

export function PageHeader({
  title,
  about,
  badge,
  actions,
}: {
  readonly title: string
  readonly about?: ReactNode
  readonly badge?: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <header className="flex flex-wrap items-center gap-x-6 gap-y-3 px-6 pt-5 pb-4">
      <div className="min-w-0 grow basis-96">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <h1 tabIndex={-1} className="min-w-0 text-xl wrap-anywhere font-semibold tracking-[-0.012em]">
            {title}
          </h1>
          {badge}
        </div>
        {about && <div className="mt-0.5 text-sm text-pretty text-ink-2">{about}</div>}
      </div>
      {actions && <div className="flex items-center gap-2">{actions}</div>}
    </header>
  )
}
