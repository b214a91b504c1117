// Why a tool is refused: deciding checks, recent refusals, and the smallest fix.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import type { ToolDetail } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formatCount, formatSpan } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useUrlParams } from '../../url-params.ts'
import { BreakerState } from '../backends/BackendState.tsx'

const WINDOWS = [
  { value: '3600000', label: t('The last hour') },
  { value: '86400000', label: t('The last day') },
  { value: '604800000', label: t('The last week') },
] as const

export function Diagnosis({ tool }: { readonly tool: ToolDetail }) {
  const [params, change] = useUrlParams()
  const windowMs = WINDOWS.find(({ value }) => value === params.window)?.value ?? '3600000'
  const found = useQuery({
    queryKey: ['tools', 'diagnosis', tool.client, tool.tool, windowMs],
    queryFn: () => api.diagnosis.diagnose({ params: { name: tool.client, tool: tool.tool }, query: { windowMs } }),
  })
  const { data } = found
  if (found.error) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />
  if (!data)
    return (
      <div role="status" aria-label={t('Loading')} className="px-6 py-5">
        <Skeleton className="h-40 rounded-lg" />
      </div>
    )
  return (
    <div className="grid max-w-5xl gap-4 px-6 py-5 xl:grid-cols-2">
      <Findings tool={tool} findings={data.findings} />
      <section aria-label={t('Recent refusals')} className="card px-5 py-4">
        <header className="mb-3 flex items-center justify-between">
          <h2 className="text-sm font-semibold">{t('Refused')}</h2>
          <Select
            label={t('Time')}
            hideLabel
            className="w-36"
            value={windowMs}
            options={WINDOWS}
            onChange={(window) => change({ window })}
          />
        </header>
        <Counts counts={data.denials.byCode} none={t('No refused calls.')} />
        <p className="mt-3 text-xs text-ink-3">
          {data.denials.truncated && (
            <>{t('At least {count}; older ones were not counted.', { count: formatCount(data.denials.sampled) })} </>
          )}
          {data.denials.lastAt && (
            <>{rich('Last {relativetime}', { relativetime: <RelativeTime at={data.denials.lastAt} /> })}</>
          )}
        </p>
      </section>
      <section aria-label={t('Recent failures')} className="card px-5 py-4">
        <h2 className="mb-3 text-sm font-semibold">{t('Failed')}</h2>
        <Counts
          counts={data.errors.byKind}
          none={t('None of {count} calls failed.', { count: formatCount(data.errors.calls) })}
        />
      </section>
      <State data={data} />
    </div>
  )
}

type Data = Awaited<ReturnType<typeof api.diagnosis.diagnose>>

function Findings({ tool, findings }: { readonly tool: ToolDetail; readonly findings: Data['findings'] }) {
  return (
    <div className="xl:col-span-2">
      {findings.length === 0 ? (
        <EmptyState
          icon={ShieldCheck}
          title={t('Nothing is blocking this tool')}
          about={t(
            'No check blocks this tool with its current settings. A single call can still be refused because of its arguments or caller.',
          )}
        />
      ) : (
        <ul aria-label={t('Refused by')} className="flex flex-col gap-3">
          {findings.map(({ gate, text, fix }) => (
            <li key={`${gate}${text}`} className="card border-l-4 border-l-warn-solid px-5 py-3.5 text-sm">
              <code className="font-mono text-xs text-ink-3">{gate}</code>
              <p className="mt-0.5 font-medium">{text}</p>
              <WhereToChange gate={gate} tool={tool} />
              <details className="mt-1.5">
                <summary className="w-fit rounded text-xs text-ink-3">{t('For agents')}</summary>
                <p className="mt-1 text-ink-2">{fix}</p>
              </details>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function State({ data }: { readonly data: Data }) {
  return (
    <>
      <Facts
        title={t('Current state')}
        facts={[
          {
            name: t('Backend'),
            value: data.clientEnabled ? (data.live ? t('enabled and live') : t('enabled, not live')) : t('disabled'),
          },
          {
            name: t('Tool'),
            value: data.missing ? t('missing from its source') : data.toolEnabled ? t('on') : t('off'),
          },
          { name: t('Breaker'), value: <BreakerState state={data.circuitBreaker.state} /> },
          {
            name: t('Failures counted'),
            value: t('{shown} of {all}', {
              shown: data.circuitBreaker.failuresInWindow,
              all: data.circuitBreaker.threshold,
            }),
          },
          {
            name: t('Next probe in'),
            value: data.circuitBreaker.halfOpenInMs !== null && formatSpan(data.circuitBreaker.halfOpenInMs),
          },
        ]}
      />
      <Facts
        title={t('Tool limits')}
        facts={[
          { name: t('Calls per minute'), value: data.guards.rateLimitPerMin },
          {
            name: t('Timeout per attempt'),
            value: data.guards.timeoutMs !== null && formatSpan(data.guards.timeoutMs),
          },
          {
            name: t('Keys allowed'),
            value: data.keyAllowlist.inForce ? t('only {size}', { size: data.keyAllowlist.size }) : t('any'),
          },
          { name: t('Sensitive'), value: data.sensitive ? t('yes, requires confirmation') : t('no') },
          { name: t('Approval'), value: data.requiresApproval ? t('needed') : t('not needed') },
        ]}
      />
    </>
  )
}

/** The page with a gate's settings. */
function WhereToChange({ gate, tool: { client, tool } }: { readonly gate: string; readonly tool: ToolDetail }) {
  const own = `/tools/${client}/${encodeURIComponent(tool)}`
  const limits = { to: own, search: { view: 'limits' }, title: t('Its limits') }
  const backend = { to: `/backends/${client}`, search: {}, title: t('The backend {client}', { client }) }
  const places: Readonly<Record<string, typeof limits | typeof backend>> = {
    confirmation: limits,
    rate_limit: limits,
    input_guardrails: limits,
    key_allowlist: limits,
    arguments: { to: own, search: { view: 'run' }, title: t('Try with other arguments') },
    availability: backend,
    circuit_breaker: backend,
    dispatch: backend,
    ssrf: backend,
    key_scope: { to: '/keys', search: {}, title: t('Keys and their access') },
    consumer_quota: { to: '/consumers', search: {}, title: t('Consumers and quotas') },
  }
  const place = places[gate]
  return place ? (
    <Link to={place.to} search={place.search} className="mt-1.5 inline-block rounded text-link underline">
      {place.title}
    </Link>
  ) : null
}

function Counts({ counts, none }: { readonly counts: Readonly<Record<string, number>>; readonly none: string }) {
  const rows = Object.entries(counts).toSorted(([, a], [, b]) => b - a)
  if (rows.length === 0) return <p className="text-sm text-ink-3">{none}</p>
  return (
    <ul className="flex flex-col gap-1.5 text-sm">
      {rows.map(([code, count]) => (
        <li key={code} className="flex justify-between gap-4">
          <code className="font-mono text-xs text-ink-2">{code}</code>
          <span className="font-medium">{formatCount(count)}</span>
        </li>
      ))}
    </ul>
  )
}
