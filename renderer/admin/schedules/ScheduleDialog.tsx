// The dialog of a schedule: target, action, time, and a preview of next runs.
import { cronProblem, type Schedule, ScheduleInput, timesOf } from '#contract'
import { findToolsOf } from '../../api/find.ts'
import { t } from '../../language/language.ts'
import { Finder } from '../../ui/Finder.tsx'
import { type Control, type Draft, formOf, textIn } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { formatAgo } from '../../ui/format.ts'
import { useNow } from '../../ui/RelativeTime.tsx'
import { FindBackend } from '../backends/FindBackend.tsx'
import { cronInWords } from './cron-words.ts'
import { nameOf, ownZone } from './labels.ts'
import { findZones } from './time-zones.ts'
import { useScheduleChanges } from './use-schedule-changes.ts'

const SHOWN = 5

/** `Mon 2026-11-23 12:45` in a time zone, with fixed width. */
function momentIn(zone: string): (time: number) => string {
  const weekday = new Intl.DateTimeFormat('en', { timeZone: zone, weekday: 'short' })
  const moment = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  return (time) => `${weekday.format(time)} ${moment.format(time)}`
}

/** The next runs of a schedule while it is edited: in the time zone of the reader, and in its own if that differs. */
function NextTimes({ cron, timezone }: { readonly cron: string; readonly timezone: string }) {
  const now = useNow()
  const times = timesOf({ cron, timezone }, now, SHOWN)
  if (times.length === 0) return null
  const here = momentIn(ownZone())
  const there = timezone === ownZone() ? undefined : momentIn(timezone)
  return (
    <section aria-label={t('Next times')} aria-live="polite" className="rounded-md bg-hover px-3 py-2 text-sm">
      <p className="flex items-baseline justify-between gap-3">
        <span className="font-medium first-letter:uppercase">{cronInWords(cron)}</span>
        {there && <span className="text-xs text-ink-3">{t('Your time · there')}</span>}
      </p>
      <ol className="pt-1.5 text-xs leading-5 text-ink-2 tabular-nums">
        {times.map((time) => {
          const iso = new Date(time).toISOString()
          return (
            <li key={time} className="grid grid-cols-[9.5rem_1fr_auto] items-baseline gap-x-3">
              <time dateTime={iso}>{here(time)}</time>
              <span className="text-ink-3">{formatAgo(iso, now)}</span>
              {there && <span className="text-ink-3">{there(time)}</span>}
            </li>
          )
        })}
      </ol>
    </section>
  )
}

const isOfTool = ({ targetType }: Draft): boolean => targetType === 'tool'
const timesIn = ({ cron, timezone }: Draft) => ({ cron: textIn(cron), timezone: textIn(timezone) })

const FORM = formOf(ScheduleInput, {
  action: {
    label: t('Action'),
    options: {
      disable: { label: t('Disable'), about: t('Refuses calls from then on') },
      enable: { label: t('Enable'), about: t('Accepts calls again') },
    },
    half: true,
  },
  targetType: { label: t('To'), options: { client: t('A whole backend'), tool: t('One tool') }, half: true },
  clientName: {
    label: t('Backend'),
    half: isOfTool,
    // A tool belongs to its backend.
    resets: ['toolName'],
    draw: ({ value, error, onChange }) => (
      <FindBackend label={t('Backend')} name={textIn(value)} error={error} onPick={onChange} />
    ),
  },
  toolName: {
    label: t('Tool'),
    when: isOfTool,
    needed: true,
    half: true,
    draw: (control) => <PickTool {...control} />,
  },
  cron: {
    label: t('When'),
    code: true,
    mono: true,
    half: true,
    placeholder: '0 18 * * mon-fri',
    hint: t('Minute, hour, day, month, weekday.'),
    check: (draft) => (textIn(draft.cron).trim() === '' ? undefined : cronProblem(timesIn(draft))),
  },
  timezone: {
    label: t('Time zone'),
    half: true,
    draw: ({ value, error, onChange }) => (
      <Finder
        label={t('Time zone')}
        value={{ value: textIn(value), label: textIn(value) }}
        placeholder={t('UTC')}
        none={t('No time zone matches.')}
        queryKey={['time-zones']}
        find={findZones}
        onPick={(zone) => onChange(zone.value)}
        error={error}
      />
    ),
    below: (draft) => <NextTimes {...timesIn(draft)} />,
  },
  note: { label: t('Note'), placeholder: t('What it is for') },
})

function PickTool({ value, draft, error, onChange }: Control) {
  const [tool, backend] = [textIn(value), textIn(draft.clientName)]
  return (
    <Finder
      label={t('Tool')}
      value={tool === '' ? null : { value: tool, label: tool }}
      placeholder={backend === '' ? t('Choose a backend first') : t('Choose a tool')}
      none={t('This backend has no tools.')}
      queryKey={['tools', backend]}
      disabled={backend === ''}
      find={async (q) => {
        const { items, more } = await findToolsOf(backend, q)
        return { more, items: items.map((each) => ({ value: each.tool, label: each.tool, about: each.title })) }
      }}
      onPick={(picked) => onChange(picked.value)}
      error={error}
    />
  )
}

export function ScheduleDialog({
  client,
  ...dialog
}: RecordDialogProps<Schedule> & {
  /** The initial target of a new schedule. */
  readonly client: string | undefined
}) {
  const { create, change } = useScheduleChanges()
  return (
    <RecordDialog
      {...dialog}
      noun={t('schedule')}
      about={t('Runs missed while the gateway was down are skipped.')}
      width="max-w-lg"
      form={FORM}
      fresh={{
        targetType: 'client',
        clientName: client,
        action: 'disable',
        cron: '0 18 * * mon-fri',
        timezone: ownZone(),
      }}
      what={dialog.record && `“${nameOf(dialog.record)}”`}
      onSubmit={(input, base) =>
        base ? change(base, input) : create(input, (made) => t('{name}: scheduled', { name: nameOf(made) }))
      }
    />
  )
}
