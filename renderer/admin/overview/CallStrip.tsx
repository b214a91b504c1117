// Five key figures of the calls in a time range.
import { Link } from '@tanstack/react-router'
import { mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { formatCount, formatShare, formatSpan, formatTools } from '../../ui/format.ts'
import type { Usage } from './use-usage.ts'

type Figure = {
  readonly label: string
  readonly value: string
  readonly note: string
  readonly tone: string
  /** The calls that it counts. */
  readonly search?: Readonly<Record<string, string>>
}

export function CallStrip({
  usage: { summary, window },
  client,
}: {
  readonly usage: Usage
  /** The one backend whose calls these are. */
  readonly client?: string
}) {
  const watches = mayUse(useActor(), 'operator')
  const { calls, errors, refused, cancelled, errorRate, p50Ms, p95Ms, maxMs, tools } = summary
  const idle = calls === 0
  const figures: readonly Figure[] = [
    {
      label: t('Calls'),
      value: formatCount(calls),
      note: idle ? t('none yet') : t('of {count}', { count: formatTools(tools) }),
      tone: '',
      search: {},
    },
    {
      label: t('Errors'),
      value: formatCount(errors),
      note: idle ? t('none yet') : formatShare(errorRate, 1),
      tone: errors > 0 ? 'text-bad' : '',
      search: { outcome: 'error' },
    },
    {
      label: t('Refused'),
      value: formatCount(refused),
      note: idle ? t('none yet') : formatShare(refused, calls),
      tone: refused > 0 ? 'text-warn' : '',
      search: { outcome: 'refused' },
    },
    {
      label: t('Median'),
      value: idle ? '–' : formatSpan(p50Ms),
      note: cancelled > 0 ? t('duration; {count} cancelled', { count: formatCount(cancelled) }) : t('duration'),
      tone: '',
    },
    {
      label: t('95th percentile'),
      value: idle ? '–' : formatSpan(p95Ms),
      note: idle ? t('duration') : t('at most {maxMs}', { maxMs: formatSpan(maxMs) }),
      tone: '',
    },
  ]
  return (
    <div className="card grid grid-cols-6 gap-px overflow-hidden bg-line! lg:grid-cols-5">
      {figures.map((figure, at) => (
        <div
          key={figure.label}
          className={cx('bg-surface px-5 py-4 lg:col-span-1', at < 3 ? 'col-span-2' : 'col-span-3')}
        >
          <p className="text-xs font-medium text-ink-2">{figure.label}</p>
          <p className={cx('mt-1 text-2xl font-semibold tracking-[-0.02em] whitespace-nowrap', figure.tone)}>
            {figure.search && watches && !idle ? (
              <Link
                to="/calls"
                search={{ kind: 'tool', ...window, ...(client && { client }), ...figure.search }}
                className="rounded hover:underline"
              >
                {figure.value}
              </Link>
            ) : (
              figure.value
            )}
          </p>
          <p className="text-xs text-ink-3">{figure.note}</p>
        </div>
      ))}
    </div>
  )
}
