// Why a tool is refused: deciding checks, recent refusals, and the smallest fix.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import type { ToolDetail } from '#contract'
import { api } from '../../api/api.ts'
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
  { value: '3600000', label: 'The last hour' },
  { value: '86400000', label: 'The last day' },
  { value: '604800000', label: 'The last week' },
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
      <div role="status" aria-label="Loading" className="px-6 py-5">
        <Skeleton className="h-40 rounded-lg" />
      </div>
    )
  return (
    <div className="grid max-w-5xl gap-4 px-6 py-5 xl:grid-cols-2">
      <Findings tool={tool} findings={data.findings} />
      <section aria-label="Recent refusals" className="card px-5 py-4">
        <header className="mb-3 flex items-center justify-between">
          <h2 className="text-sm font-semibold">Refused</h2>
          <Select
            label="Time"
            hideLabel
            className="w-36"
            value={windowMs}
            options={WINDOWS}
            onChange={(window) => change({ window })}
          />
        </header>
        <Counts counts={data.denials.byCode} none="No refused calls." />
        <p className="mt-3 text-xs text-ink-3">
          {data.denials.truncated && `At least ${formatCount(data.denials.sampled)}; older ones were not counted. `}
          {data.denials.lastAt && (
            <>
              Last <RelativeTime at={data.denials.lastAt} />
            </>
          )}
        </p>
      </section>
      <section aria-label="Recent failures" className="card px-5 py-4">
        <h2 className="mb-3 text-sm font-semibold">Failed</h2>
        <Counts counts={data.errors.byKind} none={`None of ${formatCount(data.errors.calls)} calls failed.`} />
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
          title="Nothing is blocking this tool"
          about="No check blocks this tool with its current settings. A single call can still be refused because of its arguments or caller."
        />
      ) : (
        <ul aria-label="Refused by" className="flex flex-col gap-3">
          {findings.map(({ gate, text, fix }) => (
            <li key={`${gate}${text}`} className="card border-l-4 border-l-warn-solid px-5 py-3.5 text-sm">
              <code className="font-mono text-xs text-ink-3">{gate}</code>
              <p className="mt-0.5 font-medium">{text}</p>
              <WhereToChange gate={gate} tool={tool} />
              <details className="mt-1.5">
                <summary className="w-fit rounded text-xs text-ink-3">For agents</summary>
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
        title="Current state"
        facts={[
          {
            name: 'Backend',
            value: data.clientEnabled ? (data.live ? 'enabled and live' : 'enabled, not live') : 'disabled',
          },
          { name: 'Tool', value: data.missing ? 'missing from its source' : data.toolEnabled ? 'on' : 'off' },
          { name: 'Breaker', value: <BreakerState state={data.circuitBreaker.state} /> },
          {
            name: 'Failures counted',
            value: `${data.circuitBreaker.failuresInWindow} of ${data.circuitBreaker.threshold}`,
          },
          {
            name: 'Next probe in',
            value: data.circuitBreaker.halfOpenInMs !== null && formatSpan(data.circuitBreaker.halfOpenInMs),
          },
        ]}
      />
      <Facts
        title="Tool limits"
        facts={[
          { name: 'Calls per minute', value: data.guards.rateLimitPerMin },
          { name: 'Timeout per attempt', value: data.guards.timeoutMs !== null && formatSpan(data.guards.timeoutMs) },
          { name: 'Keys allowed', value: data.keyAllowlist.inForce ? `only ${data.keyAllowlist.size}` : 'any' },
          { name: 'Sensitive', value: data.sensitive ? 'yes, requires confirmation' : 'no' },
          { name: 'Approval', value: data.requiresApproval ? 'needed' : 'not needed' },
        ]}
      />
    </>
  )
}

/** The page with a gate's settings. */
function WhereToChange({ gate, tool: { client, tool } }: { readonly gate: string; readonly tool: ToolDetail }) {
  const own = `/tools/${client}/${encodeURIComponent(tool)}`
  const limits = { to: own, search: { view: 'limits' }, title: 'Its limits' }
  const backend = { to: `/backends/${client}`, search: {}, title: `The backend ${client}` }
  const places: Readonly<Record<string, typeof limits | typeof backend>> = {
    confirmation: limits,
    rate_limit: limits,
    input_guardrails: limits,
    key_allowlist: limits,
    arguments: { to: own, search: { view: 'run' }, title: 'Try with other arguments' },
    availability: backend,
    circuit_breaker: backend,
    dispatch: backend,
    ssrf: backend,
    key_scope: { to: '/keys', search: {}, title: 'Keys and their access' },
    consumer_quota: { to: '/consumers', search: {}, title: 'Consumers and quotas' },
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
