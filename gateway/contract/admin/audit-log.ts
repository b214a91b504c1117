// The audit log: list, verify, export. Contract 7.7, 13.
import { z } from 'zod'
import { Id, Iso, page, pageQuery, When } from '../page.ts'
import { routes } from '../route.ts'

export const AuditEntry = z.object({
  id: Id,
  prev_hash: z.string(),
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  detail: z.record(z.string(), z.unknown()).nullable(),
  created_at: Iso,
  hash: z.string(),
  /** What a key, an approval or a schedule is called now: no part of the hash. */
  actorLabel: z.string().optional(),
  targetLabel: z.string().optional(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export const AuditVerdict = z.object({
  valid: z.boolean(),
  checked: z.number().int(),
  brokenAt: Id.nullable(),
  reason: z.enum(['hash_mismatch', 'link_mismatch', 'missing_rows']).nullable(),
  headId: Id.nullable(),
  headHash: z.string().nullable(),
  verifiedAt: Iso,
  /** Where the key lies that signs the head: beside the database, or in AUDIT_HEAD_KEY_FILE. */
  headKey: z.enum(['beside_database', 'configured']).optional(),
})
export type AuditVerdict = z.infer<typeof AuditVerdict>

export const auditFilters = {
  actor: z.string().max(256).optional(),
  action: z.string().max(64).optional().describe('exact, or a prefix ending in a dot'),
  target: z.string().max(256).optional(),
  from: When.optional(),
  to: When.optional(),
}

export const auditLog = routes({
  list: {
    method: 'GET',
    path: '/admin-api/audit-log',
    access: 'viewer',
    summary: 'List audit entries, newest first',
    query: z.strictObject({ ...auditFilters, ...pageQuery() }),
    reply: page(AuditEntry),
  },
  actions: {
    method: 'GET',
    path: '/admin-api/audit-log/actions',
    access: 'viewer',
    summary: 'Every action an entry can carry',
    reply: z.object({ actions: z.array(z.string()) }),
  },
  verify: {
    method: 'GET',
    path: '/admin-api/audit-log/verify',
    access: 'auditor',
    summary: 'Verify the whole chain',
    reply: AuditVerdict,
    rateLimit: 'expensive',
  },
  export: {
    method: 'GET',
    path: '/admin-api/audit-log/export',
    access: 'auditor',
    summary: 'Export entries with the verdict as JSON, CSV or an HTML report',
    query: z.strictObject({ ...auditFilters, format: z.enum(['json', 'csv', 'html']).default('json') }),
    produces: ['application/json', 'text/csv', 'text/html'],
    rateLimit: 'expensive',
  },
})
