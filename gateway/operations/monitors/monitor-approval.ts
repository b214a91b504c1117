// What a monitor may run on its own: a tool that needs a person runs once a person approved this tool with these arguments. Contract 8.12.

import { changedBy } from '../../audit-log/changed-by.ts'
import { GatewayError } from '../../contract/error.ts'
import { mayUse } from '../../contract/role.ts'
import { approvalHash, isApproved, type MonitorNeed, type NeedOf } from '../../live/monitor-need.ts'
import { argsHash } from '../../pipeline/args-hash.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { type MonitorRow, monitorOf, updateMonitor } from '../../storage/monitors.ts'
import type { FoundTool } from '../tools/tools.ts'

export const notApproved = (need: MonitorNeed): GatewayError =>
  new GatewayError(
    'MONITOR_NOT_APPROVED',
    `The monitor was not run: its tool needs ${need === 'approval' ? 'an approval' : 'a confirmation'}. Approve the monitor; a change of the tool, its arguments or its guards ends an approval.`,
  )

export type MonitorApproval = ReturnType<typeof createMonitorApproval>
type MonitorApprovalDeps = Pick<Base, 'database' | 'changes' | 'clock'> & {
  readonly needOf: NeedOf
  readonly argsOf: (found: FoundTool) => Promise<Readonly<Record<string, unknown>> | undefined>
}

export function createMonitorApproval({ database, changes, needOf, argsOf, clock }: MonitorApprovalDeps) {
  /** Another person than those who decided what it runs, or an admin who confirms it. */
  async function requireApprover({ actor }: By, { backend, tool }: FoundTool, row: MonitorRow): Promise<void> {
    const approvers = tool.config.approval?.approvers ?? []
    if (approvers.length > 0 && !(actor.username !== undefined && approvers.includes(actor.username)))
      throw new GatewayError('NOT_AN_APPROVER', `Only ${approvers.join(', ')} may approve this monitor`)
    if (actor.kind === 'disabled') return
    const targets = [backend.name, `${backend.name}__${tool.name}`]
    const changed = await changedBy(database.query, targets, row.set_at)
    if (row.set_by === actor.name || changed.includes(actor.name))
      throw new GatewayError(
        'SELF_APPROVAL',
        'You set this monitor or changed its tool: another person has to approve it, or an admin with "confirm": true',
      )
  }

  async function requireApproved(found: FoundTool): Promise<void> {
    const need = needOf(found.tool)
    if (need === null) return
    const row = await monitorOf(database.query, found.tool.id)
    const args = await argsOf(found)
    if (row && args && !isApproved(need, found, row, args)) throw notApproved(need)
  }

  async function approve(by: By, found: FoundTool, confirm: boolean): Promise<void> {
    const { backend, tool } = found
    const need = needOf(tool)
    if (need === null) throw new GatewayError('NOT_APPLICABLE', 'This tool needs no person: its monitor runs as it is')
    const args = await argsOf(found)
    if (args === undefined) throw new GatewayError('EXAMPLE_NOT_FOUND', 'The example of this monitor is gone')
    const before = await monitorOf(database.query, tool.id)
    if (before === undefined) throw new GatewayError('NOT_CONFIGURED', 'This tool has no monitor')
    const confirmed = confirm && mayUse(by.actor, 'admin')
    if (!confirmed) await requireApprover(by, found, before)
    const approved_at = new Date(clock.now()).toISOString()
    await changes(by, async (tx, audit) => {
      const row = await monitorOf(tx, tool.id)
      // Set again in the meantime: the approved one was another monitor.
      if (row?.set_at !== before.set_at)
        throw new GatewayError('PRECONDITION_FAILED', 'The monitor changed; read it again')
      await updateMonitor(tx, tool.id, {
        approved_by: by.actor.name,
        approved_at,
        approved_hash: approvalHash(need, found, args),
      })
      await audit('tool.monitor.approve', `${backend.name}__${tool.name}`, {
        need,
        argsHash: argsHash(backend.name, tool.name, args),
        confirmed,
        setBy: row.set_by,
      })
    })
  }

  return { approve, requireApproved }
}
