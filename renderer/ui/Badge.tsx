// A coloured state label.
import type { ReactNode } from 'react'
import { cx } from './cx.ts'

const TONES = {
  neutral: 'bg-hover text-ink-2',
  outline: 'text-ink-2 border border-line-strong',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
} as const

export type Tone = keyof typeof TONES

const DOTS: Readonly<Record<Tone, string>> = {
  neutral: 'bg-ink-3',
  outline: 'bg-ink-3',
  ok: 'bg-ok-solid',
  warn: 'bg-warn-solid',
  bad: 'bg-bad-solid',
  info: 'bg-info-solid',
}

export function Badge({
  tone = 'neutral',
  dot = false,
  className,
  children,
}: {
  readonly tone?: Tone
  readonly dot?: boolean
  readonly className?: string
  readonly children: ReactNode
}) {
  return (
    <span
      className={cx(
        'inline-flex h-5 items-center gap-1.5 rounded px-1.5 text-2xs font-medium whitespace-nowrap [&_svg]:size-3',
        TONES[tone],
        className,
      )}
    >
      {dot && <Dot tone={tone} />}
      {children}
    </span>
  )
}

export function Dot({ tone, className }: { readonly tone: Tone; readonly className?: string }) {
  return <span aria-hidden className={cx('size-1.5 shrink-0 rounded-full', DOTS[tone], className)} />
}
