// Quarantine: counts consecutive hits in the database; at the threshold a tool is blocked, put under approval or marked. Contract 8.8.

import type { QuarantinePolicy } from '../contract/admin/tool-features.ts'
import type { ToolDetail } from '../contract/admin/tools.ts'
import type { Hit, Quarantines } from '../pipeline/3-policy/quarantine.ts'
import type { ToolCall } from '../pipeline/call.ts'
import type { Base } from '../records/base.ts'
import { type By, SYSTEM } from '../records/changes.ts'
import type { Tool } from '../registry/backend.ts'
import { toolById } from '../storage/backends.ts'
import {
  allQuarantines,
  deleteCount,
  deleteEnded,
  deleteQuarantine,
  putQuarantine,
  type QuarantineRow,
  quarantineOf,
} from '../storage/quarantines.ts'

type Action = QuarantinePolicy['action']
/** `action`: the policy's action at the start; later policy changes apply to the next quarantine. */
export type QuarantineState = ToolDetail['quarantine'] & { readonly action: Action | null }
type LiveQuarantine = { readonly client: string; readonly state: QuarantineState; readonly untilMs: number | null }

export type LiveQuarantines = Quarantines & {
  /** Under approval, regardless of configuration. */
  readonly forcesApproval: (tool: Tool) => boolean
  readonly stateOf: (tool: Tool) => QuarantineState
  /** The backends of quarantined tools, one entry per tool. */
  readonly active: () => readonly string[]
  /** True if it was quarantined; also resets the count. */
  readonly clear: (by: By, tool: Tool) => Promise<boolean>
  /** Reads the state of other processes, and ends expired quarantines. */
  readonly refresh: () => Promise<void>
}

type QuarantinesDeps = Pick<Base, 'database' | 'changes' | 'clock' | 'log'> & {
  /** Called when a tool of this backend enters or leaves quarantine. */
  readonly onChange: (client: string) => void
}

const NORMAL: QuarantineState = {
  active: false,
  consecutiveHits: 0,
  since: null,
  until: null,
  reason: null,
  action: null,
}

const REASON: Readonly<Record<Hit, string>> = {
  input: 'the guardrails refused the arguments',
  output: 'the answer held instructions to the model',
}

const stateOfRow = ({ hits, since, until, reason, action }: QuarantineRow): QuarantineState => ({
  active: since !== null,
  consecutiveHits: hits,
  since,
  until,
  reason,
  // Written below, from a policy.
  action: action as Action | null,
})

const heldOf = (client: string, row: QuarantineRow): LiveQuarantine => ({
  client,
  state: stateOfRow(row),
  untilMs: row.until === null ? null : Date.parse(row.until),
})

/** The state after a hit. */
function counted(toolId: number, hits: number, hit: Hit, policy: QuarantinePolicy, nowMs: number): QuarantineRow {
  const { consecutiveThreshold, action, recoveryMode, cooldownMs } = policy
  const row = { tool_id: toolId, hits, since: null, until: null, action: null, reason: null }
  if (hits < consecutiveThreshold) return row
  return {
    ...row,
    since: new Date(nowMs).toISOString(),
    until: recoveryMode === 'auto' ? new Date(nowMs + cooldownMs).toISOString() : null,
    action,
    reason: `${hits} in a row; the last time ${REASON[hit]}`,
  }
}

const targetOf = ({ client, name }: Tool): string => `${client}__${name}`

export function createQuarantines({ database, changes, clock, log, onChange }: QuarantinesDeps): LiveQuarantines {
  /** By tool; contains deviating tools only, so that most lookups hit an empty map. */
  let known = new Map<number, LiveQuarantine>()
  /** Incremented by every local write, to discard earlier reads. */
  let writes = 0
  const at = (): string => new Date(clock.now()).toISOString()
  const isOver = (until: string | null): boolean => until !== null && Date.parse(until) <= clock.now()

  function held({ id }: Tool): LiveQuarantine | undefined {
    const found = known.get(id)
    if (found === undefined || found.untilMs === null || found.untilMs > clock.now()) return found
    known.delete(id)
    onChange(found.client)
    return undefined
  }

  const activeHeld = (tool: Tool): LiveQuarantine | undefined => {
    const found = held(tool)
    return found?.state.active ? found : undefined
  }

  function keep(tool: Tool, row: QuarantineRow | undefined): void {
    writes += 1
    const before = known.get(tool.id)
    if (row === undefined) known.delete(tool.id)
    else known.set(tool.id, heldOf(tool.client, row))
    if ((before?.state.active ?? false) !== (row !== undefined && row.since !== null)) onChange(tool.client)
  }

  async function hitBy({ tool, requestId, caller }: ToolCall, hit: Hit, policy: QuarantinePolicy): Promise<void> {
    const row = await changes({ actor: SYSTEM, requestId }, async (tx, audit) => {
      // The tool may be deleted.
      if ((await toolById(tx, tool.id)) === undefined) return undefined
      const stored = await quarantineOf(tx, tool.id)
      const before = stored && !isOver(stored.until) ? stored : undefined
      // Another process may have been first.
      if (before?.since != null) return before
      const next = counted(tool.id, (before?.hits ?? 0) + 1, hit, policy, clock.now())
      await putQuarantine(tx, next)
      if (next.since !== null)
        await audit('tool.quarantine.enter', targetOf(tool), {
          hits: next.hits,
          direction: hit,
          action: next.action,
          until: next.until,
          principal: caller.name,
        })
      return next
    })
    keep(tool, row)
  }

  async function forget({ tool }: ToolCall): Promise<void> {
    const left = await database.write(async (tx) => {
      await deleteCount(tx, tool.id)
      return quarantineOf(tx, tool.id)
    })
    keep(tool, left)
  }

  const failed = ({ requestId }: ToolCall, error: unknown): void =>
    log.error('a hit for the quarantine could not be counted', { request_id: requestId, error })

  return {
    of(tool) {
      const found = activeHeld(tool)
      return found?.state.action === 'block' ? { untilMs: found.untilMs } : undefined
    },
    marks: (tool) => activeHeld(tool) !== undefined,
    forcesApproval: (tool) => activeHeld(tool)?.state.action === 'force_approval',
    stateOf: (tool) => held(tool)?.state ?? NORMAL,
    active: () =>
      [...known.values()].flatMap(({ client, state }) => (state.active && !isOver(state.until) ? [client] : [])),

    note(call, hit) {
      const policy = call.tool.config.quarantinePolicy
      const found = held(call.tool)
      // During quarantine nothing is counted, and a clean call does not end it.
      if (policy === undefined || found?.state.active) return undefined
      if (hit === undefined && found === undefined) return undefined
      const noted = hit === undefined ? forget(call) : hitBy(call, hit, policy)
      return noted.catch((error: unknown) => failed(call, error))
    },

    async clear(by, tool) {
      const wasActive = await changes(by, async (tx, audit) => {
        const stored = await quarantineOf(tx, tool.id)
        const active = stored !== undefined && stored.since !== null && !isOver(stored.until)
        if (stored) await deleteQuarantine(tx, tool.id)
        await audit('tool.quarantine.clear', targetOf(tool), { wasActive: active, hits: stored?.hits ?? 0 })
        return active
      })
      keep(tool, undefined)
      return wasActive
    },

    async refresh() {
      const before = writes
      const rows = await allQuarantines(database.query)
      if (rows.some(({ until }) => isOver(until))) await database.write((tx) => deleteEnded(tx, at()))
      if (writes !== before) return
      const next = new Map(
        rows.filter(({ until }) => !isOver(until)).map((row) => [row.tool_id, heldOf(row.client, row)] as const),
      )
      const moved = new Set(
        [...known, ...next].flatMap(([id, { client }]) =>
          known.get(id)?.state.since === next.get(id)?.state.since ? [] : [client],
        ),
      )
      known = next
      for (const client of moved) onChange(client)
    },
  }
}
