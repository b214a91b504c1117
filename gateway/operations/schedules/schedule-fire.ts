// What a schedule does, at its time or on request: it switches its backend or tool as an administrator would, and both are recorded in one transaction.

import type { ScheduleResult } from '../../contract/admin/schedules.ts'
import type { Actor } from '../../contract/role.ts'
import type { Base } from '../../records/base.ts'
import type { Audit } from '../../records/changes.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { noteScheduleRun, type ScheduleRow } from '../../storage/schedules.ts'
import type { Tx } from '../../storage/schema.ts'
import type { Backends } from '../backends/backends.ts'
import type { Tools } from '../tools/tools.ts'

type ScheduleFireDeps = Pick<Base, 'clock'> & {
  readonly backends: Pick<Backends, 'switchIn'>
  readonly tools: Pick<Tools, 'switchIn'>
  readonly registry: Pick<LiveRegistry, 'reload'>
}
export type ScheduleFire = ReturnType<typeof createScheduleFire>

export function createScheduleFire({ backends, tools, registry, clock }: ScheduleFireDeps) {
  async function apply(tx: Tx, audit: Audit, row: ScheduleRow): Promise<ScheduleResult> {
    // The owner of the schedule: a backend that went to another team is out of its reach.
    const owner: Pick<Actor, 'teamId'> = { teamId: row.team_id }
    const { client_name: client, tool_name: tool } = row
    const enabled = row.action === 'enable'
    const moved =
      tool === null
        ? await backends.switchIn(tx, audit, owner, client, enabled)
        : await tools.switchIn(tx, audit, owner, { client, tool }, enabled)
    return moved === undefined ? 'target_missing' : moved ? 'applied' : 'unchanged'
  }

  return {
    /** `due` is when it should have been; absent by hand. */
    async fireIn(tx: Tx, audit: Audit, row: ScheduleRow, due?: string): Promise<ScheduleResult> {
      const nowMs = clock.now()
      const result = await apply(tx, audit, row)
      await noteScheduleRun(tx, row.id, { last_run_at: new Date(nowMs).toISOString(), last_result: result })
      await audit('schedule.fire', String(row.id), {
        client: row.client_name,
        tool: row.tool_name,
        action: row.action,
        result,
        ...(due === undefined ? {} : { due, lateMs: nowMs - Date.parse(due) }),
      })
      return result
    },

    /** Once that is committed. */
    async settle(row: ScheduleRow, result: ScheduleResult): Promise<void> {
      if (result === 'applied') await registry.reload(row.client_name, 'changed')
    },
  }
}
