// The changes to schedules.
import type { Schedule, ScheduleResult } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { recordKind, useRecords } from '../../ui/use-records.ts'
import { nameOf, targetOf } from './labels.ts'

const paramsOf = ({ id }: Pick<Schedule, 'id'>) => ({ params: { id: String(id) } })

const SCHEDULES = recordKind(api.schedules, 'id', { keys: ['schedules', 'clients', 'tools', 'overview'], nameOf })

const RAN = {
  applied: (schedule) =>
    schedule.action === 'enable'
      ? t('{target} was enabled', { target: targetOf(schedule) })
      : t('{target} was disabled', { target: targetOf(schedule) }),
  unchanged: (schedule) =>
    schedule.action === 'enable'
      ? t('{target} was enabled already', { target: targetOf(schedule) })
      : t('{target} was disabled already', { target: targetOf(schedule) }),
  target_missing: (schedule) =>
    t('{target} is missing, or outside this schedule’s team', { target: targetOf(schedule) }),
} as const satisfies Record<ScheduleResult, (schedule: Schedule) => string>

export function useScheduleChanges() {
  const records = useRecords(SCHEDULES)
  return {
    ...records,
    runNow: (schedule: Schedule) =>
      records.run(api.schedules.run(paramsOf(schedule)), (ran) => RAN[ran.lastResult ?? 'unchanged'](ran)),
  }
}
