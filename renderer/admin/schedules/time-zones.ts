// Searches time zones by part of their name.
import { ScheduleInput } from '#contract'
import { t } from '../../language/language.ts'

const MOST = 30

/** Browsers list these by their former names and accept both. */
const RENAMED = [
  t('Africa/Asmara'),
  'America/Argentina/Buenos_Aires',
  t('America/Nuuk'),
  'Asia/Ho_Chi_Minh',
  t('Asia/Kathmandu'),
  t('Asia/Kolkata'),
  t('Asia/Yangon'),
  t('Atlantic/Faroe'),
  t('Europe/Kyiv'),
  t('Pacific/Chuuk'),
  t('Pacific/Pohnpei'),
]

const isZone = (name: string): boolean => ScheduleInput.shape.timezone.safeParse(name).success

/** Also offers a fully typed zone that the browser does not list. */
export async function findZones(q: string) {
  const words = q.trim().replaceAll(' ', '_')
  const listed = new Set(['UTC', ...[...Intl.supportedValuesOf('timeZone'), ...RENAMED].sort()])
  const found = [...listed].filter((zone) => zone.toLowerCase().includes(words.toLowerCase()))
  const zones = found.length === 0 && words !== '' && isZone(words) ? [words] : found
  return { items: zones.slice(0, MOST).map((zone) => ({ value: zone, label: zone })), more: zones.length > MOST }
}
