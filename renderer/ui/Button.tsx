// The one button: five looks, two sizes, a busy state that keeps its width.
import { LoaderCircle } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cx } from './cx.ts'

const LOOKS = {
  strong: 'bg-strong text-on-strong hover:bg-strong-hover shadow-card',
  plain: 'bg-surface text-ink border border-line-strong hover:bg-hover shadow-card',
  quiet: 'text-ink-2 hover:bg-hover hover:text-ink',
  danger: 'bg-bad-solid text-[oklch(1_0_0)] hover:brightness-110 shadow-card',
  'quiet-danger': 'text-bad hover:bg-bad-soft',
} as const

const SIZES = {
  sm: 'h-7 px-2.5 gap-1.5 text-xs',
  md: 'h-8 px-3 gap-2 text-sm',
  lg: 'h-10 px-4 gap-2 text-base',
} as const

type ButtonLook = { readonly look?: keyof typeof LOOKS; readonly size?: keyof typeof SIZES }

export function buttonClass({ look = 'plain', size = 'md' }: ButtonLook): string {
  return cx(
    'inline-flex shrink-0 items-center justify-center rounded-md font-medium whitespace-nowrap',
    'select-none disabled:pointer-events-none disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
    LOOKS[look],
    SIZES[size],
  )
}

export function Button({
  look,
  size,
  busy = false,
  className,
  children,
  ...rest
}: ComponentProps<'button'> & ButtonLook & { readonly busy?: boolean }) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      disabled={busy || rest.disabled}
      className={cx(buttonClass({ look, size }), 'relative', className)}
    >
      {busy && <LoaderCircle aria-hidden className="absolute animate-spin" />}
      <span className={cx('contents', busy && '*:invisible [&]:text-transparent')}>{children}</span>
    </button>
  )
}

/** An icon button; its label is the accessible name and the tooltip. */
export function IconButton({
  label,
  look = 'quiet',
  size = 'md',
  className,
  ...rest
}: ComponentProps<'button'> & ButtonLook & { readonly label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      {...rest}
      className={cx(buttonClass({ look, size }), size === 'sm' ? 'w-7 px-0!' : 'w-8 px-0!', className)}
    />
  )
}
