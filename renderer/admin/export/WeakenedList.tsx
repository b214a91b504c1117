// The settings that an import or rollback weakens, with the required confirmation.
import { ShieldAlert } from 'lucide-react'
import type { ImportResult } from '#contract'
import { t } from '../../language/language.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'

/** The limit of listed items. */
const MOST_SHOWN = 200
const MOST_TEXT = 120

const text = (value: unknown): string => (value === null ? t('none') : JSON.stringify(value))
const shortened = (value: string): string => (value.length > MOST_TEXT ? `${value.slice(0, MOST_TEXT)}…` : value)

export function WeakenedList({
  weakened,
  confirmed,
  onConfirm,
}: Pick<ImportResult, 'weakened'> & {
  readonly confirmed: boolean
  /** Absent after it was applied. */
  readonly onConfirm?: (confirmed: boolean) => void
}) {
  if (weakened.length === 0) return null
  const count = weakened.length === 1 ? t('1 weaker setting') : t('{count} weaker settings', { count: weakened.length })
  return (
    <section aria-label={t('Weaker settings')} className="grid gap-2 rounded-md bg-warn-soft px-3 py-2.5">
      <h3 className="flex items-center gap-2 text-sm font-semibold">
        <ShieldAlert aria-hidden className="size-4 text-warn" />
        {count}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <ul tabIndex={0} className="grid max-h-60 gap-1 overflow-auto text-xs">
        {weakened.slice(0, MOST_SHOWN).map(({ path, before, after, reason }) => (
          <li key={`${path} ${reason}`} className="break-words">
            <code className="font-mono">{path}</code>: {reason}{' '}
            <span className="text-ink-3">
              ({shortened(text(before))} → {shortened(text(after))})
            </span>
          </li>
        ))}
        {weakened.length > MOST_SHOWN && <li>{t('{count} more', { count: weakened.length - MOST_SHOWN })}</li>}
      </ul>
      {onConfirm && <Checkbox label={t('Apply the weaker settings')} checked={confirmed} onChange={onConfirm} />}
    </section>
  )
}
