// The stored traces, filtered by tool, backend, session, outcome and duration.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChartNoAxesGantt } from 'lucide-react'
import type { TraceSummary } from '#contract'
import { api } from '../../api/api.ts'
import { plural, t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { timeColumn } from '../../ui/columns.tsx'
import { formatCount } from '../../ui/format.ts'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Select } from '../../ui/Select.tsx'
import type { Column } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { OutcomeFilter } from '../calls/OutcomeFilter.tsx'
import { outcomeIn } from '../calls/outcomes.ts'
import { preciseSpan } from './waterfall.ts'

const TOOK = [
  { value: 'any', label: t('Any duration') },
  { value: '100', label: t('100 ms and more') },
  { value: '1000', label: t('1 s and more') },
  { value: '10000', label: t('10 s and more') },
] as const

const COLUMNS: readonly Column<TraceSummary>[] = [
  // They are listed by their end: a long call is newer than those that ended before it.
  timeColumn('at', t('Ended'), ({ endMs }) => new Date(endMs).toISOString(), 'w-32'),
  {
    key: 'outcome',
    title: t('Outcome'),
    width: 'w-52',
    cell: ({ hasError, denyCode }) => (
      <span className="flex items-center gap-2">
        <Badge tone={denyCode ? 'warn' : hasError ? 'bad' : 'ok'} dot>
          {denyCode ? t('refused') : hasError ? t('error') : t('success')}
        </Badge>
        <code className="truncate font-mono text-xs text-ink-2">{denyCode}</code>
      </span>
    ),
  },
  {
    key: 'tool',
    title: t('Called'),
    grow: true,
    cell: ({ mcpToolName }) => (
      <code className="block truncate font-mono text-xs font-medium">{mcpToolName ?? t('an unknown tool')}</code>
    ),
  },
  {
    key: 'spans',
    title: t('Calls'),
    width: 'w-20',
    align: 'right',
    cell: ({ spanCount }) => <span className="text-ink-2">{spanCount}</span>,
  },
  {
    key: 'took',
    title: t('Took'),
    width: 'w-28',
    align: 'right',
    sortBy: ({ durationMs }) => durationMs,
    cell: ({ durationMs }) => <span className="text-ink-2">{preciseSpan(durationMs)}</span>,
  },
]

/** A session id is not readable: its first call describes it. */
function SessionChoice({
  session = '',
  onPick,
}: {
  readonly session: string | undefined
  readonly onPick: (session: string) => void
}) {
  const top = useQuery({
    queryKey: ['traces', 'top-sessions'],
    queryFn: () => api.traces.topSessions({ query: {} }),
    refetchInterval: TOP_AGAIN_MS,
  })
  const sessions = (top.data?.items ?? []).map(({ sessionId, calls, errors, client }) => ({
    value: sessionId,
    label: t('Session {sessionId}', { sessionId: sessionId.slice(0, 8) }),
    about: [
      plural(calls, '{count} call', '{count} calls'),
      errors > 0 && t('{count} failed', { count: formatCount(errors) }),
      client && t('all of {client}', { client }),
    ]
      .filter(Boolean)
      .join(', '),
  }))
  const others =
    session === '' || sessions.some(({ value }) => value === session)
      ? []
      : [{ value: session, label: t('Session {session}', { session: session.slice(0, 8) }) }]
  return (
    <Select
      label={t('Session')}
      hideLabel
      className="w-44"
      value={session}
      options={[{ value: '', label: t('Any session') }, ...sessions, ...others]}
      onChange={onPick}
    />
  )
}

/** No event reports a stored trace: call events precede it. */
const AGAIN_MS = 5_000
const TOP_AGAIN_MS = 30_000

export function TracesPage() {
  const navigate = useNavigate()
  const [params, change] = useUrlParams()
  const { q: tool, client, session } = params
  const outcome = outcomeIn(params.outcome)
  const minMs = TOOK.find(({ value }) => value === params.took)?.value ?? 'any'
  const asked = {
    ...(tool && { tool }),
    ...(client && { client }),
    ...(session && { session_id: session }),
    ...(outcome !== 'any' && { outcome }),
    ...(minMs !== 'any' && { minMs }),
  }
  const list = usePaged(['traces', asked], (paging) => api.traces.list({ query: { ...asked, ...paging } }), {
    againMs: AGAIN_MS,
  })
  return (
    <ListPage
      title={t('Traces')}
      about={t('The parts of each call with their duration, including steps of composites.')}
      noun={t('trace')}
      label={t('Traces, newest first')}
      placeholder={t('Name of a tool')}
      list={list}
      filtered={outcome !== 'any' || minMs !== 'any' || Boolean(client) || Boolean(session)}
      filters={
        <>
          <SearchInput
            label={t('Backend')}
            value={client ?? ''}
            onChange={(next) => change({ client: next })}
            width="w-40!"
          />
          <SessionChoice session={session} onPick={(next) => change({ session: next })} />
          <OutcomeFilter />
          <Select
            label={t('Took')}
            hideLabel
            className="w-40"
            value={minMs}
            options={TOOK}
            onChange={(next) => change({ took: next === 'any' ? '' : next })}
          />
        </>
      }
      columns={COLUMNS}
      rowKey={({ traceId }) => traceId}
      onOpen={({ traceId }) => void navigate({ to: `/traces/${traceId}` })}
      empty={{
        icon: ChartNoAxesGantt,
        title: t('No traces yet'),
        about: t(
          'Set TRACE_STORAGE=true in the gateway’s environment and restart it to store a trace of every call. OTEL_EXPORTER_OTLP_ENDPOINT exports traces to a collector.',
        ),
      }}
    />
  )
}
