// Approvals as people meet them: listed, read, decided. Contract 7.7, 8.7, 10.7.

import type { Approval, ApprovalStatus } from '../../contract/admin/approvals.ts'
import { GatewayError } from '../../contract/error.ts'
import { idIn, type Page } from '../../contract/page.ts'
import { type Actor, mayTouch, mayUse } from '../../contract/role.ts'
import { ticketFields } from '../../live/approval-tickets.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { diffValues } from '../../records/value-diff.ts'
import { argumentRedaction } from '../../registry/argument-redaction.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import {
  approvedBefore,
  approveTicket,
  type DecisionRow,
  decisionsOf,
  insertDecision,
  type OwnedTicket,
  rejectTicket,
  type TicketRow,
  ticketById,
  ticketsBefore,
} from '../../storage/approvals.ts'
import { fromText } from '../../storage/json-text.ts'
import { beforeId, type Paging, pageById } from '../../storage/page.ts'
import type { Query } from '../../storage/schema.ts'

type ApprovalsDeps = Pick<Base, 'database' | 'changes' | 'clock'> & {
  readonly registry: Pick<LiveRegistry, 'known'>
  /** Ends what is over by now. */
  readonly settle: () => Promise<void>
  readonly onDecided: (ticket: OwnedTicket, decision: Decision) => void
}
type Note = { readonly note?: string | undefined }
export type Decision = 'approved' | 'rejected'
export type ApprovalFilter = {
  readonly status?: ApprovalStatus | undefined
  readonly client?: string | undefined
  readonly tool?: string | undefined
}
export type ApprovalDecisions = ReturnType<typeof createApprovals>

const notFound = (): GatewayError => new GatewayError('APPROVAL_NOT_FOUND', 'There is no such approval')

/** Who may say something about this call, and has not yet. */
function requireApprover(actor: Actor, row: OwnedTicket, decisions: readonly DecisionRow[]): void {
  if (row.status !== 'pending')
    throw new GatewayError('NOT_PENDING', `This was decided already: it is ${row.status}`, {
      details: { status: row.status },
    })
  // Without sign-in, every caller has the same name and is no particular person.
  if ((row.principal === actor.name || row.actor === actor.name) && actor.kind !== 'disabled')
    throw new GatewayError('SELF_APPROVAL', 'You requested this call: another person must decide it')
  const approvers = fromText(row.approvers)
  if (approvers.length > 0 && !(actor.username !== undefined && approvers.includes(actor.username)))
    throw new GatewayError('NOT_AN_APPROVER', `Only ${approvers.join(', ')} may decide this`)
  if (decisions.some(({ decided_by }) => decided_by === actor.name))
    throw new GatewayError('ALREADY_DECIDED', 'You already approved this; another person must approve it too')
}

function decisionOf(row: DecisionRow): Approval['decisions'][number] {
  return {
    id: row.id,
    approvalId: row.approval_id,
    decidedBy: row.decided_by,
    decision: row.decision === 'rejected' ? 'rejected' : 'approved',
    note: row.note,
    decidedAt: row.decided_at,
  }
}

export function createApprovals({ database, changes, registry, clock, settle, onDecided }: ApprovalsDeps) {
  const at = (plusMs = 0): string => new Date(clock.now() + plusMs).toISOString()

  /** As stored, and without what was named as secret since. */
  function argsOf({ client_name, tool_name }: TicketRow, text: TicketRow['args']): Record<string, unknown> {
    const tool = registry.known(client_name)?.tools.get(tool_name)
    const redact = tool && argumentRedaction(tool)
    const args = fromText(text)
    return (redact ? redact(args) : args) as Record<string, unknown> // the arguments of a call are an object
  }

  async function previousOf(query: Query, row: OwnedTicket, args: object): Promise<Approval['previous']> {
    const before = await approvedBefore(query, row)
    if (before?.approved_at == null) return null
    return { id: before.id, decidedAt: before.approved_at, diff: diffValues(argsOf(row, before.args), args) }
  }

  async function record(
    query: Query,
    row: OwnedTicket,
    answer: readonly DecisionRow[],
    actor: Actor,
  ): Promise<Approval> {
    const args = mayUse(actor, 'operator') ? argsOf(row, row.args) : null
    const decisions = answer.filter(({ approval_id }) => approval_id === row.id).map(decisionOf)
    // A ticket that expired before enough people agreed was decided by no one.
    const final = row.approved_at !== null || row.status === 'rejected' ? decisions.at(-1) : undefined
    return {
      id: row.id,
      clientName: row.client_name,
      toolName: row.tool_name,
      argsHash: row.args_hash,
      args,
      argsJson: JSON.stringify(args),
      // Both columns hold what was written from these very lists.
      status: row.status as ApprovalStatus,
      reason: row.reason as Approval['reason'],
      requestedBy: row.key_id,
      requestedByPrincipal: row.principal,
      actingPerson: row.actor === '' ? null : row.actor,
      endUser: row.end_user,
      requestId: row.request_id,
      requiredLevels: row.required_levels,
      approvers: fromText(row.approvers),
      approvalsReceived: row.received,
      decisions,
      decidedAt: final?.decidedAt ?? null,
      decidedBy: final?.decidedBy ?? null,
      note: final?.note ?? null,
      consumedAt: row.consumed_at,
      expiresAt: row.expires_at,
      previous: args === null ? null : await previousOf(query, row, args),
      createdAt: row.created_at,
      teamId: row.owner,
    }
  }

  async function decide(by: By, given: string, decision: Decision, note: string | undefined): Promise<Approval> {
    const id = idIn(given)
    if (id === undefined) throw notFound()
    await settle()
    const { row, approval } = await changes(by, async (tx, audit) => {
      const found = await ticketById(tx, id)
      if (found === undefined || !mayTouch(by.actor, { teamId: found.owner })) throw notFound()
      requireApprover(by.actor, found, await decisionsOf(tx, [id]))
      await insertDecision(tx, {
        approval_id: id,
        decided_by: by.actor.name,
        decision,
        note: note ?? null,
        decided_at: at(),
      })
      if (decision === 'rejected') await rejectTicket(tx, id)
      else if (found.received + 1 >= found.required_levels) await approveTicket(tx, id, at(), at(found.use_ttl_ms))
      const after = await ticketById(tx, id)
      if (after === undefined) throw notFound()
      await audit(decision === 'approved' ? 'approval.approve' : 'approval.reject', String(id), {
        ...ticketFields(after),
        status: after.status,
        approvalsReceived: after.received,
        requiredLevels: after.required_levels,
        note: note ?? null,
      })
      return { row: after, approval: await record(tx, after, await decisionsOf(tx, [id]), by.actor) }
    })
    onDecided(row, decision)
    return approval
  }

  return {
    async list(actor: Actor, { limit, cursor, ...filter }: ApprovalFilter & Paging): Promise<Page<Approval>> {
      await settle()
      const { query } = database
      const rows = await ticketsBefore(query, {
        status: filter.status,
        client: filter.client,
        tool: filter.tool,
        teamId: actor.teamId ?? undefined,
        before: beforeId(cursor),
        limit: limit + 1,
      })
      const page = pageById(rows, limit)
      const answer = await decisionsOf(
        query,
        page.items.map(({ id }) => id),
      )
      const items: Approval[] = []
      for (const row of page.items) items.push(await record(query, row, answer, actor))
      return { ...page, items }
    },

    async get(actor: Actor, given: string): Promise<Approval> {
      await settle()
      const id = idIn(given)
      const row = id === undefined ? undefined : await ticketById(database.query, id)
      if (row === undefined || !mayTouch(actor, { teamId: row.owner })) throw notFound()
      return record(database.query, row, await decisionsOf(database.query, [row.id]), actor)
    },

    approve: (by: By, id: string, { note }: Note) => decide(by, id, 'approved', note),
    reject: (by: By, id: string, { note }: Note) => decide(by, id, 'rejected', note),
  }
}
