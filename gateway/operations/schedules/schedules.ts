// Schedules: created for a backend or a tool that is there, changed, removed, and run by hand. Contract 7.8, 10.5.
import { cronProblem, type Schedule, type ScheduleInput, targetProblem } from '../../contract/admin/schedules.ts'
import { type ErrorCode, GatewayError } from '../../contract/error.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { By } from '../../records/changes.ts'
import { createOwned, type RecordBase } from '../../records/owned.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import type { Paging } from '../../storage/page.ts'
import { scheduleRows } from '../../storage/schedules.ts'
import { findTool } from '../tools/tools.ts'
import type { ScheduleFire } from './schedule-fire.ts'
import { changedColumns, columnsOf, scheduleOf, settingsOf } from './schedule-rows.ts'

type SchedulesDeps = RecordBase & { readonly registry: Pick<LiveRegistry, 'known'>; readonly fire: ScheduleFire }

function refuse(code: ErrorCode, path: keyof ScheduleInput, message: string): never {
  throw new GatewayError(code, `${path} ${message}`, { fields: [{ path, message }] })
}

export function createSchedules({ registry, fire, ...base }: SchedulesDeps) {
  const { changes, clock } = base

  /** Replaces an alias of the tool by its name. */
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

  const owned = createOwned(
    {
      rows: scheduleRows,
      noun: 'schedule',
      key: 'id',
      order: 'newest',
      notFound: () => new GatewayError('SCHEDULE_NOT_FOUND', 'There is no such schedule'),
      settingsOf,
      columnsOf: (settings, { row }) =>
        row ? changedColumns(row, settings, clock.now()) : columnsOf(settings, clock.now()),
      present: scheduleOf,
      check(after, actor, before) {
        const moves = (...fields: (keyof ScheduleInput)[]): boolean =>
          fields.some((field) => after[field] !== before?.settings[field])
        if (moves('cron', 'timezone')) requireTimes(after)
        // A schedule acts for the team that owns it, not for the person who changes it.
        const owner = before ? { teamId: before.row.team_id } : actor
        return moves('targetType', 'clientName', 'toolName') ? withTarget(owner, after) : after
      },
    },
    base,
  )

  return {
    ...owned,

    list: (actor: Actor, { client, ...paging }: Paging & { readonly client?: string | undefined }) =>
      owned.list(actor, paging, { ...(client !== undefined && { client_name: client }) }),

    /** Runs a disabled schedule too. */
    async run(by: By, given: string): Promise<Schedule> {
      const { row, result } = await changes(by, async (tx, audit) => {
        const found = await owned.required(tx, by.actor, given)
        return { row: found, result: await fire.fireIn(tx, audit, found) }
      })
      await fire.settle(row, result)
      return owned.settled(row.id, by.actor)
    },
  }
}
