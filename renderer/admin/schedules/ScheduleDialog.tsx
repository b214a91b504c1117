// A schedule, new or not: what it switches, which way, and when; with its next times while it is being written.
import { cronProblem, type Schedule, ScheduleInput } from '#contract'
import { findToolsOf } from '../../api/find.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { Finder } from '../../ui/Finder.tsx'
import { ConflictBanner } from '../../ui/SaveBar.tsx'
import { Select } from '../../ui/Select.tsx'
import { useChecked } from '../../ui/use-checked.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { useSending } from '../../ui/use-mounted.ts'
import { FindBackend } from '../backends/FindBackend.tsx'
import { nameOf, ownZone } from './labels.ts'
import { NextTimes } from './NextTimes.tsx'
import { findZones } from './time-zones.ts'
import { useScheduleChanges } from './use-schedule-changes.ts'

type Record = Omit<ScheduleInput, 'enabled'> & { readonly revision: number | null }

const TARGETS = [
  { value: 'client', label: 'A whole backend' },
  { value: 'tool', label: 'One tool' },
] as const
const ACTIONS = [
  { value: 'disable', label: 'Disable', about: 'Calls are refused from then on' },
  { value: 'enable', label: 'Enable', about: 'Calls go through again' },
] as const

type Props = {
  /** Absent for a new one. */
  readonly schedule: Schedule | undefined
  /** What a new one is for, where that is known. */
  readonly client: string | undefined
  readonly onClose: () => void
}

export function ScheduleDialog({ open, ...props }: Props & { readonly open: boolean }) {
  const { schedule, onClose } = props
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={schedule ? `Change “${nameOf(schedule)}”` : 'New schedule'}
      about="The gateway does it by itself. Times at which it was not running are not made up for."
      width="max-w-lg"
    >
      {open && <Form {...props} />}
    </Dialog>
  )
}

const fresh = (client: string | undefined): Record => ({
  targetType: 'client',
  clientName: client ?? '',
  toolName: null,
  action: 'disable',
  cron: '0 18 * * mon-fri',
  timezone: ownZone(),
  note: null,
  revision: null,
})

const draftOf = ({ targetType, clientName, toolName, action, cron, timezone, note }: Record) => ({
  targetType,
  clientName,
  toolName,
  action,
  cron,
  timezone,
  note: note ?? '',
})

function Form({ schedule, client, onClose }: Props) {
  const { create, change } = useScheduleChanges()
  const kept = useDraft<Record, ReturnType<typeof draftOf>>(schedule ?? fresh(client), draftOf)
  const { draft, setDraft, base } = kept
  const { targetType, clientName, toolName } = draft
  const input = {
    ...draft,
    toolName: targetType === 'tool' ? toolName : null,
    note: draft.note.trim() || null,
    enabled: schedule?.enabled ?? true,
  }
  const save = useSending<ScheduleInput, unknown>(
    (given) =>
      schedule ? change({ ...schedule, ...base, revision: base.revision ?? schedule.revision }, given) : create(given),
    onClose,
  )
  const { problem, submit } = useChecked(ScheduleInput, input, save.error)
  const unreadable = draft.cron.trim() === '' ? undefined : cronProblem(draft)
  const contested = kept.contested && !save.isPending
  const named = clientName !== '' && (targetType === 'client' || toolName !== null)
  return (
    <DialogForm
      submit={schedule ? 'Save' : 'Add'}
      busy={save.isPending}
      ready={named && draft.cron.trim() !== '' && unreadable === undefined && !contested}
      error={save.error}
      onSubmit={() => submit(save.mutate)}
      onClose={onClose}
    >
      <div className="grid grid-cols-2 gap-4">
        <Select
          label="What is done"
          value={draft.action}
          options={ACTIONS}
          onChange={(action) => setDraft({ ...draft, action })}
        />
        <Select
          label="To"
          value={targetType}
          options={TARGETS}
          onChange={(value) => setDraft({ ...draft, targetType: value })}
        />
        <FindBackend
          className={targetType === 'client' ? 'col-span-2' : ''}
          label="Backend"
          name={clientName}
          // A tool is of its backend.
          onPick={(name) => setDraft({ ...draft, clientName: name, toolName: name === clientName ? toolName : null })}
          error={problem('clientName')}
        />
        {targetType === 'tool' && (
          <Finder
            label="Tool"
            value={toolName === null ? null : { value: toolName, label: toolName }}
            placeholder={clientName === '' ? 'Choose a backend first' : 'Choose a tool'}
            none="This backend has no tool."
            queryKey={['tools', clientName]}
            disabled={clientName === ''}
            find={async (q) => {
              const { items, more } = await findToolsOf(clientName, q)
              return { more, items: items.map(({ tool, title }) => ({ value: tool, label: tool, about: title })) }
            }}
            onPick={({ value }) => setDraft({ ...draft, toolName: value })}
            error={problem('toolName')}
          />
        )}
        <Field
          label="When"
          value={draft.cron}
          spellCheck={false}
          autoComplete="off"
          className="font-mono"
          placeholder="0 18 * * mon-fri"
          hint="Minute, hour, day, month, weekday."
          onChange={(event) => setDraft({ ...draft, cron: event.target.value })}
          error={unreadable ?? problem('cron')}
        />
        <Finder
          label="By the clocks of"
          value={{ value: draft.timezone, label: draft.timezone }}
          placeholder="UTC"
          none="There is no time zone."
          queryKey={['time-zones']}
          find={findZones}
          onPick={({ value }) => setDraft({ ...draft, timezone: value })}
          error={problem('timezone')}
        />
      </div>
      <NextTimes cron={draft.cron} timezone={draft.timezone} />
      <Field
        label="Note"
        value={draft.note}
        maxLength={256}
        autoComplete="off"
        placeholder="What it is for"
        onChange={(event) => setDraft({ ...draft, note: event.target.value })}
        error={problem('note')}
      />
      <ConflictBanner kept={{ ...kept, contested }} what={schedule ? nameOf(schedule) : ''} />
    </DialogForm>
  )
}
