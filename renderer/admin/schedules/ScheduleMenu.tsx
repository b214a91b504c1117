// What can be done with one schedule.
import { Pause, Pencil, Play, RotateCw, Trash2 } from 'lucide-react'
import type { Schedule } from '#contract'
import { RecordMenu } from '../../ui/Menu.tsx'
import { nameOf, targetOf } from './labels.ts'
import { useScheduleChanges } from './use-schedule-changes.ts'

export function ScheduleMenu({ schedule, onChange }: { readonly schedule: Schedule; readonly onChange: () => void }) {
  const { runNow, change, remove } = useScheduleChanges()
  const { enabled, action } = schedule
  const name = nameOf(schedule)
  return (
    <RecordMenu
      name={name}
      entries={[
        { label: 'Run now', icon: Play, run: () => runNow(schedule) },
        { label: 'Change…', icon: Pencil, run: onChange },
        {
          label: enabled ? 'Pause' : 'Resume',
          icon: enabled ? Pause : RotateCw,
          run: () => change(schedule, { enabled: !enabled }, `${name}: ${enabled ? 'paused' : 'runs again'}`),
        },
        {
          label: 'Delete…',
          icon: Trash2,
          ask: {
            title: `Delete “${name}”?`,
            about: `${targetOf(schedule)} stays as it is now: nothing will ${action} it by itself any more.`,
            confirm: 'Delete schedule',
            run: () => remove(schedule),
          },
        },
      ]}
    />
  )
}
