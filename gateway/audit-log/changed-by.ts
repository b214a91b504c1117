// Who changed a backend or tool since a time, for decisions that need a second person.
import type { AuditAction } from '../contract/audit-action.ts'
import type { Query } from '../storage/schema.ts'

/** Actions that do not affect calls. */
const HARMLESS: readonly AuditAction[] = [
  'client.enable',
  'client.disable',
  'client.teardown',
  'client.evict',
  'client.restore',
  'client.tags.set',
  'client.circuit_breaker.reset',
  'tool.enable',
  'tool.disable',
  'tool.tags.set',
  'tool.test',
  'tool.cache.purge',
  'tool.quarantine.enter',
  'tool.example.create',
  'tool.example.delete',
  'tool.monitor.rebaseline',
  'tool.monitor.approve',
  'tool.call',
]

export async function changedBy(query: Query, targets: readonly string[], since: string): Promise<readonly string[]> {
  const rows = await query
    .selectFrom('audit_log')
    .select('actor')
    .distinct()
    .where('target', 'in', targets)
    .where('created_at', '>=', since)
    .where((row) => row.or([row('action', 'like', 'client.%'), row('action', 'like', 'tool.%')]))
    .where('action', 'not in', HARMLESS)
    .execute()
  return rows.map(({ actor }) => actor)
}
