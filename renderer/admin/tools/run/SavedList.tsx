// A list of named arguments to load.
import type { ReactNode } from 'react'

export function SavedList({
  label,
  title,
  children,
}: {
  readonly label: string
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <section aria-label={label} className="card overflow-hidden">
      <h2 className="border-b border-line px-4 py-2 text-xs font-semibold">{title}</h2>
      <ul className="max-h-80 divide-y divide-line overflow-y-auto">{children}</ul>
    </section>
  )
}

export function Saved({
  name,
  brief,
  actions,
  onPick,
}: {
  readonly name: string
  readonly brief: ReactNode
  readonly actions: ReactNode
  readonly onPick: () => void
}) {
  return (
    <li className="flex items-center gap-1 pr-2 hover:bg-hover">
      <button
        type="button"
        className="flex min-w-0 grow items-baseline gap-3 rounded px-4 py-1.5 text-left text-sm"
        onClick={onPick}
      >
        <span className="max-w-[60%] shrink-0 truncate font-medium">{name}</span>
        {brief}
      </button>
      {actions}
    </li>
  )
}
