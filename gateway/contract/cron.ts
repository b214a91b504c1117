// Five-field cron, read: minute, hour, day of month, month, weekday. Contract 10.5. Pure: the form of the browser reads it as the gateway does.

export type Cron = {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>
  /** The hour is `*` or every so many: such a schedule follows elapsed time where the clocks are turned. */
  readonly everyHour: boolean
  /** Day and weekday were both narrowed: either is enough, as every cron has it. */
  readonly eitherDay: boolean
}
export type ReadCron = { readonly cron: Cron } | { readonly problem: string }

export const CRON_MAX = 256

type Field = {
  readonly name: string
  readonly least: number
  readonly most: number
  readonly names?: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const FIELDS = {
  minutes: { name: 'minute', least: 0, most: 59 },
  hours: { name: 'hour', least: 0, most: 23 },
  days: { name: 'day of the month', least: 1, most: 31 },
  months: { name: 'month', least: 1, most: 12, names: MONTHS },
  // 7 is Sunday as well.
  weekdays: { name: 'weekday', least: 0, most: 7, names: WEEKDAYS },
} as const satisfies Record<string, Field>

/** `@daily` and its like, as they are written here. */
const SHORT: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}

/** What is wrong with one field, for the message about the whole. */
class Unreadable extends Error {}

export function readCron(text: string): ReadCron {
  const short = SHORT[text.trim().toLowerCase()]
  if (short !== undefined) return { problem: `write the five fields: ${text.trim()} is ${short}` }
  const fields = text.split(/\s+/).filter(Boolean)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  if (fields.length !== 5)
    return {
      problem: `must have five fields, minute hour day month weekday, such as "0 3 * * *"; this has ${fields.length}`,
    }
  try {
    const weekdays = valuesIn(weekday, FIELDS.weekdays)
    return {
      cron: {
        minutes: new Set(valuesIn(minute, FIELDS.minutes)),
        hours: new Set(valuesIn(hour, FIELDS.hours)),
        days: new Set(valuesIn(day, FIELDS.days)),
        months: new Set(valuesIn(month, FIELDS.months)),
        weekdays: new Set(weekdays.map((value) => value % 7)),
        everyHour: hour.startsWith('*'),
        eitherDay: !day.startsWith('*') && !weekday.startsWith('*'),
      },
    }
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message }
    throw error
  }
}

function valuesIn(text: string, field: Field): number[] {
  return text.split(',').flatMap((part) => {
    const [range = '', step, ...more] = part.split('/')
    if (more.length > 0) throw new Unreadable(`${field.name}: "${part}" has two steps`)
    const [from, to] = rangeIn(range, field)
    if (step === undefined) return sequence(from, to, 1)
    if (range !== '*' && !range.includes('-'))
      throw new Unreadable(
        `${field.name}: a step follows * or a range; for "${part}" write ${range}-${mostOf(field)}/${step}`,
      )
    const every = Number(step)
    if (!/^\d{1,2}$/.test(step) || every < 1 || every > field.most)
      throw new Unreadable(`${field.name}: the step in "${part}" must be 1 to ${field.most}`)
    return sequence(from, to, every)
  })
}

/** Of a weekday `*` is Sunday to Saturday: its 7 is the Sunday it began with. */
const mostOf = ({ most, names }: Field): number => (names === WEEKDAYS ? 6 : most)

function rangeIn(text: string, field: Field): readonly [number, number] {
  if (text === '*') return [field.least, mostOf(field)]
  const [first = '', last, ...more] = text.split('-')
  if (more.length > 0) throw new Unreadable(`${field.name}: "${text}" is no range`)
  const from = valueIn(first, field)
  if (last === undefined) return [from, from]
  const given = valueIn(last, field)
  // A week that ends on Sunday.
  const to = field.names === WEEKDAYS && given === 0 && from > 0 ? 7 : given
  if (to < from)
    throw new Unreadable(
      `${field.name}: "${text}" runs backwards; write ${first}-${mostOf(field)},${field.least}-${last}`,
    )
  return [from, to]
}

function valueIn(text: string, field: Field): number {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0) return named + field.least
  const value = Number(text)
  if (!/^\d{1,2}$/.test(text) || value < field.least || value > field.most) {
    const known = field.names ? `, or ${field.names[0]} to ${field.names.at(-1)}` : ''
    throw new Unreadable(
      text === ''
        ? `${field.name}: something is missing around a comma, a dash or a slash`
        : `${field.name}: "${text}" must be ${field.least} to ${field.most}${known}`,
    )
  }
  return value
}

function sequence(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step)
}
