// Monitored tools: how their last runs ended, and which of them drifted. SQL in, rows out.
import type { Selectable, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

export type MonitorRow = Selectable<Schema['monitors']>
/** Without the two schemas, which may be large and are for comparison only. */
export type MonitorState = Omit<MonitorRow, 'baseline' | 'seen'>
export type NamedMonitor = MonitorState & { readonly client: string; readonly tool: string }

const STATE = [
  'monitors.tool_id',
  'monitors.set_at',
  'monitors.baseline_hash',
  'monitors.seen_at',
  'monitors.drift',
  'monitors.drift_since',
  'monitors.last_status',
  'monitors.last_error',
  'monitors.last_latency_ms',
  'monitors.last_run_at',
  'monitors.failures',
  'monitors.next_run_at',
  'monitors.set_by',
  'monitors.approved_by',
  'monitors.approved_at',
  'monitors.approved_hash',
] as const

const named = (query: Query) =>
  query
    .selectFrom('monitors')
    .innerJoin('tools', 'tools.id', 'monitors.tool_id')
    .innerJoin('backends', 'backends.id', 'tools.backend_id')

export async function allMonitors(query: Query): Promise<NamedMonitor[]> {
  return named(query)
    .select([...STATE, 'backends.name as client', 'tools.name as tool'])
    .orderBy('backends.name')
    .orderBy('tools.name')
    .execute()
}

/** The tools whose source lists another schema than their baseline; tools gone from their backend are not among them. */
export async function driftedTools(
  query: Query,
): Promise<{ readonly client: string; readonly tool: string; readonly teamId: number | null }[]> {
  return named(query)
    .where('monitors.drift_since', 'is not', null)
    .where('tools.missing_since', 'is', null)
    .select(['backends.name as client', 'tools.name as tool', 'backends.team_id as teamId'])
    .orderBy('backends.name')
    .orderBy('tools.name')
    .execute()
}

export async function monitorOf(query: Query, toolId: number): Promise<MonitorRow | undefined> {
  return query.selectFrom('monitors').selectAll().where('tool_id', '=', toolId).executeTakeFirst()
}

/** For a change of what is read: no other transaction sets or updates it until this one ends. */
export async function lockedMonitor(tx: Tx, toolId: number): Promise<MonitorRow | undefined> {
  return tx.selectFrom('monitors').selectAll().where('tool_id', '=', toolId).forUpdate().executeTakeFirst()
}

/** Replaces the one before. */
export async function putMonitor(tx: Tx, row: MonitorRow): Promise<void> {
  await tx
    .insertInto('monitors')
    .values(row)
    .onConflict((clash) => clash.column('tool_id').doUpdateSet(row))
    .execute()
}

export async function updateMonitor(tx: Tx, toolId: number, change: Updateable<Schema['monitors']>): Promise<void> {
  await tx.updateTable('monitors').set(change).where('tool_id', '=', toolId).execute()
}

export async function deleteMonitor(tx: Tx, toolId: number): Promise<void> {
  await tx.deleteFrom('monitors').where('tool_id', '=', toolId).execute()
}
