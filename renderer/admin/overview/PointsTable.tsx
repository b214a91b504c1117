// The charts as numbers, for screen readers and for copying.
import type { UsagePoint } from '#contract'
import { t } from '../../language/language.ts'
import { formatMoment, formatSpan } from '../../ui/format.ts'

const HEADS = [t('From'), t('Calls'), t('Failed'), t('Refused'), t('Average'), t('95th percentile')] as const

export function PointsTable({ points }: { readonly points: readonly UsagePoint[] }) {
  const shown = points.filter(({ calls }) => calls > 0)
  return (
    <details className="card col-span-full px-4 py-2 text-xs">
      <summary className="rounded font-medium text-ink-2 hover:text-ink">{t('The charts as a table')}</summary>
      <div className="mt-2 max-h-72 overflow-auto" tabIndex={0} role="group" aria-label={t('The charts as a table')}>
        <table aria-label={t('Calls over time')} className="w-full text-right">
          <thead className="sticky top-0 bg-surface text-ink-3">
            <tr>
              {HEADS.map((head) => (
                <th key={head} scope="col" className="h-7 font-medium first:text-left">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ t, calls, errors, refused, avgMs, p95Ms }) => (
              <tr key={t}>
                <th scope="row" className="py-0.5 text-left font-normal text-ink-2">
                  {formatMoment(new Date(t).toISOString()).slice(0, 16)}
                </th>
                <td>{calls}</td>
                <td>{errors}</td>
                <td>{refused}</td>
                <td>{formatSpan(avgMs)}</td>
                <td>{formatSpan(p95Ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
