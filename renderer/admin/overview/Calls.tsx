// Calls in a time range: figures, charts and top lists.
import { Link } from '@tanstack/react-router'
import { ChartNoAxesColumn, ZoomOut } from 'lucide-react'
import { useState } from 'react'
import { Button, buttonClass } from '../../ui/Button.tsx'
import type { Series } from '../../ui/chart/shape.ts'
import { TimeChart } from '../../ui/chart/TimeChart.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote, ErrorState } from '../../ui/ErrorState.tsx'
import { formatCount, formatMoment, formatShare, formatSpan } from '../../ui/format.ts'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useUrlParams } from '../../url-params.ts'
import { CallStrip } from './CallStrip.tsx'
import { PointsTable } from './PointsTable.tsx'
import { RANGES, type Range } from './range.ts'
import { TopLists } from './TopLists.tsx'
import type { Usage, useUsage } from './use-usage.ts'

type Props = { readonly range: Range | undefined; readonly usage: ReturnType<typeof useUsage> }

export function Calls({ range, usage: { data, error, refetch } }: Props) {
  const [, change] = useUrlParams()
  return (
    <section aria-label="Calls" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="text-base font-semibold">Calls</h2>
        {range && <RangePicker range={range} onChange={change} />}
        {range?.kind === 'part' && (
          <>
            <span className="text-xs text-ink-2">
              {moment(range.fromMs)} to {moment(range.toMs)}
            </span>
            <Button size="sm" onClick={() => change({ from: '', to: '' })}>
              <ZoomOut />
              Zoom out
            </Button>
          </>
        )}
      </div>
      {data ? (
        <>
          {error && <ErrorNote error={error} />}
          <CallStrip usage={data} />
          {data.summary.calls === 0 ? (
            <NoCalls />
          ) : (
            <>
              <Charts series={data.series} onZoom={(from, to) => change({ from: String(from), to: String(to) })} />
              <TopLists usage={data} />
            </>
          )}
        </>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-label="Loading">
          <Skeleton className="h-64 rounded-lg" />
        </div>
      )}
    </section>
  )
}

const moment = (ms: number): string => formatMoment(new Date(ms).toISOString()).slice(0, 16)

const PART = { value: 'part', label: 'Zoomed in' } as const

function RangePicker({
  range,
  onChange,
}: {
  readonly range: Range
  readonly onChange: (change: Record<string, string>) => void
}) {
  const value = range.kind === 'part' ? PART.value : range.value
  return (
    <Select
      label="Time"
      hideLabel
      className="w-40"
      value={value}
      options={range.kind === 'part' ? [PART, ...RANGES] : RANGES}
      onChange={(next) => next !== 'part' && onChange({ range: next, from: '', to: '' })}
    />
  )
}

function NoCalls() {
  return (
    <div className="card">
      <EmptyState
        icon={ChartNoAxesColumn}
        title="No call in this time"
        about="Calls are counted when a client uses a tool or you try one here."
        action={
          <span className="flex gap-2">
            <Link to="/connect" className={buttonClass({ look: 'strong' })}>
              Connect a client
            </Link>
            <Link to="/tools" className={buttonClass({})}>
              Try a tool
            </Link>
          </span>
        }
      />
    </div>
  )
}

function Charts({
  series: { bucketMs, points },
  onZoom,
}: {
  readonly series: Usage['series']
  readonly onZoom: (fromMs: number, toMs: number) => void
}) {
  const [at, setAt] = useState<number | null>(null)
  const shared = { times: points.map(({ t }) => t), widthMs: bucketMs, at, onAt: setAt, onZoom }
  const ended: readonly Series[] = [
    {
      name: 'answered',
      tone: 'info',
      values: points.map(({ calls, errors, refused }) => Math.max(0, calls - errors - refused)),
    },
    { name: 'refused', tone: 'warn', values: points.map(({ refused }) => refused) },
    { name: 'failed', tone: 'bad', values: points.map(({ errors }) => errors) },
  ]
  const took: readonly Series[] = [
    { name: 'average', tone: 'ink', values: points.map(({ calls, avgMs }) => (calls > 0 ? avgMs : null)) },
    { name: '95th percentile', tone: 'info', values: points.map(({ calls, p95Ms }) => (calls > 0 ? p95Ms : null)) },
  ]
  const share: readonly Series[] = [
    {
      name: 'error rate (accepted calls)',
      tone: 'bad',
      values: points.map(({ calls, errors, refused }) => (calls > refused ? errors / (calls - refused) : null)),
    },
  ]
  return (
    <>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-3">
        <TimeChart {...shared} title="Calls by outcome" kind="bars" series={ended} format={formatCount} />
        <TimeChart {...shared} title="Latency" kind="lines" series={took} format={formatSpan} />
        <TimeChart
          {...shared}
          title="Share of errors"
          kind="lines"
          series={share}
          format={(of) => formatShare(of, 1)}
        />
        <PointsTable points={points} />
      </div>
    </>
  )
}
