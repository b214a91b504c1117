// The audit log: read, verify, export.

import { exportAudit } from '../audit-log/export.ts'
import { listAudit } from '../audit-log/list.ts'
import { verifyAudit } from '../audit-log/verify.ts'
import type { auditLog } from '../contract/admin/audit-log.ts'
import { AUDIT_ACTIONS } from '../contract/audit-action.ts'
import type { Base } from '../records/base.ts'
import type { Handlers } from './mount.ts'

type AuditLogHandlersDeps = Pick<Base, 'database' | 'changes' | 'clock'>

export function auditLogHandlers({ database, changes, clock }: AuditLogHandlersDeps): Handlers<typeof auditLog> {
  return {
    list: ({ query: { limit, cursor, ...filters } }, { actor: { teamId } }) =>
      listAudit(database.query, { ...filters, teamId }, { limit, cursor }),
    actions: () => ({ actions: [...AUDIT_ACTIONS] }),
    verify: () => verifyAudit(database, clock),
    async export({ query: { format, ...filters } }, context) {
      const { contentType, filename, body } = exportAudit(
        database,
        { format, filters, teamId: context.actor.teamId },
        clock,
      )
      // Noted before the first row is read, so that an export shows itself.
      await changes(context, (_tx, audit) => audit('audit.export', filename, { format, filters }))
      return { contentType, body, headers: { 'content-disposition': `attachment; filename="${filename}"` } }
    },
  }
}
