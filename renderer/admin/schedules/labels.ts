// Labels of schedules.
import type { Schedule } from '#contract'
import { t } from '../../language/language.ts'
import { cronInWords } from './cron-words.ts'

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const ACTIONS = { enable: t('Enable'), disable: t('Disable') } as const satisfies Record<Schedule['action'], string>

export const targetOf = ({ clientName, toolName }: Pick<Schedule, 'clientName' | 'toolName'>): string =>
  toolName === null ? clientName : `${clientName} ${toolName}`

/** The name of a schedule: `Disable petstore get_pet`. */
export const nameOf = (schedule: Pick<Schedule, 'action' | 'clientName' | 'toolName'>): string =>
  `${ACTIONS[schedule.action]} ${targetOf(schedule)}`

/** With the time zone, if it differs from the user's. */
export function whenOf({ cron, timezone }: Pick<Schedule, 'cron' | 'timezone'>): string {
  const words = cronInWords(cron)
  return timezone === ownZone() ? words : `${words}, ${timezone}`
}
