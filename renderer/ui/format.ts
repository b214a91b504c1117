// Numbers, durations and times as people read them. Pure: the locale's own rules, a clock by parameter.
import { language, plural, t } from '../language/language.ts'

const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 })
const tenths = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })

/** 9 999 stays exact, 12 345 becomes 12.3K. */
export function formatCount(value: number): string {
  return Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value)
}

/** “3 nodes”; nouns whose plural is regular. */
export const counted = (count: number, noun: string): string =>
  plural(count, `{count} ${noun}`, `{count} ${noun}s`, { count: formatCount(count) })

export const formatTools = (count: number): string => counted(count, 'tool')

/** The share of a part, or a dash when there is no whole to share. */
export function formatShare(part: number, total: number): string {
  return total === 0 ? '–' : percent.format(part / total)
}

/** `512 bytes`, `1.5 KB`, `20 MB`, `4 GB`: by 1024, as limits are set. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return t('{bytes} bytes', { bytes })
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), 3)
  const [size, unit] = [bytes / 1024 ** power, ['', 'KB', 'MB', 'GB'][power] ?? '']
  return `${compact.format(size)} ${unit}`
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A span with its two largest units: `840 ms`, `2.4 s`, `3 min 5 s`, `2 d 4 h`. */
export function formatSpan(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${tenths.format(ms / 1000)} s`
  if (ms < MINUTE_MS) return `${Math.floor(ms / 1000)} s`
  if (ms < HOUR_MS) return pair(ms, MINUTE_MS, 'min', 1000, 's')
  if (ms < DAY_MS) return pair(ms, HOUR_MS, 'h', MINUTE_MS, 'min')
  return pair(ms, DAY_MS, 'd', HOUR_MS, 'h')
}

function pair(ms: number, largeMs: number, large: string, smallMs: number, small: string): string {
  const rest = Math.floor((ms % largeMs) / smallMs)
  return `${Math.floor(ms / largeMs)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}

/** `now`, `4 min ago`, `in 3 h`; from a month on, the date. */
export function formatAgo(iso: string, nowMs: number): string {
  const at = Date.parse(iso)
  const away = Math.abs(nowMs - at)
  if (away < 10_000) return t('now')
  if (away >= 30 * DAY_MS) return formatDay(iso)
  const span =
    away < MINUTE_MS
      ? `${Math.floor(away / 1000)} s`
      : away < HOUR_MS
        ? `${Math.floor(away / MINUTE_MS)} min`
        : away < DAY_MS
          ? `${Math.floor(away / HOUR_MS)} h`
          : `${Math.floor(away / DAY_MS)} d`
  return at > nowMs ? t('in {span}', { span }) : t('{span} ago', { span })
}

export function formatDay(iso: string): string {
  return new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric' }).format(new Date(iso))
}

/** Local time to the second, ordered so that columns of it can be compared at a glance. */
export function formatMoment(iso: string): string {
  const at = new Date(iso)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** The value a `datetime-local` input takes: local time to the minute. */
export function formatForInput(iso: string): string {
  return formatMoment(iso).slice(0, 16).replace(' ', 'T')
}

const ACTORS: readonly (readonly [prefix: string, word: string])[] = [
  ['bearer:', t('Admin key')],
  ['mcp-key:', t('Key')],
  ['mcp-env:', t('Environment key')],
  ['install-link:', t('Install link')],
  ['desktop:', t('Desktop of')],
]

/** Who made a record: a user by the own name, a credential by its kind. */
export function formatActor(actor: string): string {
  const kind = ACTORS.find(([prefix]) => actor.startsWith(prefix))
  return kind ? `${kind[1]} ${actor.slice(kind[0].length)}` : actor
}
