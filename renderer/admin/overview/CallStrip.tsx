// The last 24 hours of calls in five numbers.
import type { Overview } from '#contract'
import { cx } from '../../ui/cx.ts'
import { formatCount, formatShare, formatSpan } from '../../ui/format.ts'

export function CallStrip({ calls }: { readonly calls: Overview['calls24h'] }) {
  const idle = calls.calls === 0
  const figures = [
    { label: 'Calls', value: formatCount(calls.calls), note: 'last 24 hours', tone: '' },
    {
      label: 'Errors',
      value: formatCount(calls.errors),
      note: idle ? 'none yet' : formatShare(calls.errors, calls.calls),
      tone: calls.errors > 0 ? 'text-bad' : '',
    },
    {
      label: 'Refused',
      value: formatCount(calls.refused),
      note: idle ? 'none yet' : formatShare(calls.refused, calls.calls),
      tone: calls.refused > 0 ? 'text-warn' : '',
    },
    { label: 'Average', value: idle ? '–' : formatSpan(calls.avgMs), note: 'duration', tone: '' },
    { label: '95th percentile', value: idle ? '–' : formatSpan(calls.p95Ms), note: 'duration', tone: '' },
  ]
  return (
    <section
      aria-label="Calls in the last 24 hours"
      className="card grid grid-cols-6 gap-px overflow-hidden bg-line! lg:grid-cols-5"
    >
      {figures.map((figure, at) => (
        <div
          key={figure.label}
          className={cx('bg-surface px-5 py-4 lg:col-span-1', at < 3 ? 'col-span-2' : 'col-span-3')}
        >
          <p className="text-xs font-medium text-ink-2">{figure.label}</p>
          <p className={cx('mt-1 text-2xl font-semibold tracking-[-0.02em] whitespace-nowrap', figure.tone)}>
            {figure.value}
          </p>
          <p className="text-xs text-ink-3">{figure.note}</p>
        </div>
      ))}
    </section>
  )
}
