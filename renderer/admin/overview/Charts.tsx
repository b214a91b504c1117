// Calls over time by outcome, their latency, and the share of errors.
import { useState } from 'react'
import { t } from '../../language/language.ts'
import type { Series } from '../../ui/chart/shape.ts'
import { type ChartMark, TimeChart } from '../../ui/chart/TimeChart.tsx'
import { formatCount, formatShare, formatSpan } from '../../ui/format.ts'
import { PointsTable } from './PointsTable.tsx'
import type { Usage } from './use-usage.ts'

export function Charts({
  series: { bucketMs, points },
  marks = [],
  onZoom,
}: {
  readonly series: Usage['series']
  readonly marks?: readonly ChartMark[]
  readonly onZoom: (fromMs: number, toMs: number) => void
}) {
  const [at, setAt] = useState<number | null>(null)
  const shared = { times: points.map(({ t }) => t), widthMs: bucketMs, marks, at, onAt: setAt, onZoom }
  const ended: readonly Series[] = [
    {
      name: t('answered'),
      tone: 'info',
      values: points.map(({ calls, errors, refused }) => Math.max(0, calls - errors - refused)),
    },
    { name: t('refused'), tone: 'warn', values: points.map(({ refused }) => refused) },
    { name: t('failed'), tone: 'bad', values: points.map(({ errors }) => errors) },
  ]
  const took: readonly Series[] = [
    { name: t('average'), tone: 'ink', values: points.map(({ calls, avgMs }) => (calls > 0 ? avgMs : null)) },
    { name: t('95th percentile'), tone: 'info', values: points.map(({ calls, p95Ms }) => (calls > 0 ? p95Ms : null)) },
  ]
  const share: readonly Series[] = [
    {
      name: t('error rate (accepted calls)'),
      tone: 'bad',
      values: points.map(({ calls, errors, refused }) => (calls > refused ? errors / (calls - refused) : null)),
    },
  ]
  return (
    <>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-3">
        <TimeChart {...shared} title={t('Calls by outcome')} kind="bars" series={ended} format={formatCount} />
        <TimeChart {...shared} title={t('Latency')} kind="lines" series={took} format={formatSpan} />
        <TimeChart
          {...shared}
          title={t('Share of errors')}
          kind="lines"
          series={share}
          format={(of) => formatShare(of, 1)}
        />
        <PointsTable points={points} />
      </div>
    </>
  )
}
