// A cron expression in words; without a short form, its fields. Pure.
import { type Cron, readCron } from '#contract'

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = 'January February March April May June July August September October November December'.split(' ')
/** The limit of individually listed times. */
const MOST_TIMES = 4

/** `every day at 03:00`; the expression itself if it cannot be parsed. */
export function cronInWords(text: string): string {
  const read = readCron(text)
  if ('problem' in read) return text
  const { cron } = read
  const [times, days, months] = [timesIn(cron), daysIn(cron), monthsIn(cron)]
  const often = times.startsWith('every')
  return [...(often ? [times, days] : [days ?? 'every day', times]), months].filter(Boolean).join(' ')
}

const sorted = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b)
const two = (value: number): string => String(value).padStart(2, '0')

function listed(words: readonly string[], last = 'and'): string {
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
      return run.length > 2 ? [`${word(first)} to ${word(last)}`] : run.map(word)
    }),
  )
}

/** A regular step through the whole range. */
function stepOf(values: readonly number[], around: number): number | undefined {
  const step = around / values.length
  return Number.isInteger(step) && values.every((value, at) => value === at * step) ? step : undefined
}

function timesIn({ minutes, hours }: Cron): string {
  const [atMinutes, atHours] = [sorted(minutes), sorted(hours)]
  const [minute = 0] = atMinutes
  const [everyMinutes, everyHours] = [stepOf(atMinutes, 60), stepOf(atHours, 24)]
  if (everyHours === 1 && everyMinutes === 1) return 'every minute'
  if (everyHours === 1 && everyMinutes !== undefined && everyMinutes < 60) return `every ${everyMinutes} minutes`
  if (everyHours !== undefined && everyHours < 24 && atMinutes.length === 1)
    return `every ${everyHours === 1 ? 'hour' : `${everyHours} hours`} at :${two(minute)}`
  if (atMinutes.length * atHours.length <= MOST_TIMES)
    return `at ${listed(atHours.flatMap((hour) => atMinutes.map((each) => `${two(hour)}:${two(each)}`)))}`
  const of = everyHours === 1 ? 'every hour' : `${atHours.length === 1 ? 'hour' : 'hours'} ${ranged(atHours, String)}`
  if (everyMinutes === 1) return `every minute of ${of}`
  if (everyMinutes !== undefined && everyMinutes < 60) return `every ${everyMinutes} minutes of ${of}`
  return `at ${atMinutes.length === 1 ? 'minute' : 'minutes'} ${ranged(atMinutes, String)} of ${of}`
}

const ENDINGS = ['th', 'st', 'nd', 'rd']
const nth = (day: number): string =>
  `${day}${(day % 100 > 10 && day % 100 < 14 ? undefined : ENDINGS[day % 10]) ?? 'th'}`

/** Undefined for every day. */
function daysIn({ days, weekdays, eitherDay }: Cron): string | undefined {
  const byDay = days.size === 31 ? undefined : `on the ${ranged(sorted(days), nth)}`
  // Weeks start on Monday.
  const week = sorted(weekdays).map((day) => (day === 0 ? 7 : day))
  const named = ranged(
    week.sort((a, b) => a - b),
    (day) => WEEKDAYS[day % 7] ?? '',
  )
  const byWeekday = weekdays.size === 7 ? undefined : `on ${named}`
  if (byDay === undefined || byWeekday === undefined) return byDay ?? byWeekday
  return eitherDay ? `${byDay} or ${byWeekday}` : `${byDay} if that is ${named}`
}

const monthsIn = ({ months }: Cron): string | undefined =>
  months.size === 12 ? undefined : `in ${ranged(sorted(months), (month) => MONTHS[month - 1] ?? '')}`
