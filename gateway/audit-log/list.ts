// Pages through the audit log, newest first.
import type { AuditEntry, Page } from '#contract'
import { beforeId, type Paging, pageById } from '../storage/page.ts'
import type { Query } from '../storage/schema.ts'
import { entryOf } from './chain.ts'
import { withNames } from './entry-names.ts'
import { type AuditFilters, filtered, type OfTeam } from './filter.ts'

export async function listAudit(
  query: Query,
  filters: AuditFilters & OfTeam,
  { limit, cursor }: Paging,
): Promise<Page<AuditEntry>> {
  const before = beforeId(cursor)
  const rows = await filtered(query, filters)
    .$if(before !== undefined, (page) => page.where('id', '<', before ?? 0))
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const page = pageById(rows.map(entryOf), limit)
  return { ...page, items: await withNames(query, page.items, filters.teamId) }
}
