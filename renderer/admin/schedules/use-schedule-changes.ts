// The changes to schedules; each leaves the lists true, also when it was refused.
import type { Schedule, ScheduleInput, ScheduleResult } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { notifyDone } from '../../ui/notify.ts'
import { nameOf, targetOf } from './labels.ts'

type Revised = Pick<Schedule, 'id' | 'revision'>

const RAN = {
  applied: (schedule) => `${targetOf(schedule)} was ${schedule.action}d`,
  unchanged: (schedule) => `${targetOf(schedule)} was ${schedule.action}d already`,
  target_missing: (schedule) => `${targetOf(schedule)} is gone, or out of reach of this schedule`,
} as const satisfies Record<ScheduleResult, (schedule: Schedule) => string>

export function useScheduleChanges() {
  const { settled } = useInvalidate('schedules', 'clients', 'tools', 'overview')
  const paramsOf = ({ id }: Pick<Schedule, 'id'>) => ({ params: { id: String(id) } })
  const update = (schedule: Revised, change: Partial<ScheduleInput>) =>
    settled(api.schedules.update({ ...paramsOf(schedule), body: { ...change, revision: schedule.revision } }))
  return {
    async create(body: ScheduleInput): Promise<void> {
      notifyDone(`${nameOf(await settled(api.schedules.create({ body })))}: scheduled`)
    },
    /** With the way back to what is changed of it. */
    async change(schedule: Schedule, change: ScheduleInput): Promise<void> {
      const { targetType, clientName, toolName, action, cron, timezone, note } = schedule
      const changed = await update(schedule, change)
      notifyDone(`${nameOf(changed)} was changed`, () =>
        update(changed, { targetType, clientName, toolName, action, cron, timezone, note }),
      )
    },
    async setEnabledWithUndo(schedule: Schedule, enabled: boolean): Promise<void> {
      const changed = await update(schedule, { enabled })
      notifyDone(`${nameOf(schedule)}: ${enabled ? 'runs again' : 'paused'}`, () =>
        update(changed, { enabled: !enabled }),
      )
    },
    async run(schedule: Schedule): Promise<void> {
      const ran = await settled(api.schedules.run(paramsOf(schedule)))
      notifyDone(RAN[ran.lastResult ?? 'unchanged'](ran))
    },
    async remove(schedule: Schedule): Promise<void> {
      await settled(api.schedules.delete({ ...paramsOf(schedule), ifMatch: schedule.revision }))
      notifyDone(`${nameOf(schedule)} was deleted`)
    },
  }
}
