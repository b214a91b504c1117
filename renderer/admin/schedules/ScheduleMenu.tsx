// What can be done with one schedule.
import { Pause, Pencil, Play, RotateCw, Trash2 } from 'lucide-react'
import type { Schedule } from '#contract'
import type { Question } from '../../ui/Dialog.tsx'
import { MenuItem, MenuSeparator, RowMenu } from '../../ui/Menu.tsx'
import { notifyError } from '../../ui/notify.ts'
import { nameOf, targetOf } from './labels.ts'
import { useScheduleChanges } from './use-schedule-changes.ts'

export type ScheduleActions = {
  readonly onAsk: (question: Question) => void
  readonly onChange: (schedule: Schedule) => void
}

export function ScheduleMenu({ schedule, onAsk, onChange }: ScheduleActions & { readonly schedule: Schedule }) {
  const { runNow, change, remove } = useScheduleChanges()
  const { enabled, action } = schedule
  const name = nameOf(schedule)
  return (
    <RowMenu name={name}>
      <MenuItem icon={<Play />} onSelect={() => void runNow(schedule).catch(notifyError)}>
        Run now
      </MenuItem>
      <MenuItem icon={<Pencil />} onSelect={() => onChange(schedule)}>
        Change…
      </MenuItem>
      <MenuItem
        icon={enabled ? <Pause /> : <RotateCw />}
        onSelect={() =>
          void change(schedule, { enabled: !enabled }, `${name}: ${enabled ? 'paused' : 'runs again'}`).catch(
            notifyError,
          )
        }
      >
        {enabled ? 'Pause' : 'Resume'}
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        danger
        icon={<Trash2 />}
        onSelect={() =>
          onAsk({
            title: `Delete “${name}”?`,
            about: `${targetOf(schedule)} stays as it is now: nothing will ${action} it by itself any more.`,
            confirm: 'Delete schedule',
            run: () => remove(schedule),
          })
        }
      >
        Delete…
      </MenuItem>
    </RowMenu>
  )
}
