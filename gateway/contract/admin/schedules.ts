// Schedules: a backend or a tool is enabled or disabled at set times. Contract 7.8, 10.5.
import { z } from 'zod'
import { CRON_MAX, readCron } from '../cron.ts'
import { nextTimes, zoneNamed } from '../cron-next.ts'
import { ownedInputs } from '../owned-inputs.ts'
import { ownedRoutes } from '../owned-routes.ts'
import { Id, Iso, OWNER_FIELDS } from '../page.ts'

export const SCHEDULE_ACTIONS = ['enable', 'disable'] as const
export const SCHEDULE_RESULTS = ['applied', 'unchanged', 'target_missing'] as const
export type ScheduleResult = (typeof SCHEDULE_RESULTS)[number]

const shown = {
  targetType: z.enum(['client', 'tool']),
  clientName: z.string().min(1).max(63),
  toolName: z.string().min(1).max(128).nullable(),
  action: z.enum(SCHEDULE_ACTIONS),
  cron: z.string().max(CRON_MAX),
  timezone: z.string().min(1).max(64),
  enabled: z.boolean(),
  note: z.string().max(256).nullable(),
}
const fields = {
  ...shown,
  // One spelling of one time: documents know a schedule by it.
  cron: shown.cron.transform((text) => text.trim().replaceAll(/\s+/g, ' ')),
  timezone: shown.timezone.refine((name) => zoneNamed(name) !== undefined, 'must be an IANA time zone, such as UTC'),
}

const { input, change } = ownedInputs(fields, { toolName: null, timezone: 'UTC', enabled: true, note: null })
export const ScheduleInput = input
export type ScheduleInput = z.output<typeof ScheduleInput>

/** What is wrong with what a schedule is for, of itself. */
export function targetProblem({
  targetType,
  toolName,
}: Pick<ScheduleInput, 'targetType' | 'toolName'>): string | undefined {
  if (targetType === 'tool' && toolName === null) return 'must name the tool of a schedule for a tool'
  if (targetType === 'client' && toolName !== null) return 'must be null of a schedule for a whole backend'
  return undefined
}

type Times = Pick<ScheduleInput, 'cron' | 'timezone'>

/** The next of its times after `fromMs`, in epoch milliseconds; none of one that cannot be read. */
export function timesOf({ cron, timezone }: Times, fromMs: number, count: number): number[] {
  const read = readCron(cron)
  const zone = zoneNamed(timezone)
  return 'problem' in read || zone === undefined ? [] : nextTimes(read.cron, zone, fromMs, count)
}

/** What is wrong with its times: how they are written, or that there are none. */
export function cronProblem(times: Times): string | undefined {
  const read = readCron(times.cron)
  if ('problem' in read) return read.problem
  // The calendar repeats: what has not come since 1970 never will.
  return timesOf(times, 0, 1).length === 0 ? 'names no day that ever comes' : undefined
}

export const Schedule = z.object({
  ...shown,
  id: Id,
  lastRunAt: Iso.nullable(),
  lastResult: z.enum(SCHEDULE_RESULTS).nullable(),
  /** Null while it is disabled. */
  nextRunAt: Iso.nullable(),
  ...OWNER_FIELDS,
})
export type Schedule = z.infer<typeof Schedule>

const UNFIT = ['INVALID_CRON', 'INVALID_TARGET', 'CLIENT_NOT_FOUND', 'TOOL_NOT_FOUND'] as const

export const schedules = ownedRoutes(
  {
    path: '/admin-api/schedules',
    key: 'id',
    noun: 'schedule',
    read: 'viewer',
    write: 'operator',
    filter: { client: z.string().max(64).optional() },
    input,
    change,
    record: Schedule,
    notFound: 'SCHEDULE_NOT_FOUND',
    errors: {
      create: [...UNFIT],
      update: [...UNFIT],
    },
    summaries: {
      list: 'List schedules, newest first',
      create: 'Create a schedule that enables or disables a backend or a tool',
      get: 'Read one schedule',
      update: 'Change a schedule',
      delete: 'Delete a schedule',
    },
  },
  {
    run: {
      method: 'POST',
      path: '/admin-api/schedules/:id/run',
      access: 'operator',
      summary: 'Do now what a schedule does at its time',
      reply: Schedule,
      audit: 'schedule.fire',
      errors: ['SCHEDULE_NOT_FOUND'],
    },
  },
)
