// Calls that wait for a person, on the admin API.
import type { approvals } from '../contract/admin/approvals.ts'
import type { ApprovalDecisions } from '../operations/access/approvals.ts'
import type { Handlers } from './mount.ts'

export function approvalHandlers({
  approvals: operations,
}: {
  readonly approvals: ApprovalDecisions
}): Handlers<typeof approvals> {
  return {
    list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
    get: ({ params }, { actor }) => operations.get(actor, params.id),
    approve: ({ params, body }, context) => operations.approve(context, params.id, body.note),
    reject: ({ params, body }, context) => operations.reject(context, params.id, body.note),
  }
}
