// Examples of a tool: arguments under a label, that match its schema unless their author insists. Contract 7.3, 10.2.

import type { ExampleChange, ExampleInput, ToolExample } from '../../contract/admin/tool-examples.ts'
import { GatewayError } from '../../contract/error.ts'
import { idIn, type Page } from '../../contract/page.ts'
import type { Actor } from '../../contract/role.ts'
import type { MonitorStates } from '../../live/monitor-states.ts'
import { argumentsWithoutReserved } from '../../pipeline/0-admission/reserved.ts'
import { createValidator } from '../../pipeline/0-admission/validator.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { difference } from '../../records/changes.ts'
import type { Tool } from '../../registry/backend.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { toolById } from '../../storage/backends.ts'
import { fromText, jsonText } from '../../storage/json-text.ts'
import { updateMonitor } from '../../storage/monitors.ts'
import { beforeId, type Paging, pageById } from '../../storage/page.ts'
import type { Query, Tx } from '../../storage/schema.ts'
import {
  countExamples,
  deleteExample,
  type ExampleRow,
  exampleById,
  examplesBefore,
  insertExample,
  updateExample,
} from '../../storage/tool-examples.ts'
import { configOf } from './tool-config.ts'
import { type FoundTool, requireTool } from './tools.ts'

type ToolExamplesDeps = Pick<Base, 'database' | 'changes' | 'clock'> & {
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly monitors: Pick<MonitorStates, 'refresh'>
}
export type ToolExamples = ReturnType<typeof createToolExamples>

const MOST = 50

const exampleOf = ({ id, label, args, created_at, created_by }: ExampleRow): ToolExample => ({
  id,
  label,
  args: fromText(args),
  createdAt: created_at,
  createdBy: created_by,
})

const targetOf = ({ client, name }: Tool): string => `${client}__${name}`

/** As a call with them would be judged: what is Gantry's own is taken out first. */
function requireFit({ backend, tool }: FoundTool, args: Readonly<Record<string, unknown>>): void {
  const checked = createValidator(tool, backend.kind)(argumentsWithoutReserved(args))
  if (checked.ok) return
  throw new GatewayError('INVALID_ARGS', `The tool would refuse these arguments: ${checked.problems.join('; ')}`, {
    details: { problems: checked.problems },
  })
}

async function required(query: Query, { tool }: FoundTool, given: string): Promise<ExampleRow> {
  const id = idIn(given)
  const row = id === undefined ? undefined : await exampleById(query, tool.id, id)
  if (row === undefined) throw new GatewayError('EXAMPLE_NOT_FOUND', 'This tool has no such example')
  return row
}

/** A monitor that uses the example now runs something else, on behalf of the user who changed it. */
async function unapprove(tx: Tx, toolId: number, exampleId: number, setBy: string): Promise<void> {
  const tool = await toolById(tx, toolId)
  if (tool && configOf(tool.config).monitor?.exampleId === exampleId)
    await updateMonitor(tx, toolId, { set_by: setBy, approved_by: null, approved_at: null, approved_hash: null })
}

export function createToolExamples({ database, changes, registry, monitors, clock }: ToolExamplesDeps) {
  return {
    async list(actor: Actor, client: string, name: string, { limit, cursor }: Paging): Promise<Page<ToolExample>> {
      const { tool } = requireTool(registry, actor, client, name)
      const rows = await examplesBefore(database.query, tool.id, { before: beforeId(cursor), limit: limit + 1 })
      return pageById(rows.map(exampleOf), limit)
    },

    async create(by: By, client: string, name: string, { label, args, force }: ExampleInput): Promise<ToolExample> {
      const found = requireTool(registry, by.actor, client, name)
      if (!force) requireFit(found, args)
      const { tool } = found
      return changes(by, async (tx, audit) => {
        if ((await countExamples(tx, tool.id)) >= MOST)
          throw new GatewayError('LIMIT_REACHED', `A tool has at most ${MOST} examples; remove one first`)
        const row = await insertExample(tx, {
          tool_id: tool.id,
          label,
          args: jsonText(args),
          created_at: new Date(clock.now()).toISOString(),
          created_by: by.actor.name,
        })
        await audit('tool.example.create', targetOf(tool), { id: row.id, label, forced: force })
        return exampleOf(row)
      })
    },

    async update(by: By, client: string, name: string, given: string, change: ExampleChange): Promise<ToolExample> {
      const found = requireTool(registry, by.actor, client, name)
      if (change.args !== undefined) requireFit(found, change.args)
      const changed = await changes(by, async (tx, audit) => {
        const row = await required(tx, found, given)
        const next = {
          label: change.label ?? row.label,
          args: change.args === undefined ? row.args : jsonText(change.args),
        }
        const moved = difference({ label: row.label, args: row.args }, next)
        if (!moved) return exampleOf(row)
        await updateExample(tx, row.id, next)
        if (next.args !== row.args) await unapprove(tx, found.tool.id, row.id, by.actor.name)
        // The content of the arguments is only for users who may read the example.
        const message = 'args' in moved.after ? { ...moved.after, args: '[set]' } : moved.after
        const was = 'args' in moved.before ? { ...moved.before, args: '[set]' } : moved.before
        await audit('tool.example.update', targetOf(found.tool), { id: row.id, before: was, after: message })
        return exampleOf({ ...row, ...next })
      })
      await monitors.refresh()
      return changed
    },

    async delete(by: By, client: string, name: string, given: string): Promise<void> {
      const found = requireTool(registry, by.actor, client, name)
      await changes(by, async (tx, audit) => {
        const { id, label } = await required(tx, found, given)
        const row = await toolById(tx, found.tool.id)
        if (row && configOf(row.config).monitor?.exampleId === id)
          throw new GatewayError(
            'IN_USE',
            'The monitor of this tool calls it with this example: change the monitor first',
          )
        await deleteExample(tx, id)
        await audit('tool.example.delete', targetOf(found.tool), { id, before: { label } })
      })
    },
  }
}
