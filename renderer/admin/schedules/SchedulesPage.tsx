// The list of schedules: target, time, last result, next run.

import { CalendarClock, Play } from 'lucide-react'
import type { Schedule } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { nameColumn, timeColumn } from '../../ui/columns.tsx'
import { formatMoment } from '../../ui/format.ts'
import { RecordMenu } from '../../ui/Menu.tsx'
import { RecordsPage } from '../../ui/RecordsPage.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import type { Column } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { FindBackend } from '../backends/FindBackend.tsx'
import { nameOf, targetOf, whenOf } from './labels.ts'
import { ScheduleDialog } from './ScheduleDialog.tsx'
import { useScheduleChanges } from './use-schedule-changes.ts'

const COLUMNS: readonly Column<Schedule>[] = [
  nameColumn<Schedule>(t('Schedule'), nameOf, ({ note }) => note),
  {
    key: 'when',
    title: t('When'),
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
    title: t('Next run'),
    width: 'w-56',
    sortBy: ({ nextRunAt }) => nextRunAt ?? '~',
    cell: ({ nextRunAt }) =>
      nextRunAt === null ? (
        <Badge dot>{t('Paused')}</Badge>
      ) : (
        <span className="flex items-baseline gap-2 whitespace-nowrap">
          {formatMoment(nextRunAt).slice(0, 16)}
          <RelativeTime at={nextRunAt} className="text-xs text-ink-3" />
        </span>
      ),
  },
  {
    key: 'result',
    title: t('Last result'),
    width: 'w-36',
    sortBy: ({ lastResult }) => lastResult ?? '',
    cell: ({ lastResult }) => <Result of={lastResult} />,
  },
  timeColumn('ran', t('Last run'), ({ lastRunAt }) => lastRunAt),
]

function Result({ of }: { readonly of: Schedule['lastResult'] }) {
  switch (of) {
    case 'applied':
      return <Badge tone="ok">{t('Switched')}</Badge>
    case 'unchanged':
      return <Badge>{t('No change')}</Badge>
    case 'target_missing':
      return <Badge tone="bad">{t('Target missing')}</Badge>
    case null:
      return <span className="text-ink-3">{t('None yet')}</span>
  }
}

export function SchedulesPage() {
  const { runNow, change, remove } = useScheduleChanges()
  const [{ client }, changeParams] = useUrlParams()
  return (
    <RecordsPage
      title={t('Schedules')}
      about={t('Enable or disable backends and tools on a schedule.')}
      noun={t('schedule')}
      placeholder={t('Backend, tool, note or time')}
      queryKey={['schedules', client ?? '']}
      read={(query) => api.schedules.list({ query: { ...query, ...(client === undefined ? {} : { client }) } })}
      writer="operator"
      wordsOf={(each) => `${nameOf(each)} ${each.note ?? ''} ${each.cron} ${whenOf(each)}`}
      filters={
        <FindBackend
          className="w-48"
          label={t('Backend')}
          hideLabel
          every
          name={client ?? ''}
          onPick={(name) => changeParams({ client: name })}
        />
      }
      filtered={client !== undefined}
      columns={COLUMNS}
      renderMenu={(schedule, onChange) => (
        <RecordMenu
          name={nameOf(schedule)}
          entries={[{ label: t('Run now'), icon: Play, run: () => runNow(schedule) }]}
          onChange={onChange}
          toggle={{
            on: schedule.enabled,
            labels: [t('Pause'), t('Resume')],
            run: (enabled) =>
              change(
                schedule,
                { enabled },
                enabled
                  ? t('{name}: resumed', { name: nameOf(schedule) })
                  : t('{name}: paused', { name: nameOf(schedule) }),
              ),
          }}
          deletion={{
            noun: t('schedule'),
            about: t('{target} keeps its state: the schedule does not change it any more.', {
              target: targetOf(schedule),
            }),
            run: () => remove(schedule),
          }}
        />
      )}
      renderDialog={(props) => <ScheduleDialog {...props} client={client} />}
      empty={{
        icon: CalendarClock,
        title: t('No schedule yet'),
        about: t('For example, turn a backend off overnight or a tool back on every Monday.'),
      }}
    />
  )
}
