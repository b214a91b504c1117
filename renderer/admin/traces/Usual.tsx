// The duration of a span beside that of other calls of its tool in the last week.
import { useQuery } from '@tanstack/react-query'
import type { StoredSpan, TraceStage, UsualStages } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import type { Fact } from '../../ui/Facts.tsx'
import { formatCount } from '../../ui/format.ts'
import { preciseSpan } from './waterfall.ts'

/** Fewer calls say little. */
const LEAST_CALLS = 5

/** None for spans of composites and unknown tools, which have no backend. */
export function usualFact({ attributes, startMs, endMs }: StoredSpan): readonly Fact[] {
  const { 'mcp.client': client, 'mcp.tool.name': tool } = attributes
  return client === undefined || tool === undefined
    ? []
    : [{ name: t('Usual'), value: <Usual client={String(client)} tool={String(tool)} tookMs={endMs - startMs} /> }]
}

function Usual({ client, tool, tookMs }: { readonly client: string; readonly tool: string; readonly tookMs: number }) {
  const { data } = useQuery({
    queryKey: ['usage', 'usual', client, tool],
    queryFn: () => api.usage.summary({ query: { client, tool } }),
  })
  if (!data) return null
  const { calls, p50Ms, p95Ms } = data
  if (calls < LEAST_CALLS) return <span className="text-ink-3">{t('Too few calls to compare')}</span>
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span>
        p50 {preciseSpan(p50Ms)}, p95 {preciseSpan(p95Ms)}
      </span>
      <span className="text-xs text-ink-3">{t('{count} calls in 7 days', { count: formatCount(calls) })}</span>
      {tookMs > p95Ms ? (
        <Badge tone="warn">{t('slower than 95 %')}</Badge>
      ) : tookMs > p50Ms ? null : (
        <Badge tone="ok">{t('faster than half')}</Badge>
      )}
    </span>
  )
}

/** What the latest traced calls of the tool took for a stage. */
export function useUsualStage(
  { attributes }: StoredSpan,
  stage: TraceStage['name'],
): UsualStages['stages'][number] | undefined {
  const { 'mcp.client': client, 'mcp.tool.name': tool } = attributes
  const { data } = useQuery({
    queryKey: ['traces', 'usual', client, tool],
    enabled: client !== undefined && tool !== undefined,
    queryFn: () => api.traces.usual({ query: { client: String(client), tool: String(tool) } }),
  })
  const found = data?.stages.find(({ name }) => name === stage)
  return found && found.samples >= LEAST_CALLS ? found : undefined
}

export const usualWords = ({ p50Ms, p95Ms, samples }: UsualStages['stages'][number]): string =>
  t('p50 {p50}, p95 {p95}, {count} times in the latest traces', {
    p50: preciseSpan(p50Ms),
    p95: preciseSpan(p95Ms),
    count: formatCount(samples),
  })
