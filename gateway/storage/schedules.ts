// Schedules: SQL in, rows out.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

export type ScheduleRow = Selectable<Schema['schedules']>

export async function scheduleById(query: Query, id: number): Promise<ScheduleRow | undefined> {
  return query.selectFrom('schedules').selectAll().where('id', '=', id).executeTakeFirst()
}

type Wanted = {
  readonly before: number | undefined
  readonly client: string | undefined
  readonly teamId: number | null
  readonly limit: number
}

/** Newest first. */
export async function schedulesBefore(query: Query, { before, client, teamId, limit }: Wanted): Promise<ScheduleRow[]> {
  return query
    .selectFrom('schedules')
    .selectAll()
    .$if(teamId !== null, (all) => all.where('team_id', '=', teamId ?? 0))
    .$if(client !== undefined, (all) => all.where('client_name', '=', client ?? ''))
    .$if(before !== undefined, (all) => all.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function allSchedules(query: Query): Promise<ScheduleRow[]> {
  return query.selectFrom('schedules').selectAll().orderBy('id').execute()
}

/** Those whose time has come, the longest waiting first; of one minute in the order in which they were made. */
export async function schedulesDue(query: Query, at: string): Promise<ScheduleRow[]> {
  return query
    .selectFrom('schedules')
    .selectAll()
    .where('next_run_at', '<=', at)
    .orderBy('next_run_at')
    .orderBy('id')
    .execute()
}

export async function insertSchedule(tx: Tx, row: Insertable<Schema['schedules']>): Promise<number> {
  const { id } = await tx.insertInto('schedules').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** The revision moves with every change. */
export async function updateSchedule(tx: Tx, id: number, change: Updateable<Schema['schedules']>): Promise<void> {
  await tx
    .updateTable('schedules')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** What came of a schedule is no change of it: the revision stays. */
export async function noteScheduleRun(
  tx: Tx,
  id: number,
  run: Pick<ScheduleRow, 'last_run_at' | 'last_result'>,
): Promise<void> {
  await tx.updateTable('schedules').set(run).where('id', '=', id).execute()
}

/** False where another instance was there before, or somebody changed it since it was read. */
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

export async function deleteSchedule(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('schedules').where('id', '=', id).execute()
}
