// A card of the overview: number, details, and an attention mark.
import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dot, type Tone } from '../../ui/Badge.tsx'
import { cx } from '../../ui/cx.ts'
import { formatCount } from '../../ui/format.ts'

export function Card({
  title,
  to,
  icon: Icon,
  value,
  note,
  className,
  children,
}: {
  readonly title: string
  /** The page with details. */
  readonly to?: string | undefined
  readonly icon: LucideIcon
  readonly value: number | string
  readonly note?: string
  readonly className?: string
  readonly children?: ReactNode
}) {
  return (
    <section aria-label={title} className={cx('card flex min-h-34 flex-col px-5 py-4', className)}>
      <h2 className="flex items-center gap-2 text-xs font-medium text-ink-2">
        <Icon aria-hidden className="size-4 text-ink-3" />
        <Linked to={to}>{title}</Linked>
      </h2>
      <p className="mt-1.5 flex items-baseline gap-2">
        <span className="text-2xl font-semibold tracking-[-0.02em]">
          {typeof value === 'number' ? formatCount(value) : value}
        </span>
        {note && <span className="text-xs text-ink-3">{note}</span>}
      </p>
      <div className="mt-auto pt-3">{children}</div>
    </section>
  )
}

function Linked({ to, children }: { readonly to: string | undefined; readonly children: ReactNode }) {
  return to === undefined ? (
    children
  ) : (
    <Link to={to} className="rounded hover:text-ink hover:underline">
      {children}
    </Link>
  )
}

export type Part = {
  readonly label: string
  readonly value: number
  readonly tone: Tone
  readonly to?: string | undefined
}

const FILLS: Readonly<Record<Tone, string>> = {
  ok: 'bg-ok-solid',
  warn: 'bg-warn-solid',
  bad: 'bg-bad-solid',
  info: 'bg-info-solid',
  neutral: 'bg-line-strong',
  outline: 'bg-line-strong',
}

/** A stacked bar with a legend. */
export function Parts({ parts }: { readonly parts: readonly Part[] }) {
  const total = parts.reduce((sum, part) => sum + part.value, 0)
  return (
    <>
      <div aria-hidden className="flex h-1.5 gap-0.5 overflow-hidden rounded-full bg-pressed">
        {parts.filter(isCounted).map((part) => (
          <span key={part.label} className={FILLS[part.tone]} style={{ flexGrow: part.value / total }} />
        ))}
      </div>
      <Legend parts={parts} />
    </>
  )
}

const isCounted = ({ value }: Part): boolean => value > 0

export function Legend({ parts }: { readonly parts: readonly Part[] }) {
  return (
    <dl className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs">
      {parts.filter(isCounted).map((part) => (
        <div key={part.label} className="flex items-center gap-1.5">
          <Dot tone={part.tone} />
          <dt className="text-ink-2">
            <Linked to={part.to}>{part.label}</Linked>
          </dt>
          <dd className="font-medium">{formatCount(part.value)}</dd>
        </div>
      ))}
    </dl>
  )
}
