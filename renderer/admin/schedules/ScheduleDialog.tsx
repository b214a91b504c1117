// The dialog of a schedule: target, action, time, and a preview of next runs.
import { cronProblem, type Schedule, ScheduleInput } from '#contract'
import { findToolsOf } from '../../api/find.ts'
import { Finder } from '../../ui/Finder.tsx'
import { type Control, type Draft, formOf, textIn } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { FindBackend } from '../backends/FindBackend.tsx'
import { nameOf, ownZone } from './labels.ts'
import { NextTimes } from './NextTimes.tsx'
import { findZones } from './time-zones.ts'
import { useScheduleChanges } from './use-schedule-changes.ts'

const isOfTool = ({ targetType }: Draft): boolean => targetType === 'tool'
const timesIn = ({ cron, timezone }: Draft) => ({ cron: textIn(cron), timezone: textIn(timezone) })

const FORM = formOf(ScheduleInput, {
  action: {
    label: 'Action',
    options: {
      disable: { label: 'Disable', about: 'Refuses calls from then on' },
      enable: { label: 'Enable', about: 'Accepts calls again' },
    },
    half: true,
  },
  targetType: { label: 'To', options: { client: 'A whole backend', tool: 'One tool' }, half: true },
  clientName: {
    label: 'Backend',
    half: isOfTool,
    // A tool belongs to its backend.
    resets: ['toolName'],
    draw: ({ value, error, onChange }) => (
      <FindBackend label="Backend" name={textIn(value)} error={error} onPick={onChange} />
    ),
  },
  toolName: {
    label: 'Tool',
    when: isOfTool,
    needed: true,
    half: true,
    draw: (control) => <PickTool {...control} />,
  },
  cron: {
    label: 'When',
    code: true,
    mono: true,
    half: true,
    placeholder: '0 18 * * mon-fri',
    hint: 'Minute, hour, day, month, weekday.',
    check: (draft) => (textIn(draft.cron).trim() === '' ? undefined : cronProblem(timesIn(draft))),
  },
  timezone: {
    label: 'Time zone',
    half: true,
    draw: ({ value, error, onChange }) => (
      <Finder
        label="Time zone"
        value={{ value: textIn(value), label: textIn(value) }}
        placeholder="UTC"
        none="No time zone matches."
        queryKey={['time-zones']}
        find={findZones}
        onPick={(zone) => onChange(zone.value)}
        error={error}
      />
    ),
    below: (draft) => <NextTimes {...timesIn(draft)} />,
  },
  note: { label: 'Note', placeholder: 'What it is for' },
})

function PickTool({ value, draft, error, onChange }: Control) {
  const [tool, backend] = [textIn(value), textIn(draft.clientName)]
  return (
    <Finder
      label="Tool"
      value={tool === '' ? null : { value: tool, label: tool }}
      placeholder={backend === '' ? 'Choose a backend first' : 'Choose a tool'}
      none="This backend has no tools."
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
      noun="schedule"
      about="Runs missed while the gateway was down are skipped."
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
      onSubmit={(input, base) => (base ? change(base, input) : create(input, (made) => `${nameOf(made)}: scheduled`))}
    />
  )
}
