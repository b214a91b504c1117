// The user's gestures on the open graph, newest first; each can be returned to.
import { Footprints } from 'lucide-react'
import { useStore } from 'zustand'
import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { notifyError } from '../../ui/notify.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useGestures } from '../use-gestures.ts'

export function StepsPanel() {
  const { gestures } = useGestures()
  const { done, undone, busy } = useStore(gestures.state)
  if (done.length + undone.length === 0)
    return (
      <EmptyState
        icon={Footprints}
        title={t('No step yet')}
        about={t('Your edits of this graph are listed here and can be undone.')}
      />
    )
  const steps = [...done, ...undone.toReversed()]
  const goTo = (length: number): void =>
    void gestures.goTo(length).catch((error: unknown) => gestures.state.getState().blocked ?? notifyError(error))
  return (
    <ol aria-label={t('Steps, newest first')} className="flex flex-col px-3 pb-3">
      {steps
        .map((step, index) => ({ step, length: index + 1 }))
        .toReversed()
        .map(({ step, length }) => (
          <li key={length}>
            <button
              type="button"
              disabled={busy}
              aria-current={length === done.length ? 'step' : undefined}
              onClick={() => goTo(length)}
              title={length > done.length ? t('Redo to here') : t('Undo to here')}
              className={cx(
                'flex w-full items-baseline gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover',
                length === done.length && 'bg-pressed font-medium',
                length > done.length && 'text-ink-3 italic',
              )}
            >
              <span className="grow truncate">{step.label}</span>
              <span className="shrink-0 text-2xs text-ink-3">
                <RelativeTime at={new Date(step.at).toISOString()} />
              </span>
            </button>
          </li>
        ))}
      <li>
        <button
          type="button"
          disabled={busy || done.length === 0}
          onClick={() => goTo(0)}
          className="w-full rounded-md px-2 py-1.5 text-left text-sm text-ink-2 hover:bg-hover disabled:text-ink-3"
        >
          {t('When opened')}
        </button>
      </li>
    </ol>
  )
}
