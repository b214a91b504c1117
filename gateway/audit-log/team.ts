// The team of an audit entry: that of its record, so that a team can read its own entries.
import type { AuditAction } from '#contract'
import type { Schema, Tx } from '../storage/schema.ts'

type Owned = { [T in keyof Schema]: Schema[T] extends { team_id: number | null } ? T : never }[keyof Schema]
type Where = { readonly table: Exclude<Owned, 'audit_log'>; readonly by: 'id' | 'name' | 'slug' | 'username' }

/** The table and key column of the records that an action's noun names. */
export const RECORD_TABLES: Readonly<Record<string, Where>> = {
  client: { table: 'backends', by: 'name' },
  connection: { table: 'backends', by: 'name' },
  tool: { table: 'backends', by: 'name' },
  bundle: { table: 'bundles', by: 'name' },
  mcp_key: { table: 'mcp_keys', by: 'id' },
  approval: { table: 'approvals', by: 'id' },
  composite: { table: 'composites', by: 'name' },
  consumer: { table: 'consumers', by: 'name' },
  budget: { table: 'budgets', by: 'name' },
  policy: { table: 'guard_policies', by: 'name' },
  catalog: { table: 'catalog_entries', by: 'slug' },
  ws_proxy_target: { table: 'ws_targets', by: 'name' },
  schedule: { table: 'schedules', by: 'id' },
  alert: { table: 'alert_rules', by: 'name' },
  user: { table: 'users', by: 'username' },
  auth: { table: 'users', by: 'username' },
}

const nameIn = (record: string, target: string): string =>
  record === 'tool' ? (target.split('__', 1)[0] ?? '') : target

/** Runs in the transaction of the change. A deleted record has the team of its last entry, otherwise the actor's. */
export async function teamOfEntry(
  tx: Tx,
  action: AuditAction,
  target: string,
  actorTeam: number | null,
): Promise<number | null> {
  const [record = ''] = action.split('.', 1)
  const where = RECORD_TABLES[record]
  if (where === undefined) return actorTeam
  const name = nameIn(record, target)
  const { table, by } = where
  const { ref } = tx.dynamic
  const row = await tx
    .selectFrom(table)
    .select('team_id')
    .where(ref<'name'>(by), '=', by === 'id' ? Number(name) || 0 : name)
    .executeTakeFirst()
  if (row) return row.team_id
  const last = await tx
    .selectFrom('audit_log')
    .select('team_id')
    .where('target', '=', target)
    .where('action', 'like', `${record}.%`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last ? last.team_id : actorTeam
}
