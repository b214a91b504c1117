// Calls that wait for a person: their tickets, who is notified of them, and the clock that ends them.

import { createApprovalTickets } from '../live/approval-tickets.ts'
import type { LiveQuarantines } from '../live/quarantines.ts'
import { type ApprovalDecisions, createApprovals } from '../operations/access/approvals.ts'
import type { Approvals } from '../pipeline/3-policy/approval.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { countPending, type OwnedTicket, type TicketRow } from '../storage/approvals.ts'
import { fromText } from '../storage/json-text.ts'
import type { Foundation } from './foundation.ts'

export type ApprovalQueue = {
  readonly gate: Approvals
  readonly decisions: ApprovalDecisions
  /** How many wait, as far as this team may know. */
  readonly pending: (teamId: number | null) => Promise<number>
  readonly close: () => Promise<void>
}

const SETTLE_EVERY_MS = 15_000

export function createApprovalQueue(
  base: Foundation,
  registry: Pick<LiveRegistry, 'known'>,
  quarantines: Pick<LiveQuarantines, 'forcesApproval'>,
): ApprovalQueue {
  const { settings, database, events, metrics, log, webhooks, peers } = base
  let counting: Promise<void> = Promise.resolve()
  const count = (): void => {
    counting = counting
      .then(async () => metrics.set('mcp_approvals_pending', await countPending(database.query, null)))
      .catch((error: unknown) => log.warn('pending approvals could not be counted', { error }))
  }
  const tell = (type: 'created' | 'decided' | 'expired', row: TicketRow, teamId: number | null): void =>
    events.emit(
      'approvals',
      type,
      { id: row.id, client: row.client_name, tool: row.tool_name, status: row.status },
      teamId,
    )

  const tickets = createApprovalTickets({
    ...base,
    forced: quarantines.forcesApproval,
    onCreated(row) {
      count()
      tell('created', row, row.owner)
      const { APPROVAL_WEBHOOK_URL: url, APPROVAL_WEBHOOK_TIMEOUT_MS: timeoutMs } = settings
      if (url !== null)
        webhooks.send({
          sink: 'approval',
          url,
          timeoutMs,
          event: 'approval_requested',
          fields: requested(row, settings.GATEWAY_PUBLIC_URL),
        })
    },
    onExpired(rows) {
      count()
      for (const row of rows)
        tell('expired', { ...row, status: 'expired' }, registry.known(row.client_name)?.teamId ?? row.team_id)
    },
  })
  const decisions = createApprovals({
    ...base,
    registry,
    settle: tickets.settle,
    onDecided(row, decision) {
      count()
      metrics.inc('mcp_approvals_decided_total', { decision })
      tell('decided', row, row.owner)
      // More levels may be needed.
      if (row.status === 'pending') return
      tickets.decided(row.id)
      peers.send('approval_decided', { id: row.id })
    },
  })
  peers.on('approval_decided', ({ id }) => {
    count()
    tickets.decided(id)
  })
  const settle = (): void =>
    void tickets.settle().catch((error: unknown) => log.warn('approvals could not be ended', { error }))
  const timer = setInterval(settle, SETTLE_EVERY_MS).unref()
  count()

  return {
    gate: tickets,
    decisions,
    pending: (teamId) => countPending(database.query, teamId),
    async close() {
      clearInterval(timer)
      await counting
    },
  }
}

/** Everything but the arguments. */
function requested(row: OwnedTicket, publicUrl: string | null): Record<string, unknown> {
  return {
    type: 'approval_requested',
    approval: {
      id: row.id,
      client: row.client_name,
      tool: row.tool_name,
      requiredLevels: row.required_levels,
      approvers: fromText(row.approvers),
      requestedBy: row.principal,
      ...(row.actor !== '' && { actingPerson: row.actor }),
      requestId: row.request_id,
      expiresAt: row.expires_at,
      argsHash: row.args_hash,
      reason: row.reason,
    },
    client: row.client_name,
    tool: row.tool_name,
    url: publicUrl === null ? null : `${publicUrl.replace(/(?<!\/)\/+$/, '')}/admin/approvals/${row.id}`,
  }
}
