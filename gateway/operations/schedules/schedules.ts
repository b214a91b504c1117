// Schedules: created for a backend or a tool that is there, changed, removed, and run by hand. Contract 7.8, 10.5.
import {
  cronProblem,
  type Schedule,
  type ScheduleChange,
  type ScheduleInput,
  targetProblem,
} from '../../contract/admin/schedules.ts'
import { type ErrorCode, GatewayError } from '../../contract/error.ts'
import { idIn, type Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import { type Changes, difference, type Revision, requireRevision } from '../../records/changes.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import type { Database } from '../../storage/database.ts'
import { beforeId, type Paging, pageById } from '../../storage/page.ts'
import {
  deleteSchedule,
  insertSchedule,
  type ScheduleRow,
  scheduleById,
  schedulesBefore,
  updateSchedule,
} from '../../storage/schedules.ts'
import type { Query } from '../../storage/schema.ts'
import type { ByActor } from '../backends/backends.ts'
import { findTool } from '../tools/tools.ts'
import type { ScheduleFire } from './schedule-fire.ts'
import { changedColumns, columnsOf, scheduleOf, settingsOf } from './schedule-rows.ts'

type Parts = {
  readonly database: Pick<Database, 'query'>
  readonly changes: Changes
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly fire: ScheduleFire
  readonly clock: { now(): number }
}
export type Schedules = ReturnType<typeof createSchedules>

const notFound = (): GatewayError => new GatewayError('SCHEDULE_NOT_FOUND', 'There is no such schedule')

async function required(query: Query, actor: Actor, given: string): Promise<ScheduleRow> {
  const id = idIn(given)
  const row = id === undefined ? undefined : await scheduleById(query, id)
  if (row === undefined || !mayTouch(actor, { teamId: row.team_id })) throw notFound()
  return row
}

function refuse(code: ErrorCode, path: keyof ScheduleInput, message: string): never {
  throw new GatewayError(code, `${path} ${message}`, { fields: [{ path, message }] })
}

export function createSchedules({ database, changes, registry, fire, clock }: Parts) {
  const { query } = database
  const at = (): string => new Date(clock.now()).toISOString()

  /** By the name the tool has here, whichever it was given by. */
  function withTarget<T extends ScheduleInput>(owner: Pick<Actor, 'teamId'>, settings: T): T {
    const problem = targetProblem(settings)
    if (problem !== undefined) refuse('INVALID_TARGET', 'toolName', problem)
    const { clientName, toolName } = settings
    const backend = registry.known(clientName)
    if (backend === undefined || !mayTouch(owner, backend))
      return refuse('CLIENT_NOT_FOUND', 'clientName', 'names no backend there is')
    if (toolName === null) return settings
    const tool = findTool(backend, toolName)
    if (tool === undefined) return refuse('TOOL_NOT_FOUND', 'toolName', 'names no tool of this backend')
    return { ...settings, toolName: tool.name }
  }

  function requireTimes(settings: ScheduleInput): void {
    const problem = cronProblem(settings)
    if (problem !== undefined) refuse('INVALID_CRON', 'cron', problem)
  }

  async function read(id: number): Promise<Schedule> {
    const row = await scheduleById(query, id)
    if (row === undefined) throw notFound()
    return scheduleOf(row)
  }

  return {
    async list(
      { teamId }: Actor,
      { client }: { readonly client?: string | undefined },
      { limit, cursor }: Paging,
    ): Promise<Page<Schedule>> {
      const rows = await schedulesBefore(query, { before: beforeId(cursor), client, teamId, limit: limit + 1 })
      return pageById(rows.map(scheduleOf), limit)
    },

    get: async (actor: Actor, id: string): Promise<Schedule> => scheduleOf(await required(query, actor, id)),

    async create(by: ByActor, input: ScheduleInput): Promise<Schedule> {
      requireTimes(input)
      const settings = withTarget(by.actor, input)
      const id = await changes(by, async (tx, audit) => {
        const created = at()
        const made = await insertSchedule(tx, {
          ...columnsOf(settings, clock.now()),
          team_id: by.actor.teamId,
          revision: 1,
          created_at: created,
          updated_at: created,
          created_by: by.actor.name,
        })
        await audit('schedule.create', String(made), { after: settings })
        return made
      })
      return read(id)
    },

    async update(by: ByActor, given: string, change: ScheduleChange, expected: readonly Revision[]): Promise<Schedule> {
      const id = await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, given)
        requireRevision(row.revision, expected)
        const before = settingsOf(row)
        const wanted = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
        const asked: ScheduleInput = { ...before, ...wanted }
        const moves = (...keys: (keyof ScheduleInput)[]): boolean => keys.some((key) => asked[key] !== before[key])
        // It acts for whoever owns it, and not for whoever changes it.
        const after = moves('targetType', 'clientName', 'toolName') ? withTarget({ teamId: row.team_id }, asked) : asked
        if (moves('cron', 'timezone')) requireTimes(after)
        const changed = difference(before, after)
        if (!changed) return row.id
        await updateSchedule(tx, row.id, { ...changedColumns(row, after, clock.now()), updated_at: at() })
        await audit('schedule.update', String(row.id), changed)
        return row.id
      })
      return read(id)
    },

    async delete(by: ByActor, given: string, expected: readonly Revision[]): Promise<void> {
      await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, given)
        requireRevision(row.revision, expected)
        // Told before it is gone, while it can be said whose it is.
        await audit('schedule.delete', String(row.id), { before: settingsOf(row) })
        await deleteSchedule(tx, row.id)
      })
    },

    /** Also one that is disabled: somebody is there who wants it. */
    async run(by: ByActor, given: string): Promise<Schedule> {
      const { row, result } = await changes(by, async (tx, audit) => {
        const found = await required(tx, by.actor, given)
        return { row: found, result: await fire.fireIn(tx, audit, found) }
      })
      await fire.settle(row, result)
      return read(row.id)
    },
  }
}
