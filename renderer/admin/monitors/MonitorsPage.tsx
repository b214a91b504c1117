// The monitors: state, schema drift, and the next run of each.
import { Activity } from 'lucide-react'
import { useState } from 'react'
import { MONITOR_STATUSES, type MonitorRecord, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { limitColumn, nameColumn, timeColumn } from '../../ui/columns.tsx'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { Select } from '../../ui/Select.tsx'
import type { Column } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { MonitorSheet } from './MonitorSheet.tsx'
import { MonitorState } from './MonitorState.tsx'

type Status = MonitorRecord['status']

const keyOf = ({ clientName, toolName }: MonitorRecord): string => `${clientName}/${toolName}`

const FILTERS = [
  { value: 'all', label: t('All monitors') },
  { value: 'fail', label: t('Failing') },
  { value: 'ok', label: t('Working') },
  { value: 'unknown', label: t('Not run yet') },
  { value: 'drifted', label: t('Drifted') },
] as const
type Filter = (typeof FILTERS)[number]['value']

const filterIn = (text: string | undefined): Filter => FILTERS.find(({ value }) => value === text)?.value ?? 'all'
const isStatus = (filter: Filter): filter is Status => MONITOR_STATUSES.some((status) => status === filter)

const COLUMNS: readonly Column<MonitorRecord>[] = [
  nameColumn(
    t('Tool'),
    ({ clientName, toolName }) => `${clientName} ${toolName}`,
    ({ lastError }) => lastError,
  ),
  {
    key: 'status',
    title: t('State'),
    width: 'w-32',
    sortBy: ({ enabled, status }) => `${enabled}${status}`,
    cell: (monitor) => <MonitorState monitor={monitor} />,
  },
  {
    key: 'drift',
    title: t('Schema'),
    width: 'w-28',
    sortBy: ({ driftDetected }) => String(driftDetected),
    cell: ({ driftDetected }) =>
      driftDetected ? <Badge tone="warn">{t('Drifted')}</Badge> : <span className="text-ink-3">{t('unchanged')}</span>,
  },
  limitColumn('latency', t('Took'), ({ lastLatencyMs }) => lastLatencyMs, {
    none: '–',
    format: formatSpan,
    width: 'w-24',
  }),
  timeColumn('ran', t('Last run'), ({ lastRunAt }) => lastRunAt),
  {
    key: 'next',
    title: t('Next run'),
    width: 'w-44',
    sortBy: ({ nextRunAt }) => nextRunAt ?? '',
    cell: ({ nextRunAt }) => (
      <span className="whitespace-nowrap text-ink-2">{nextRunAt === null ? '–' : formatMoment(nextRunAt)}</span>
    ),
  },
]

export function MonitorsPage() {
  const operates = mayUse(useActor(), 'operator')
  const [params, change] = useUrlParams()
  const [open, setOpen] = useState<string | null>(null)
  const filter = filterIn(params.show)
  const asked = filter === 'drifted' ? { drifted: 'true' as const } : isStatus(filter) ? { status: filter } : {}
  const list = usePaged(['monitors', filter], (paging) => api.monitors.list({ query: { ...asked, ...paging } }))
  return (
    <ListPage
      title={t('Monitors')}
      about={t('The gateway calls these tools on a schedule and checks their schema for changes.')}
      noun={t('monitor')}
      placeholder={t('Backend, tool or error')}
      list={list}
      wordsOf={({ clientName, toolName, lastError }) => `${clientName} ${toolName} ${lastError ?? ''}`}
      filters={
        <Select
          className="w-44"
          label={t('Show')}
          hideLabel
          value={filter}
          options={FILTERS}
          onChange={(show) => change({ show: show === 'all' ? undefined : show })}
        />
      }
      filtered={filter !== 'all'}
      columns={COLUMNS}
      rowKey={keyOf}
      onOpen={(monitor) => setOpen(keyOf(monitor))}
      empty={{
        icon: Activity,
        title: t('No monitors yet'),
        about: t('A monitor is a feature of a tool: open one, and set it under Features.'),
      }}
    >
      <MonitorSheet
        monitor={list.rows.find((monitor) => keyOf(monitor) === open)}
        readOnly={!operates}
        onClose={() => setOpen(null)}
      />
    </ListPage>
  )
}
