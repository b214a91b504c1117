// Monitors as an administrator meets them: listed, run now, given a new baseline. Contract 7.3, 7.7.

import type { MonitorRecord } from '../../contract/admin/monitors.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { MonitorStates } from '../../live/monitor-states.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { schemaHash } from '../../registry/tool-diff.ts'
import { jsonText } from '../../storage/json-text.ts'
import { monitorOf, updateMonitor } from '../../storage/monitors.ts'
import { afterName, type Paging, pageByName } from '../../storage/page.ts'
import { type FoundTool, requireTool } from '../tools/tools.ts'
import type { MonitorApproval } from './monitor-approval.ts'
import type { Reread } from './monitor-readings.ts'
import { type MonitorRuns, schemaIn } from './monitor-runs.ts'

type MonitorsDeps = Pick<Base, 'changes' | 'clock'> & {
  readonly registry: Pick<LiveRegistry, 'known' | 'isLive' | 'isEvicted'>
  readonly states: MonitorStates
  readonly runs: Pick<MonitorRuns, 'run'>
  readonly reread: Reread
  readonly approval: MonitorApproval
  readonly onBaseline: (found: FoundTool) => void
}
type MonitorFilter = {
  readonly status?: MonitorRecord['status'] | undefined
  readonly client?: string | undefined
  readonly drifted?: boolean | undefined
}
export type Monitors = ReturnType<typeof createMonitors>

const notConfigured = (): GatewayError => new GatewayError('NOT_CONFIGURED', 'This tool has no monitor')
const notLive = (why: string): GatewayError => new GatewayError('TOOL_NOT_LIVE', why)

const keyOf = ({ clientName, toolName }: MonitorRecord): string => `${clientName}\u0001${toolName}`

export function createMonitors({ changes, registry, states, runs, reread, approval, clock, onBaseline }: MonitorsDeps) {
  function required(actor: Actor, client: string, name: string): FoundTool {
    const found = requireTool(registry, actor, client, name)
    if (found.tool.config.monitor === undefined) throw notConfigured()
    return found
  }

  function requireLive({ backend, tool }: FoundTool): void {
    if (!registry.isLive(backend.name) || registry.isEvicted(backend.name) || tool.missingSince !== null)
      throw notLive('The backend of this tool is away, or has the tool no longer')
  }

  function recordOf({ backend, tool }: FoundTool): MonitorRecord {
    const record = states.recordOf(backend, tool)
    if (record === null) throw notConfigured()
    return record
  }

  return {
    list(actor: Actor, { limit, cursor, status, client, drifted }: MonitorFilter & Paging): Page<MonitorRecord> {
      const after = afterName(cursor) ?? ''
      const found = states.all().flatMap((row) => {
        const backend = client === undefined || row.client === client ? registry.known(row.client) : undefined
        const tool = backend && mayTouch(actor, backend) ? backend.tools.get(row.tool) : undefined
        const record = backend && tool ? states.recordOf(backend, tool) : null
        const fits =
          record !== null &&
          keyOf(record) > after &&
          (status === undefined || record.status === status) &&
          (drifted === undefined || record.driftDetected === drifted)
        return fits ? [record] : []
      })
      found.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      return pageByName(found.slice(0, limit + 1), limit, keyOf)
    },

    async run({ actor }: By, client: string, name: string): Promise<MonitorRecord> {
      const found = required(actor, client, name)
      requireLive(found)
      await approval.requireApproved(found)
      await runs.run(found, reread)
      return recordOf(required(actor, client, name))
    },

    async approve(
      by: By,
      client: string,
      name: string,
      { confirm }: { readonly confirm: boolean },
    ): Promise<MonitorRecord> {
      await approval.approve(by, required(by.actor, client, name), confirm)
      await states.refresh()
      return recordOf(required(by.actor, client, name))
    },

    async rebaseline(by: By, client: string, name: string): Promise<MonitorRecord> {
      const found = required(by.actor, client, name)
      requireLive(found)
      const { tool } = found
      const answer = await reread(client).then(
        (tools) => schemaIn(tools, found),
        (error: unknown) => {
          if (error instanceof GatewayError) throw notLive(`Its definition cannot be read now: ${error.message}`)
          throw error
        },
      )
      if (answer === null) throw notLive('Its source has this tool no longer')
      const at = new Date(clock.now()).toISOString()
      const [baseline, baseline_hash] = [jsonText(answer), schemaHash(answer)] as const
      await changes(by, async (tx, audit) => {
        const row = await monitorOf(tx, tool.id)
        if (row === undefined) throw notConfigured()
        await updateMonitor(tx, tool.id, {
          baseline,
          baseline_hash,
          seen: baseline,
          seen_at: at,
          drift: null,
          drift_since: null,
        })
        await audit('tool.monitor.rebaseline', `${tool.client}__${tool.name}`, {
          before: { baselineHash: row.baseline_hash },
          after: { baselineHash: baseline_hash },
        })
      })
      await states.refresh()
      onBaseline(found)
      return recordOf(required(by.actor, client, name))
    },
  }
}
