// A line diff with context.
import type { DiffLine } from '#contract'
import { cx } from './cx.ts'

const LOOKS = {
  same: { sign: ' ', look: 'text-ink-3', spoken: '' },
  added: { sign: '+', look: 'bg-ok-soft text-ink', spoken: 'Added: ' },
  removed: { sign: '−', look: 'bg-bad-soft text-ink', spoken: 'Removed: ' },
} as const

export function LineDiff({ label, lines }: { readonly label: string; readonly lines: readonly DiffLine[] }) {
  const numbered = lines.map((line, index) => ({ ...line, key: index }))
  return (
    <div
      role="group"
      aria-label={label}
      // Scrollable, so it must be focusable.
      tabIndex={0}
      className="max-h-64 overflow-auto rounded-md border border-line bg-sunken py-2 font-mono text-xs leading-5"
    >
      {numbered.map(({ key, kind, text }) => (
        <div key={key} className={cx('flex min-w-max gap-2 px-3 whitespace-pre', LOOKS[kind].look)}>
          <span aria-hidden className="w-2 shrink-0 select-none">
            {LOOKS[kind].sign}
          </span>
          <span>
            <span className="sr-only">{LOOKS[kind].spoken}</span>
            {text}
          </span>
        </div>
      ))}
    </div>
  )
}
