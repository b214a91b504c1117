// How a backend performs: its calls over time with the changes made to it, its slowest and most failing tools, its latest traces.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { formatMoment } from '../../ui/format.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useUrlParams } from '../../url-params.ts'
import { CallStrip } from '../overview/CallStrip.tsx'
import { Charts } from '../overview/Charts.tsx'
import { RangePicker } from '../overview/RangePicker.tsx'
import { rangeOf } from '../overview/range.ts'
import { ToolLists } from '../overview/TopLists.tsx'
import { useUsage } from '../overview/use-usage.ts'
import { preciseSpan } from '../traces/waterfall.ts'

const SHOWN = '10'

export function Performance({ client }: { readonly client: string }) {
  const [params, change] = useUrlParams()
  const range = rangeOf(params)
  const { data, error, refetch } = useUsage(range, client)
  const changes = useChanges(client, data?.window)
  const watches = mayUse(useActor(), 'operator')
  return (
    <div className="flex flex-col gap-4 overflow-y-auto px-6 py-4">
      <div className="flex flex-wrap items-center gap-3">
        <RangePicker range={range} onChange={change} />
        {watches && data && (
          <Link
            to="/calls"
            search={{ client, kind: 'tool', ...data.window }}
            className="rounded text-sm text-link hover:underline"
          >
            {t('All calls of this time')}
          </Link>
        )}
      </div>
      {data ? (
        <>
          <CallStrip usage={data} client={client} />
          {data.summary.calls > 0 && (
            <>
              <Charts
                series={data.series}
                marks={changes}
                onZoom={(from, to) => change({ from: String(from), to: String(to) })}
              />
              <div className="grid grid-cols-2 gap-4">
                <ToolLists usage={data} />
              </div>
            </>
          )}
          <div className="grid grid-cols-2 items-start gap-4">
            <section aria-label={t('Changes in this time')} className="card px-5 py-4">
              <h3 className="text-xs font-medium text-ink-2">{t('Changes in this time')}</h3>
              {changes.length === 0 && <p className="mt-3 text-xs text-ink-3">{t('The backend was not changed.')}</p>}
              <ol className="mt-2 flex flex-col gap-1 text-xs">
                {changes.map(({ key, atMs, title }) => (
                  <li key={key} className="flex justify-between gap-4">
                    <span className="truncate">{title}</span>
                    <span className="shrink-0 text-ink-3">{formatMoment(new Date(atMs).toISOString())}</span>
                  </li>
                ))}
              </ol>
            </section>
            {watches && <LatestTraces client={client} />}
          </div>
        </>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-label={t('Loading')}>
          <Skeleton className="h-64 rounded-lg" />
        </div>
      )}
    </div>
  )
}

/** From the audit log: what was done to the backend itself. */
function useChanges(client: string, window: { readonly from: string; readonly to: string } | undefined) {
  const { data } = useQuery({
    queryKey: ['audit', 'changes-of', client, window],
    enabled: window !== undefined,
    queryFn: () => api.auditLog.list({ query: { target: client, ...window, limit: '50' } }),
  })
  return (data?.items ?? [])
    .filter(({ action }) => action !== 'tool.call')
    .map(({ id, action, actor, created_at }) => ({
      key: id,
      atMs: Date.parse(created_at),
      title: t('{action} by {actor}', { action, actor }),
    }))
}

function LatestTraces({ client }: { readonly client: string }) {
  const { data } = useQuery({
    queryKey: ['traces', 'latest-of', client],
    queryFn: () => api.traces.list({ query: { client, limit: SHOWN } }),
  })
  return (
    <section aria-label={t('Latest traces')} className="card px-5 py-4">
      <h3 className="flex justify-between text-xs font-medium text-ink-2">
        {t('Latest traces')}
        <Link to="/traces" search={{ client }} className="rounded text-link hover:underline">
          {t('All traces')}
        </Link>
      </h3>
      {data?.items.length === 0 && (
        <p className="mt-3 text-xs text-ink-3">{t('None. Set TRACE_STORAGE=true and restart to store traces.')}</p>
      )}
      <ol className="mt-2 flex flex-col gap-1 text-xs">
        {data?.items.map(({ traceId, mcpToolName, durationMs, hasError }) => (
          <li key={traceId} className="flex justify-between gap-4">
            <Link to={`/traces/${traceId}`} className="truncate rounded font-mono hover:underline">
              {mcpToolName ?? t('an unknown tool')}
            </Link>
            <span className={hasError ? 'text-bad' : 'text-ink-2'}>{preciseSpan(durationMs)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
