// Cron texts against a reading of their own, and the times they name against every minute looked at, where clocks turn above all.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cron, readCron } from './cron.ts'
import { nextTime, nextTimes, zoneNamed } from './cron-next.ts'

function cronOf(text: string): Cron {
  const read = readCron(text)
  return 'cron' in read ? read.cron : expect.fail(`${text}: ${read.problem}`)
}
const zoneOf = (name: string) => zoneNamed(name) ?? expect.fail(`there is no zone ${name}`)
const problemOf = (text: string): string => {
  const read = readCron(text)
  return 'problem' in read ? read.problem : ''
}

type Part = { readonly text: string; readonly values: readonly number[] }
const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
const WEEKDAYS = 'SUN MON TUE WED THU FRI SAT SUN'.split(' ')

/** One part of a field together with what it means, spelled in each way there is. */
function part(least: number, most: number, names: readonly string[] = []): fc.Arbitrary<Part> {
  const value = fc.integer({ min: least, max: most })
  const spelled = (number: number, name: boolean): string => {
    const known = names[number - (names === MONTHS ? 1 : 0)]
    return name && known !== undefined ? known : String(number)
  }
  const between = (from: number, to: number, step: number): number[] => {
    const values: number[] = []
    for (let at = from; at <= to; at += step) values.push(at)
    return values
  }
  const end = names === WEEKDAYS ? 6 : most
  const step = fc.integer({ min: 1, max: most })
  return fc.oneof(
    fc.constant({ text: '*', values: between(least, end, 1) }),
    step.map((every) => ({ text: `*/${every}`, values: between(least, end, every) })),
    fc.tuple(value, fc.boolean()).map(([at, name]) => ({ text: spelled(at, name), values: [at] })),
    fc.tuple(value, value, fc.option(step), fc.boolean()).map(([a, b, every, name]) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)]
      // From Sunday to Sunday by name is that day alone.
      const spell = name && to < 7
      const text = `${spelled(from, spell)}-${spelled(to, spell)}${every === null ? '' : `/${every}`}`
      return { text, values: between(from, to, every ?? 1) }
    }),
  )
}
const field = (least: number, most: number, names?: readonly string[]): fc.Arbitrary<Part> =>
  fc.array(part(least, most, names), { minLength: 1, maxLength: 3 }).map((parts) => ({
    text: parts.map(({ text }) => text).join(','),
    values: parts.flatMap(({ values }) => values),
  }))
const fields = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12, MONTHS), field(0, 7, WEEKDAYS))
const textOf = (parts: readonly Part[]): string => parts.map(({ text }) => text).join(' ')
const sorted = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b)

describe('a cron text', () => {
  it('means each of its values, in every spelling', () => {
    fc.assert(
      fc.property(fields, (parts) => {
        const [minutes, hours, days, months, weekdays] = parts
        const cron = cronOf(textOf(parts))
        expect({
          minutes: sorted(cron.minutes),
          hours: sorted(cron.hours),
          days: sorted(cron.days),
          months: sorted(cron.months),
          weekdays: sorted(cron.weekdays),
        }).toEqual({
          minutes: sorted(minutes.values),
          hours: sorted(hours.values),
          days: sorted(days.values),
          months: sorted(months.values),
          weekdays: sorted(weekdays.values.map((value) => value % 7)),
        })
      }),
    )
  })

  it('is read or refused with a reason, for every input', () => {
    const noise = fc
      .array(fc.constantFrom(...'*/,-0123456789 monjanL#W?@\t'.split('')), { maxLength: 40 })
      .map((all) => all.join(''))
    fc.assert(
      fc.property(fc.oneof(noise, fc.string({ maxLength: 60 })), (text) => {
        const read = readCron(text)
        if ('problem' in read) expect(read.problem).not.toBe('')
        else
          for (const values of [read.cron.minutes, read.cron.hours, read.cron.days])
            expect(values.size).toBeGreaterThan(0)
      }),
    )
  })

  it.each([
    ['', 'this has 0'],
    ['* * * *', 'this has 4'],
    ['0 0 3 * * *', 'this has 6'],
    ['@daily', '@daily is 0 0 * * *'],
    ['60 * * * *', 'minute: "60" must be 0 to 59'],
    ['* 24 * * *', 'hour: "24" must be 0 to 23'],
    ['* * 0 * *', 'day of the month: "0" must be 1 to 31'],
    ['* * * 13 *', 'month: "13" must be 1 to 12, or jan to dec'],
    ['* * * * 8', 'weekday: "8" must be 0 to 7, or sun to sat'],
    ['* * * mon *', 'month: "mon"'],
    ['*/0 * * * *', 'minute: the step in "*/0" must be 1 to 59'],
    ['*/90 * * * *', 'minute: the step in "*/90" must be 1 to 59'],
    ['5/15 * * * *', 'write 5-59/15'],
    ['* 22-2 * * *', 'write 22-23,0-2'],
    ['1,,2 * * * *', 'something is missing'],
    ['1- * * * *', 'something is missing'],
    ['1-2-3 * * * *', 'is no range'],
    ['*/2/2 * * * *', 'has two steps'],
    ['0 0 L * *', '"L" must be'],
    ['0 0 ? * *', '"?" must be'],
    ['-1 * * * *', 'minute'],
    ['1.5 * * * *', 'minute'],
    ['1e1 * * * *', 'minute'],
  ])('that is invalid says why: %s', (text, why) => {
    expect(problemOf(text)).toContain(why)
  })

  it('may end its week on a Sunday', () => {
    expect(sorted(cronOf('0 0 * * FRI-SUN').weekdays)).toEqual([0, 5, 6])
    expect(sorted(cronOf('0 0 * * 5-7').weekdays)).toEqual([0, 5, 6])
  })
})

const MINUTE = 60_000
const shown = (zone: string) => {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  return (ms: number): string => format.format(ms)
}

/** Places, each with the days on which its clocks do something. */
const TURNS = [
  ['Europe/Berlin', '2027-03-27T12:00Z'],
  ['Europe/Berlin', '2027-10-30T12:00Z'],
  // By half an hour.
  ['Australia/Lord_Howe', '2027-04-03T00:00Z'],
  ['Australia/Lord_Howe', '2027-10-02T00:00Z'],
  // At midnight, so that a day begins at one, or begins twice.
  ['America/Havana', '2027-03-13T12:00Z'],
  ['America/Havana', '2027-11-06T12:00Z'],
  // A whole day that was not.
  ['Pacific/Apia', '2011-12-29T12:00Z'],
  ['Asia/Kathmandu', '2027-02-27T12:00Z'],
  ['UTC', '2028-02-28T12:00Z'],
] as const
const HOURS = 60

/** Every minute of such days with what the clocks show. */
const WORLDS = TURNS.map(([zone, from]) => {
  const [first, show] = [Date.parse(from), shown(zone)]
  // The day before as well: what was shown then has been.
  const minutes = Array.from({ length: (24 + HOURS + 12) * 60 }, (_, at) => {
    const ms = first + (at - 24 * 60) * MINUTE
    return { ms, wall: Date.parse(`${show(ms).replace(' ', 'T')}Z`) }
  })
  return { zone: zoneOf(zone), first, minutes }
})

/** As the rules say it, and nothing is clever. */
function names({ minutes, hours, days, months, weekdays, eitherDay }: Cron, wall: number): boolean {
  const at = new Date(wall)
  const byDay = days.has(at.getUTCDate())
  const byWeekday = weekdays.has(at.getUTCDay())
  return (
    minutes.has(at.getUTCMinutes()) &&
    hours.has(at.getUTCHours()) &&
    months.has(at.getUTCMonth() + 1) &&
    (eitherDay ? byDay || byWeekday : byDay && byWeekday)
  )
}
function comes(cron: Cron, minutes: (typeof WORLDS)[number]['minutes'], at: number): boolean {
  const [{ wall } = { wall: 0 }, { wall: before } = { wall: 0 }] = [minutes[at], minutes[at - 1]]
  if (cron.everyHour) return names(cron, wall)
  const been = minutes.slice(Math.max(0, at - 24 * 60), at).some((each) => each.wall === wall)
  if (names(cron, wall) && !been) return true
  for (let left = before + MINUTE; left < wall; left += MINUTE) if (names(cron, left)) return true
  return false
}

describe('the next time', () => {
  it('is the first minute that the rules name, where clocks are turned and where they are not', () => {
    // Seldom enough to be looked for, often enough to be found within these days.
    const minute = fc.constantFrom('0', '30', '*/20', '0,45', '59', '*')
    const hour = fc.oneof(
      fc.constantFrom('*', '*/3', '1-3', '0', '2,3', '23'),
      field(0, 23).map(({ text }) => text),
    )
    const day = fc.constantFrom('*', '*', '1', '27-31', '*/2')
    const weekday = fc.constantFrom('*', '*', 'SUN', 'MON-FRI')
    const start = fc.integer({ min: 0, max: HOURS * 60 * 60_000 })
    fc.assert(
      fc.property(fc.constantFrom(...WORLDS), minute, hour, day, weekday, start, (world, m, h, d, w, past) => {
        const cron = cronOf(`${m} ${h} ${d} * ${w}`)
        const from = world.first + past
        const { minutes } = world
        const found = minutes.findIndex(({ ms }, at) => ms > from && comes(cron, minutes, at))
        const next = nextTime(cron, world.zone, from)
        const end = minutes.at(-1)?.ms ?? 0
        if (found < 0) expect(next).toBeGreaterThan(end)
        else expect(next).toBe(minutes[found]?.ms)
      }),
      { numRuns: 400 },
    )
  })

  const local = (zone: string, text: string, from: string, count = 3): string[] =>
    nextTimes(cronOf(text), zoneOf(zone), Date.parse(from), count).map(shown(zone))

  it.each([
    ['a time in the gap comes at its end', '30 2 * * *', '2027-03-27T12:00Z', ['2027-03-28 03:00', '2027-03-29 02:30']],
    ['several of them come as one', '*/15 2 * * *', '2027-03-27T12:00Z', ['2027-03-28 03:00', '2027-03-29 02:00']],
    ['a time shown twice comes once', '30 2 * * *', '2027-10-30T12:00Z', ['2027-10-31 02:30', '2027-11-01 02:30']],
    ['also when asked in between', '30 2 * * *', '2027-10-31T00:30Z', ['2027-11-01 02:30', '2027-11-02 02:30']],
    ['by the hour it is twice', '30 * * * *', '2027-10-31T00:00Z', ['2027-10-31 02:30', '2027-10-31 02:30']],
  ])('in Berlin: %s', (_rule, text, from, times) => {
    expect(local('Europe/Berlin', text, from, 2)).toEqual(times)
  })

  it('is found years ahead, by leap days and by the rule that a day or a weekday is enough', () => {
    expect(local('UTC', '0 0 29 2 *', '2097-01-01T00:00Z', 2)).toEqual(['2104-02-29 00:00', '2108-02-29 00:00'])
    expect(local('UTC', '0 12 13 * FRI', '2027-08-01T00:00Z', 3)).toEqual([
      '2027-08-06 12:00',
      '2027-08-13 12:00',
      '2027-08-20 12:00',
    ])
    // In Havana the night of the turn shows this hour twice, and it is looked for from far away.
    expect(nextTime(cronOf('30 * 7 11 *'), zoneOf('America/Havana'), Date.parse('2027-01-01T00:00Z'))).toBe(
      Date.parse('2027-11-07T04:30Z'),
    )
  })

  it.each(['0 0 30 2 *', '* * 31 4,6,9,11 *', '0 0 31 2 *'])('is invalid for a day that never comes: %s', (text) => {
    expect(nextTime(cronOf(text), zoneOf('Europe/Berlin'), Date.now())).toBeNull()
  })

  it('is of the IANA places alone', () => {
    for (const name of ['', 'Mars/Olympus', '+02:00', 'Europe/Berlin ', '../etc'])
      expect(zoneNamed(name)).toBeUndefined()
  })
})
