// Approval tickets of calls: requested, checked, consumed once. Contract 8.7.

import type { ApprovalCfg } from '../contract/admin/tool-guards.ts'
import type { Approvals, Ticket, Waiting } from '../pipeline/3-policy/approval.ts'
import { bindingOf, type TicketBinding } from '../pipeline/3-policy/ticket-binding.ts'
import type { ToolCall } from '../pipeline/call.ts'
import type { Base } from '../records/base.ts'
import { SYSTEM } from '../records/changes.ts'
import { argumentRedaction } from '../registry/argument-redaction.ts'
import type { Tool } from '../registry/backend.ts'
import type { Settings } from '../settings/table.ts'
import {
  anyOverdue,
  type Binding,
  expireTickets,
  insertTicket,
  type OwnedTicket,
  openTicket,
  queued,
  type TicketRow,
  ticketById,
  useTicket,
} from '../storage/approvals.ts'
import { jsonText } from '../storage/json-text.ts'
import type { Tx } from '../storage/schema.ts'

type ApprovalTicketsDeps = Pick<Base, 'database' | 'changes' | 'clock' | 'newId'> & {
  readonly settings: Pick<Settings, 'APPROVAL_TTL_MS' | 'APPROVAL_USE_TTL_MS' | 'APPROVAL_MAX_PENDING'>
  /** Tools put under approval by quarantine, regardless of configuration. */
  readonly forced: (tool: Tool) => boolean
  readonly onCreated: (ticket: OwnedTicket) => void
  readonly onExpired: (tickets: readonly TicketRow[]) => void
}

export type ApprovalTickets = Approvals & {
  /** Releases the calls that wait for the ticket. */
  readonly decided: (ticketId: number) => void
  /** Expires old tickets. Runs before each check, so that stored states are current. */
  readonly settle: () => Promise<void>
}

const FORCED: ApprovalCfg = { required: true, levels: 1, approvers: [] }
/** A principal's share of the queue, so that it cannot block others. */
const OWN_SHARE = 0.25
/** A small queue is not divided. */
const OWN_LEAST = 100
/** The byte limit of all waiting calls. */
const MOST_BYTES = 64 * 1_048_576

export const ticketOf = ({ id, status, required_levels, received, expires_at }: OwnedTicket): Ticket => ({
  id,
  status,
  requiredLevels: required_levels,
  approvalsReceived: received,
  expiresAt: expires_at,
})

const columns = ({ backendId, tool, argsHash, definitionHash, principal, actor }: TicketBinding): Binding => ({
  backend_id: backendId,
  tool_name: tool,
  args_hash: argsHash,
  definition_hash: definitionHash,
  principal,
  actor,
})

const isFor = (row: TicketRow, binding: Binding): boolean =>
  row.backend_id === binding.backend_id &&
  row.tool_name === binding.tool_name &&
  row.args_hash === binding.args_hash &&
  row.definition_hash === binding.definition_hash

/** Why a ticket is not usable; undefined if it is. */
function state(row: OwnedTicket): Waiting | undefined {
  const ticket = ticketOf(row)
  switch (row.status) {
    case 'approved':
      return undefined
    case 'rejected':
    case 'expired':
    case 'consumed':
      return { reason: row.status, ticket }
    default:
      return { reason: 'pending', ticket }
  }
}

/** The ticket's detail in audit entries, never its arguments. */
export const ticketFields = ({ client_name, tool_name, args_hash, principal, actor }: TicketRow) => ({
  tool: `${client_name}__${tool_name}`,
  argsHash: args_hash,
  requestedBy: principal,
  ...(actor !== '' && { actingPerson: actor }),
})

export function createApprovalTickets(parts: ApprovalTicketsDeps): ApprovalTickets {
  const { database, changes, settings, clock, newId, forced, onCreated, onExpired } = parts
  const at = (plusMs = 0): string => new Date(clock.now() + plusMs).toISOString()
  const behalfOf = ({ caller, requestId }: ToolCall) => ({
    actor: { name: caller.name, teamId: caller.teamId },
    requestId,
  })

  const needOf = ({ config: { approval } }: Tool) =>
    ({ ...FORCED, ...approval, reason: approval?.required ? 'tool' : 'quarantine' }) as const

  async function settle(): Promise<void> {
    if (!(await anyOverdue(database.query, at()))) return
    const ended = await changes({ actor: SYSTEM, requestId: newId() }, async (tx, audit) => {
      const rows = await expireTickets(tx, at())
      for (const row of rows) await audit('approval.expire', String(row.id), { ...ticketFields(row), was: row.status })
      return rows
    })
    if (ended.length > 0) onExpired(ended)
  }

  /** Limits waiting tickets in total and per principal. */
  async function isFull(tx: Tx, principal: string, bytes: number): Promise<boolean> {
    const most = settings.APPROVAL_MAX_PENDING
    const waiting = await queued(tx, principal)
    return (
      waiting.tickets >= most ||
      waiting.own >= Math.max(OWN_LEAST, Math.floor(most * OWN_SHARE)) ||
      waiting.bytes + bytes > MOST_BYTES
    )
  }

  async function insert(tx: Tx, call: ToolCall, binding: Binding, args: TicketRow['args']): Promise<number> {
    const { backend, tool, caller, requestId, reserved } = call
    const { levels, approvers, ttlMs, useTtlMs, reason } = needOf(tool)
    return insertTicket(tx, {
      ...binding,
      client_name: backend.name,
      args,
      status: 'pending',
      reason,
      key_id: caller.keyId,
      end_user: reserved.endUser,
      request_id: requestId,
      required_levels: levels,
      approvers: jsonText(approvers),
      use_ttl_ms: useTtlMs ?? settings.APPROVAL_USE_TTL_MS,
      created_at: at(),
      approved_at: null,
      consumed_at: null,
      expires_at: at(ttlMs ?? settings.APPROVAL_TTL_MS),
      team_id: backend.teamId,
    })
  }

  const waiting = new Map<number, Set<() => void>>()

  return {
    settle,

    decided(ticketId) {
      for (const listener of waiting.get(ticketId) ?? []) listener()
    },
    whenDecided(ticketId, listener) {
      const listeners = waiting.get(ticketId) ?? new Set()
      waiting.set(ticketId, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) waiting.delete(ticketId)
      }
    },

    needed: (tool) => tool.config.approval?.required === true || forced(tool),

    async request(call) {
      await settle()
      const binding = columns(bindingOf(call))
      const known = await openTicket(database.query, binding)
      if (known) return { reason: 'pending', ticket: ticketOf(known) }
      if (call.rehearsed) return { reason: 'queued' }
      const redact = argumentRedaction(call.tool)
      const args = jsonText((redact ? redact(call.args) : call.args) as typeof call.args) // an object stays one
      const made = await changes(behalfOf(call), async (tx, audit) => {
        // Another call may have been first.
        const other = await openTicket(tx, binding)
        if (other) return { other }
        if (await isFull(tx, binding.principal, args.length)) return undefined
        const row = await ticketById(tx, await insert(tx, call, binding, args))
        if (row) await audit('approval.request', String(row.id), { ...ticketFields(row), levels: row.required_levels })
        return { row }
      })
      if (made?.other) return { reason: 'pending', ticket: ticketOf(made.other) }
      if (made?.row === undefined) return { reason: 'queue_full' }
      onCreated(made.row)
      return { reason: 'queued', ticket: ticketOf(made.row) }
    },

    async judge(call, ticketId) {
      await settle()
      const row = await ticketById(database.query, ticketId)
      // A ticket of another principal or acting person counts as not found.
      if (row === undefined || row.principal !== call.caller.name || row.actor !== (call.actor ?? ''))
        return { reason: 'not_found' }
      return isFor(row, columns(bindingOf(call))) ? state(row) : { reason: 'args_mismatch' }
    },

    async consume(call, ticketId) {
      const binding = columns(bindingOf(call))
      return changes(behalfOf(call), async (tx, audit) => {
        const used = await useTicket(tx, ticketId, binding, at())
        const row = await ticketById(tx, ticketId)
        if (row === undefined) return { reason: 'not_found' }
        if (used) {
          await audit('approval.consume', String(ticketId), ticketFields(row))
          return undefined
        }
        // Approved in the table but expired between the two reads.
        return state(row) ?? { reason: 'expired', ticket: ticketOf(row) }
      })
    },
  }
}
