// The next time of a cron in its time zone. Pure, and of bounded work for every input.
import type { Cron } from './cron.ts'

/** The clocks of one place. */
export type Zone = {
  /** By how many minutes they are ahead of UTC at a minute since 1970. */
  readonly aheadAt: (minute: number) => number
}

const MINUTE_MS = 60_000
const DAY = 1440
/** The calendar repeats after so many: what has not come by then never does. */
const YEARS = 400

/** Undefined where no place has this name. */
export function zoneNamed(name: string): Zone | undefined {
  // An offset is not one of the IANA names, though newer engines accept one.
  if (!/^[a-z]/i.test(name)) return undefined
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
  } catch {
    return undefined
  }
  return {
    aheadAt(minute) {
      const parts = Object.fromEntries(
        format.formatToParts(minute * MINUTE_MS).map(({ type, value }) => [type, Number(value)]),
      )
      const { year = 0, month = 1, day = 1, hour = 0, minute: shown = 0 } = parts
      return Date.UTC(year, month - 1, day, hour, shown) / MINUTE_MS - minute
    },
  }
}

/**
 * The next times after `fromMs`, in epoch milliseconds; fewer than asked for where there are no more. Where clocks are set
 * forward, what falls into the gap comes at its end; where they are set back, it comes once, the first time. A cron whose
 * hour is `*` follows elapsed time instead: it leaves nothing out and repeats what the clocks repeat.
 */
export function nextTimes(cron: Cron, zone: Zone, fromMs: number, count: number): number[] {
  const found: number[] = []
  let from = Math.floor(fromMs / MINUTE_MS)
  while (found.length < count) {
    const next = nextMinute(cron, zone, from)
    if (next === null) return found
    found.push(next * MINUTE_MS)
    from = next
  }
  return found
}

export const nextTime = (cron: Cron, zone: Zone, fromMs: number): number | null =>
  nextTimes(cron, zone, fromMs, 1)[0] ?? null

/** Minutes since 1970 in, and out. Between two turns of the clocks what they show is a plain shift of them. */
function nextMinute(cron: Cron, zone: Zone, after: number): number | null {
  let at = after
  let ahead = zone.aheadAt(at)
  /** What the clocks have to show at least. */
  let least = Math.max(at + ahead + 1, cron.everyHour ? 0 : shownAlready(zone, at, ahead))
  for (;;) {
    const shown = nextShown(cron, least)
    if (shown === null) return null
    const found = shown - ahead
    // So far ahead that the clocks may turn more than once until then: on from shortly before.
    if (found - at > 3 * DAY) return nextMinute(cron, zone, found - 2 * DAY)
    const then = zone.aheadAt(found)
    if (then === ahead) return found
    const turn = turnBetween(zone, at, found)
    const now = zone.aheadAt(turn)
    const [from, to] = [Math.max(turn + ahead, least), turn + now]
    if (!cron.everyHour && isShownBetween(cron, from, to)) return turn
    least = cron.everyHour ? to : Math.max(from, to)
    at = turn
    ahead = now
  }
}

/** After the clocks were set back, what they showed before: that has been. */
function shownAlready(zone: Zone, at: number, ahead: number): number {
  const before = zone.aheadAt(at - DAY)
  return before > ahead ? turnBetween(zone, at - DAY, at) + before : 0
}

function isShownBetween(cron: Cron, from: number, to: number): boolean {
  if (from >= to) return false
  const shown = nextShown(cron, from)
  return shown !== null && shown < to
}

/** The first minute at which the clocks are another way ahead than they were at `from`. */
function turnBetween(zone: Zone, from: number, to: number): number {
  const ahead = zone.aheadAt(from)
  let [before, after] = [from, to]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (zone.aheadAt(middle) === ahead) before = middle
    else after = middle
  }
  return after
}

/** The first minute of the calendar, at `from` or later, that the cron names; no clocks are asked. */
function nextShown(cron: Cron, from: number): number | null {
  const start = new Date(from * MINUTE_MS)
  let [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()]
  let minute = ((from % DAY) + DAY) % DAY
  for (const last = year + YEARS; year <= last; [month, day] = [month + 1, 1]) {
    if (month === 12) [year, month] = [year + 1, 0]
    const first = Date.UTC(year, month, 1) / MINUTE_MS
    const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
    for (; cron.months.has(month + 1) && day <= days; day += 1) {
      const midnight = first + (day - 1) * DAY
      const found = isDay(cron, day, midnight) ? minuteOf(cron, minute) : undefined
      if (found !== undefined) return midnight + found
      minute = 0
    }
    minute = 0
  }
  return null
}

/** 1970 began on a Thursday. */
const weekdayOf = (midnight: number): number => (midnight / DAY + 4) % 7

function isDay({ days, weekdays, eitherDay }: Cron, day: number, midnight: number): boolean {
  const [byDay, byWeekday] = [days.has(day), weekdays.has(weekdayOf(midnight))]
  return eitherDay ? byDay || byWeekday : byDay && byWeekday
}

/** The first minute of a day, at `from` or later. */
function minuteOf({ hours, minutes }: Cron, from: number): number | undefined {
  for (let hour = Math.floor(from / 60); hour < 24; hour += 1) {
    if (!hours.has(hour)) continue
    for (let minute = Math.max(0, from - hour * 60); minute < 60; minute += 1)
      if (minutes.has(minute)) return hour * 60 + minute
  }
  return undefined
}
