// The schedules: what each switches and when, how it ended last, and when it is due again.
import { CalendarClock } from 'lucide-react'
import { mayUse, type Schedule } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { menuColumn, nameColumn, timeColumn } from '../../ui/columns.tsx'
import { formatMoment } from '../../ui/format.ts'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import type { Column } from '../../ui/Table.tsx'
import { useEditing } from '../../ui/use-editing.ts'
import { useUrlParams } from '../../url-params.ts'
import { FindBackend } from '../backends/FindBackend.tsx'
import { nameOf, whenOf } from './labels.ts'
import { ScheduleDialog } from './ScheduleDialog.tsx'
import { ScheduleMenu } from './ScheduleMenu.tsx'

const COLUMNS: readonly Column<Schedule>[] = [
  nameColumn<Schedule>('Schedule', nameOf, ({ note }) => note),
  {
    key: 'when',
    title: 'When',
    width: 'w-80',
    sortBy: whenOf,
    cell: (schedule) => (
      <span className="block truncate first-letter:uppercase" title={`${schedule.cron} · ${schedule.timezone}`}>
        {whenOf(schedule)}
      </span>
    ),
  },
  {
    key: 'next',
    title: 'Next run',
    width: 'w-56',
    sortBy: ({ nextRunAt }) => nextRunAt ?? '~',
    cell: ({ nextRunAt }) =>
      nextRunAt === null ? (
        <Badge dot>Paused</Badge>
      ) : (
        <span className="flex items-baseline gap-2 whitespace-nowrap">
          {formatMoment(nextRunAt).slice(0, 16)}
          <RelativeTime at={nextRunAt} className="text-xs text-ink-3" />
        </span>
      ),
  },
  {
    key: 'result',
    title: 'Last result',
    width: 'w-36',
    sortBy: ({ lastResult }) => lastResult ?? '',
    cell: ({ lastResult }) => <Result of={lastResult} />,
  },
  timeColumn('ran', 'Last run', ({ lastRunAt }) => lastRunAt),
]

function Result({ of }: { readonly of: Schedule['lastResult'] }) {
  switch (of) {
    case 'applied':
      return <Badge tone="ok">Switched</Badge>
    case 'unchanged':
      return <Badge>No change</Badge>
    case 'target_missing':
      return <Badge tone="bad">Target is gone</Badge>
    case null:
      return <span className="text-ink-3">None yet</span>
  }
}

const menuOf = (onChange: (schedule: Schedule) => void) =>
  menuColumn<Schedule>((schedule) => <ScheduleMenu schedule={schedule} onChange={() => onChange(schedule)} />)

export function SchedulesPage() {
  const operates = mayUse(useActor(), 'operator')
  const [params, change] = useUrlParams()
  const { client } = params
  const list = usePaged(['schedules', client ?? ''], (paging) =>
    api.schedules.list({ query: { ...paging, ...(client === undefined ? {} : { client }) } }),
  )
  const { add: addOne, change: edit, dialog } = useEditing(list.rows, ({ id }) => id)
  const add = operates && { label: 'New schedule', onAdd: addOne }
  return (
    <ListPage
      title="Schedules"
      about="Enable or disable backends and tools on a schedule."
      add={add}
      noun="schedule"
      placeholder="Backend, tool, note or time"
      list={list}
      wordsOf={(each) => `${nameOf(each)} ${each.note ?? ''} ${each.cron} ${whenOf(each)}`}
      filters={
        <FindBackend
          className="w-48"
          label="Backend"
          hideLabel
          every
          name={client ?? ''}
          onPick={(name) => change({ client: name })}
        />
      }
      filtered={client !== undefined}
      columns={operates ? [...COLUMNS, menuOf(edit)] : COLUMNS}
      rowKey={({ id }) => id}
      empty={{
        icon: CalendarClock,
        title: 'No schedule yet',
        about: 'For example, turn a backend off overnight or a tool back on every Monday.',
      }}
    >
      <ScheduleDialog {...dialog} client={client} />
    </ListPage>
  )
}
