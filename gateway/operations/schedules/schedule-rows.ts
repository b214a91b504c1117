// A schedule as it is stored and as it is shown, and when it is due.
import { type Schedule, type ScheduleInput, timesOf } from '../../contract/admin/schedules.ts'
import { ownerOf } from '../../records/owned.ts'
import type { ScheduleRow } from '../../storage/schedules.ts'

/** The fields of a row that a user sets. */
export const settingsOf = (row: ScheduleRow): ScheduleInput => ({
  targetType: row.tool_name === null ? 'client' : 'tool',
  clientName: row.client_name,
  toolName: row.tool_name,
  action: row.action === 'enable' ? 'enable' : 'disable',
  cron: row.cron,
  timezone: row.timezone,
  enabled: row.enabled === 1,
  note: row.note,
})

/** Which also say when it is due: the first time after now. */
export const columnsOf = (settings: ScheduleInput, nowMs: number) =>
  ({
    client_name: settings.clientName,
    tool_name: settings.toolName,
    action: settings.action,
    cron: settings.cron,
    timezone: settings.timezone,
    enabled: settings.enabled ? 1 : 0,
    note: settings.note,
    next_run_at: settings.enabled ? nextRunAt(settings, nowMs) : null,
  }) as const

/** Of one that is there: a minute that is due is not lost to a new note. */
export function changedColumns(row: ScheduleRow, after: ScheduleInput, nowMs: number) {
  const before = settingsOf(row)
  const { next_run_at, ...columns } = columnsOf(after, nowMs)
  const sameTimes = after.cron === before.cron && after.timezone === before.timezone && after.enabled === before.enabled
  return sameTimes ? columns : { ...columns, next_run_at }
}

export const scheduleOf = (row: ScheduleRow): Schedule => ({
  ...settingsOf(row),
  id: row.id,
  lastRunAt: row.last_run_at,
  lastResult: row.last_result as Schedule['lastResult'], // as a run wrote it
  nextRunAt: row.next_run_at,
  ...ownerOf(row),
})

/** The first of its times after `afterMs`; null without one. */
export function nextRunAt(times: Pick<ScheduleInput, 'cron' | 'timezone'>, afterMs: number): string | null {
  const [next] = timesOf(times, afterMs, 1)
  return next === undefined ? null : new Date(next).toISOString()
}
