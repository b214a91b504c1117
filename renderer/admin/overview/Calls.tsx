// Calls in a time range: figures, charts and top lists.
import { Link } from '@tanstack/react-router'
import { ChartNoAxesColumn, ZoomOut } from 'lucide-react'
import { t } from '../../language/language.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote, ErrorState } from '../../ui/ErrorState.tsx'
import { formatMoment } from '../../ui/format.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useUrlParams } from '../../url-params.ts'
import { CallStrip } from './CallStrip.tsx'
import { Charts } from './Charts.tsx'
import { RangePicker } from './RangePicker.tsx'
import type { Range } from './range.ts'
import { TopLists } from './TopLists.tsx'
import type { useUsage } from './use-usage.ts'

type Props = { readonly range: Range | undefined; readonly usage: ReturnType<typeof useUsage> }

export function Calls({ range, usage: { data, error, refetch } }: Props) {
  const [, change] = useUrlParams()
  return (
    <section aria-label={t('Calls')} className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="text-base font-semibold">{t('Calls')}</h2>
        {range && <RangePicker range={range} onChange={change} />}
        {range?.kind === 'part' && (
          <>
            <span className="text-xs text-ink-2">
              {t('{moment} to {moment2}', { moment: moment(range.fromMs), moment2: moment(range.toMs) })}
            </span>
            <Button size="sm" onClick={() => change({ from: '', to: '' })}>
              <ZoomOut />
              {t('Zoom out')}
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
        <div role="status" aria-label={t('Loading')}>
          <Skeleton className="h-64 rounded-lg" />
        </div>
      )}
    </section>
  )
}

const moment = (ms: number): string => formatMoment(new Date(ms).toISOString()).slice(0, 16)

function NoCalls() {
  return (
    <div className="card">
      <EmptyState
        icon={ChartNoAxesColumn}
        title={t('No call in this time')}
        about={t('Calls are counted when a client uses a tool or you try one here.')}
        action={
          <span className="flex gap-2">
            <Link to="/connect" className={buttonClass({ look: 'strong' })}>
              {t('Connect a client')}
            </Link>
            <Link to="/tools" className={buttonClass({})}>
              {t('Try a tool')}
            </Link>
          </span>
        }
      />
    </div>
  )
}
