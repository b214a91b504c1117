// Tools that are in quarantine, or on the way there: SQL in, rows out.
import type { Selectable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

export type QuarantineRow = Selectable<Schema['quarantines']>
export type NamedQuarantine = QuarantineRow & { readonly client: string }

export async function allQuarantines(query: Query): Promise<NamedQuarantine[]> {
  return query
    .selectFrom('quarantines')
    .innerJoin('tools', 'tools.id', 'quarantines.tool_id')
    .innerJoin('backends', 'backends.id', 'tools.backend_id')
    .selectAll('quarantines')
    .select('backends.name as client')
    .execute()
}

export async function quarantineOf(query: Query, toolId: number): Promise<QuarantineRow | undefined> {
  return query.selectFrom('quarantines').selectAll().where('tool_id', '=', toolId).executeTakeFirst()
}

export async function putQuarantine(tx: Tx, row: QuarantineRow): Promise<void> {
  await tx
    .insertInto('quarantines')
    .values(row)
    .onConflict((clash) => clash.column('tool_id').doUpdateSet(row))
    .execute()
}

export async function deleteQuarantine(tx: Tx, toolId: number): Promise<void> {
  await tx.deleteFrom('quarantines').where('tool_id', '=', toolId).execute()
}

/** A count goes with a clean call; a quarantine does not. */
export async function deleteCount(tx: Tx, toolId: number): Promise<void> {
  await tx.deleteFrom('quarantines').where('tool_id', '=', toolId).where('since', 'is', null).execute()
}

export async function deleteEnded(tx: Tx, at: string): Promise<void> {
  await tx.deleteFrom('quarantines').where('until', '<=', at).execute()
}
