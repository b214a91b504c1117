// A cron expression in words; without a short form, its fields. Pure.
import { type Cron, readCron } from '#contract'
import { language, plural, t } from '../../language/language.ts'

const nameOf = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' })
const monthOf = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' })
/** 4 January 1970 was a Sunday. */
const WEEKDAYS = Array.from({ length: 7 }, (_, day) => nameOf.format(Date.UTC(1970, 0, 4 + day)))
const MONTHS = Array.from({ length: 12 }, (_, month) => monthOf.format(Date.UTC(1970, month)))
/** The limit of individually listed times. */
const MOST_TIMES = 4

/** `every day at 03:00`; the expression itself if it cannot be parsed. */
export function cronInWords(text: string): string {
  const read = readCron(text)
  if ('problem' in read) return text
  const { cron } = read
  const [often, days, months] = [intervalIn(cron), daysIn(cron), monthsIn(cron)]
  return [...(often ? [often, days] : [days ?? t('every day'), timesIn(cron)]), months].filter(Boolean).join(' ')
}

const sorted = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b)
const two = (value: number): string => String(value).padStart(2, '0')

function listed(words: readonly string[], last = t('and')): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}

/** Joins runs of three or more: `1 to 5`. */
function ranged(values: readonly number[], word: (value: number) => string): string {
  const runs: number[][] = []
  for (const value of values) {
    const run = runs.at(-1)
    if (run && run.at(-1) === value - 1) run.push(value)
    else runs.push([value])
  }
  return listed(
    runs.flatMap((run) => {
      const [first = 0, last = first] = [run[0], run.at(-1)]
      return run.length > 2 ? [t('{first} to {last}', { first: word(first), last: word(last) })] : run.map(word)
    }),
  )
}

/** A regular step through the whole range. */
function stepOf(values: readonly number[], around: number): number | undefined {
  const step = around / values.length
  return Number.isInteger(step) && values.every((value, at) => value === at * step) ? step : undefined
}

function intervalIn({ minutes, hours }: Cron): string | undefined {
  const [atMinutes, atHours] = [sorted(minutes), sorted(hours)]
  const [minute = 0] = atMinutes
  const [everyMinutes, everyHours] = [stepOf(atMinutes, 60), stepOf(atHours, 24)]
  if (everyHours === 1 && everyMinutes === 1) return t('every minute')
  if (everyHours === 1 && everyMinutes !== undefined && everyMinutes < 60)
    return t('every {minutes} minutes', { minutes: everyMinutes })
  if (everyHours !== undefined && everyHours < 24 && atMinutes.length === 1)
    return everyHours === 1
      ? t('every hour at :{minute}', { minute: two(minute) })
      : t('every {hours} hours at :{minute}', { hours: everyHours, minute: two(minute) })
  if (isFew({ minutes, hours })) return undefined
  if (everyMinutes === 1) return t('every minute of {of}', { of: hoursIn(atHours) })
  if (everyMinutes !== undefined && everyMinutes < 60)
    return t('every {minutes} minutes of {of}', { minutes: everyMinutes, of: hoursIn(atHours) })
  return undefined
}

const isFew = ({ minutes, hours }: Pick<Cron, 'minutes' | 'hours'>): boolean => minutes.size * hours.size <= MOST_TIMES

const hoursIn = (hours: readonly number[]): string =>
  stepOf(hours, 24) === 1
    ? t('every hour')
    : plural(hours.length, 'hour {hours}', 'hours {hours}', { hours: ranged(hours, String) })

function timesIn({ minutes, hours }: Cron): string {
  const [atMinutes, atHours] = [sorted(minutes), sorted(hours)]
  if (isFew({ minutes, hours }))
    return t('at {times}', {
      times: listed(atHours.flatMap((hour) => atMinutes.map((each) => `${two(hour)}:${two(each)}`))),
    })
  return plural(atMinutes.length, 'at minute {minutes} of {of}', 'at minutes {minutes} of {of}', {
    minutes: ranged(atMinutes, String),
    of: hoursIn(atHours),
  })
}

const ENDINGS = ['th', 'st', 'nd', 'rd']
const nth = (day: number): string =>
  language !== 'en' ? `${day}.` : `${day}${(day % 100 > 10 && day % 100 < 14 ? undefined : ENDINGS[day % 10]) ?? 'th'}`

/** Undefined for every day. */
function daysIn({ days, weekdays, eitherDay }: Cron): string | undefined {
  const byDay = days.size === 31 ? undefined : t('on the {days}', { days: ranged(sorted(days), nth) })
  // Weeks start on Monday.
  const week = sorted(weekdays).map((day) => (day === 0 ? 7 : day))
  const named = ranged(
    week.sort((a, b) => a - b),
    (day) => WEEKDAYS[day % 7] ?? '',
  )
  const byWeekday = weekdays.size === 7 ? undefined : t('on {days}', { days: named })
  if (byDay === undefined || byWeekday === undefined) return byDay ?? byWeekday
  return eitherDay
    ? t('{byDay} or {byWeekday}', { byDay, byWeekday })
    : t('{byDay} if that is {named}', { byDay, named })
}

const monthsIn = ({ months }: Cron): string | undefined =>
  months.size === 12
    ? undefined
    : t('in {months}', { months: ranged(sorted(months), (month) => MONTHS[month - 1] ?? '') })
