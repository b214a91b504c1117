// The changes to schedules.
import type { Schedule, ScheduleInput, ScheduleResult } from '#contract'
import { api } from '../../api/api.ts'
import { type RecordKind, useRecords } from '../../api/use-records.ts'
import { nameOf, targetOf } from './labels.ts'

const paramsOf = ({ id }: Pick<Schedule, 'id'>) => ({ params: { id: String(id) } })

const SCHEDULES: RecordKind<Schedule, ScheduleInput> = {
  keys: ['schedules', 'clients', 'tools', 'overview'],
  nameOf,
  create: (body) => api.schedules.create({ body }),
  update: (schedule, change) =>
    api.schedules.update({ ...paramsOf(schedule), body: { ...change, revision: schedule.revision } }),
  remove: (schedule) => api.schedules.delete({ ...paramsOf(schedule), ifMatch: schedule.revision }),
}

const RAN = {
  applied: (schedule) => `${targetOf(schedule)} was ${schedule.action}d`,
  unchanged: (schedule) => `${targetOf(schedule)} was ${schedule.action}d already`,
  target_missing: (schedule) => `${targetOf(schedule)} is gone, or out of reach of this schedule`,
} as const satisfies Record<ScheduleResult, (schedule: Schedule) => string>

export function useScheduleChanges() {
  const records = useRecords(SCHEDULES)
  return {
    ...records,
    runNow: (schedule: Schedule) =>
      records.run(api.schedules.run(paramsOf(schedule)), (ran) => RAN[ran.lastResult ?? 'unchanged'](ran)),
  }
}
