// Calls that wait for a person: their tickets, read and decided. Contract 7.7, 8.7, 10.7.
import { z } from 'zod'
import { DiffEntry, Id, Iso, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'consumed'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

export const Approval = z.object({
  id: Id,
  clientName: z.string(),
  toolName: z.string(),
  argsHash: z.string(),
  /** Without what the tool's redact paths name; null for users who may not see arguments. */
  args: z.record(z.string(), z.unknown()).nullable(),
  argsJson: z.string(),
  status: z.enum(APPROVAL_STATUSES),
  reason: z.enum(['tool', 'quarantine']),
  requestedBy: Id.nullable(),
  requestedByPrincipal: z.string(),
  /** The administrator who called on behalf of the principal. */
  actingPerson: z.string().nullable(),
  endUser: z.string().nullable(),
  requestId: z.string(),
  requiredLevels: z.number().int(),
  approvers: z.array(z.string()),
  approvalsReceived: z.number().int(),
  decisions: z.array(
    z.object({
      id: Id,
      approvalId: Id,
      decidedBy: z.string(),
      decision: z.enum(['approved', 'rejected']),
      note: z.string().nullable(),
      decidedAt: Iso,
    }),
  ),
  decidedAt: Iso.nullable(),
  decidedBy: z.string().nullable(),
  note: z.string().nullable(),
  consumedAt: Iso.nullable(),
  expiresAt: Iso,
  /** The call of this tool that was approved last before, and in what its arguments were others. */
  previous: z.object({ id: Id, decidedAt: Iso, diff: z.array(DiffEntry) }).nullable(),
  createdAt: Iso,
  teamId: Id.nullable(),
})
export type Approval = z.infer<typeof Approval>

const Decision = z.strictObject({ note: z.string().max(1000).optional() })

export const approvals = routes({
  list: {
    method: 'GET',
    path: '/admin-api/approvals',
    access: 'viewer',
    summary: 'List approval tickets, newest first',
    query: z.strictObject({
      status: z.enum(APPROVAL_STATUSES).optional(),
      client: z.string().max(256).optional(),
      tool: z.string().max(256).optional(),
      ...pageQuery(),
    }),
    reply: page(Approval),
  },
  get: {
    method: 'GET',
    path: '/admin-api/approvals/:id',
    access: 'viewer',
    summary: 'Read one approval ticket',
    reply: Approval,
    errors: ['APPROVAL_NOT_FOUND'],
  },
  approve: {
    method: 'POST',
    path: '/admin-api/approvals/:id/approve',
    access: 'operator',
    summary: 'Approve a call that waits; it passes once as many people as it needs have',
    body: Decision,
    reply: Approval,
    audit: 'approval.approve',
    errors: ['APPROVAL_NOT_FOUND', 'NOT_PENDING', 'ALREADY_DECIDED', 'SELF_APPROVAL', 'NOT_AN_APPROVER'],
  },
  reject: {
    method: 'POST',
    path: '/admin-api/approvals/:id/reject',
    access: 'operator',
    summary: 'Reject a call that waits; one rejection is final',
    body: Decision,
    reply: Approval,
    audit: 'approval.reject',
    errors: ['APPROVAL_NOT_FOUND', 'NOT_PENDING', 'ALREADY_DECIDED', 'SELF_APPROVAL', 'NOT_AN_APPROVER'],
  },
})
