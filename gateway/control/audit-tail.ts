// The newest audit entries about records within the caller's team and key scope.
import { listAudit } from '../audit-log/list.ts'
import type { AuditEntry } from '../contract/admin/audit-log.ts'
import type { Query } from '../storage/schema.ts'
import { reachesClient, type SystemCaller } from './caller.ts'

export type AuditTail = (caller: SystemCaller, limit: number) => Promise<AuditEntry[]>

const STRIDE = 200
/** Limits the search: a narrow scope may match nothing in a long log. */
const MOST_READ = 10_000

/** Entries about other records than backends and tools are outside every key scope. */
function concerns(caller: SystemCaller, { action, target }: AuditEntry): boolean {
  if (action.startsWith('client.')) return reachesClient(caller, target)
  const at = target.indexOf('__')
  return action.startsWith('tool.') && at > 0 && caller.mayReach(target.slice(0, at), target.slice(at + 2))
}

export function createAuditTail(query: Query): AuditTail {
  return async (caller, limit) => {
    const { teamId } = caller.actor
    if (!caller.scoped) return (await listAudit(query, { teamId }, { limit })).items
    const found: AuditEntry[] = []
    let cursor: string | undefined
    let read = 0
    do {
      const page = await listAudit(query, { teamId }, { limit: STRIDE, cursor })
      for (const entry of page.items) if (concerns(caller, entry)) found.push(entry)
      cursor = page.nextCursor
      read += page.items.length
    } while (cursor !== undefined && found.length < limit && read < MOST_READ)
    return found.slice(0, limit)
  }
}
