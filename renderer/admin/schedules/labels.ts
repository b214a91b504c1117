// What schedules do and when, in words.
import type { Schedule } from '#contract'
import { cronInWords } from './cron-words.ts'

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const ACTIONS = { enable: 'Enable', disable: 'Disable' } as const satisfies Record<Schedule['action'], string>

export const targetOf = ({ clientName, toolName }: Pick<Schedule, 'clientName' | 'toolName'>): string =>
  toolName === null ? clientName : `${clientName} ${toolName}`

/** `Disable petstore get_pet`: what a schedule is called where it stands beside others. */
export const nameOf = (schedule: Pick<Schedule, 'action' | 'clientName' | 'toolName'>): string =>
  `${ACTIONS[schedule.action]} ${targetOf(schedule)}`

/** With the time zone, where it is not that of the reader. */
export function whenOf({ cron, timezone }: Pick<Schedule, 'cron' | 'timezone'>): string {
  const words = cronInWords(cron)
  return timezone === ownZone() ? words : `${words}, ${timezone}`
}
