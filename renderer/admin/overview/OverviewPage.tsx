// The overview, updated by events.
import { useQuery } from '@tanstack/react-query'
import type { Overview } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ErrorNote, ErrorState } from '../../ui/ErrorState.tsx'
import { formatSpan } from '../../ui/format.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useUrlParams } from '../../url-params.ts'
import { Calls } from './Calls.tsx'
import { FirstRun } from './FirstRun.tsx'
import { NeedsAttention } from './NeedsAttention.tsx'
import { isChosen, rangeOf } from './range.ts'
import { StateCards } from './StateCards.tsx'
import { useFiring } from './use-firing.ts'
import { useRangeWithCalls, useUsage } from './use-usage.ts'

export function OverviewPage() {
  const [params] = useUrlParams()
  const chosen = isChosen(params)
  const found = useRangeWithCalls(!chosen)
  const range = chosen ? rangeOf(params) : found
  const usage = useUsage(range)
  const firing = useFiring()
  const { data, error, refetch } = useQuery({
    queryKey: ['overview'],
    queryFn: () => api.overview.get(),
    // Uptime and the 24 h window move without an event.
    refetchInterval: 30_000,
  })
  return (
    <div className="max-w-[104rem] pb-10">
      <PageHeader title={t('Overview')} about={data ? <Instance overview={data} /> : t('The state of the gateway')} />
      {data ? (
        <div className="flex flex-col gap-4 px-6">
          {error && <ErrorNote error={error} />}
          <FirstRun onboarding={data.onboarding} />
          <NeedsAttention overview={data} firing={firing} usage={usage.data} />
          <Calls range={range} usage={usage} />
          <StateCards overview={data} />
        </div>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </div>
  )
}

function Instance({ overview }: { readonly overview: Overview }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>{t('Version {version}', { version: overview.version })}</span>
      <span>{t('Up for {uptimeSeconds}', { uptimeSeconds: formatSpan(overview.uptimeSeconds * 1000) })}</span>
      <span className="flex items-center gap-1">
        {rich('Instance {value}{copybutton}', {
          value: (
            <span
              className="inline-block max-w-72 truncate align-bottom font-mono text-xs leading-5"
              title={overview.instanceId}
            >
              {shortOf(overview.instanceId)}
            </span>
          ),
          copybutton: <CopyButton text={overview.instanceId} label={t('Copy the instance id')} />,
        })}
      </span>
      <Badge tone={overview.leader ? 'ok' : 'neutral'} dot>
        {overview.leader ? t('Leader') : t('Follower')}
      </Badge>
      {overview.fleet && overview.fleet.instances > 1 && <Convergence fleet={overview.fleet} />}
    </span>
  )
}

/** How far the slowest instance is behind the newest configuration. */
function Convergence({ fleet: { instances, oldest, newest } }: { readonly fleet: NonNullable<Overview['fleet']> }) {
  const same = oldest === newest
  return (
    <Badge tone={same ? 'ok' : 'warn'} dot>
      {same
        ? t('{count} instances, configuration {newest}', { count: instances, newest })
        : t('{count} instances, configuration {oldest} to {newest}', { count: instances, oldest, newest })}
    </Badge>
  )
}

/** Shortens a generated id; a configured one is a name. */
const shortOf = (id: string): string => (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id) ? id.slice(0, 8) : id)

function Loading() {
  return (
    <div role="status" aria-label={t('Loading')} className="flex flex-col gap-4 px-6">
      <Skeleton className="h-24 rounded-lg" />
      <div className="grid grid-cols-2 gap-4 xl:grid-cols-4">
        {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => (
          <Skeleton key={key} className="h-36 rounded-lg" />
        ))}
      </div>
    </div>
  )
}
