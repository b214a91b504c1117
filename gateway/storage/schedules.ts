// Schedules in the database.
import { type OwnedRow, ownedRows } from './owned.ts'
import type { Query, Tx } from './schema.ts'

export type ScheduleRow = OwnedRow<'schedules'>
export const scheduleRows = ownedRows('schedules', null)

/** Schedules that are due, the longest overdue first. */
export async function schedulesDue(query: Query, at: string): Promise<ScheduleRow[]> {
  return query
    .selectFrom('schedules')
    .selectAll()
    .where('next_run_at', '<=', at)
    .orderBy('next_run_at')
    .orderBy('id')
    .execute()
}

/** A run is no change of the schedule: the revision stays. */
export async function noteScheduleRun(
  tx: Tx,
  id: number,
  run: Pick<ScheduleRow, 'last_run_at' | 'last_result'>,
): Promise<void> {
  await tx.updateTable('schedules').set(run).where('id', '=', id).execute()
}

/** Returns false if another instance ran it, or its schedule was changed, since it was read. */
export async function moveSchedule(tx: Tx, from: ScheduleRow, next_run_at: string | null): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('schedules')
    .set({ next_run_at })
    .where('id', '=', from.id)
    .where('revision', '=', from.revision)
    .where('next_run_at', '=', from.next_run_at)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
