// Retention of call rows. PostgreSQL drops the tables of whole days; SQLite deletes narrow rows in portions. See README.md.
import { sql } from 'kysely'
import { dayOf, startOfDay } from './call-kinds.ts'
import { anyRollupBefore, pruneRollups } from './call-rollups.ts'
import type { Opened } from './database.ts'
import { anyEnded } from './kept-results.ts'
import { TABLE_LIMITS } from './postgres-limits.ts'
import { anyBefore, prune } from './prune.ts'

type Writing = Pick<Opened, 'engine' | 'query' | 'write' | 'meta'>

const DAYS_AHEAD = 7
const BEFORE = 'calls_before'

type Before = Readonly<Record<'calls' | 'traffic' | 'spans' | 'now', number>>

/** Whether there is anything to do: a thread for it costs more than a look. PostgreSQL needs the tables of coming days. */
export async function anyExpired(
  database: Pick<Opened, 'engine' | 'query' | 'meta'>,
  before: Before,
): Promise<boolean> {
  if (database.engine === 'postgres' || (await database.meta.get(BEFORE)) !== undefined) return true
  const tables = [
    ['call_rows', before.calls],
    ['traffic', before.traffic],
    ['spans', before.spans],
  ] as const
  for (const [table, beforeMs] of tables) if (await anyBefore(database, table, beforeMs)) return true
  return (await anyEnded(database, before.now)) || anyRollupBefore(database.query, before.calls)
}

/** Rows, kinds and sums of calls from before a time. */
export async function pruneCalls(database: Writing, beforeMs: number, nowMs: number): Promise<void> {
  if (database.engine === 'postgres') await turnDays(database, dayOf(beforeMs), dayOf(nowMs))
  // Rows of the day that has just expired in part stay until it has as a whole: they go with its table.
  const rowsBefore =
    database.engine === 'sqlite' || dayOf(beforeMs) >= dayOf(nowMs) ? beforeMs : startOfDay(dayOf(beforeMs))
  await prune(database, 'call_rows', rowsBefore)
  await database.write((tx) => tx.deleteFrom('call_kinds').where('day', '<', dayOf(beforeMs)).execute())
  if ((await database.meta.get(BEFORE)) !== undefined) await pruneOld(database, beforeMs)
  await pruneRollups(database, beforeMs)
}

/** Drops the tables of expired days, and creates those of the next. */
async function turnDays(database: Writing, first: number, today: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_inherits
    join pg_class on pg_class.oid = inhrelid where inhparent = 'call_rows'::regclass`.execute(database.query)
  const days = new Set(rows.flatMap(({ name }) => /^call_rows_(\d+)$/.exec(name)?.[1] ?? []).map(Number))
  for (const day of days) if (day < first) await changeTables(database, `DROP TABLE call_rows_${day}`)
  for (let day = today; day <= today + DAYS_AHEAD; day++) {
    if (days.has(day)) continue
    const [fromMs, toMs] = [startOfDay(day), startOfDay(day + 1)]
    const elsewhere =
      await sql`select 1 from call_rows_other where at_ms >= ${fromMs} and at_ms < ${toMs} limit 1`.execute(
        database.query,
      )
    // Rows of that day came before its table and stay where they are.
    if (elsewhere.rows.length > 0) continue
    await changeTables(
      database,
      `CREATE TABLE call_rows_${day} PARTITION OF call_rows FOR VALUES FROM (${fromMs}) TO (${toMs})`,
    )
  }
}

/** Gives up soon where a long query has the table: calls would queue behind this wait. The next round tries again. */
const changeTables = (database: Writing, text: string): Promise<unknown> =>
  database.write(async (tx) => {
    await sql.raw(TABLE_LIMITS).execute(tx)
    await sql.raw(text).execute(tx)
  })

/** Rows from before the kinds; the view is made without their table when none is left. */
async function pruneOld(database: Writing, beforeMs: number): Promise<void> {
  await prune(database, BEFORE, beforeMs)
  const left = await database.query.selectFrom(BEFORE).select('id').limit(1).execute()
  if (left.length > 0) return
  await database.write(async (tx) => {
    if (database.engine === 'postgres')
      for (const text of [
        TABLE_LIMITS,
        'CREATE OR REPLACE VIEW calls AS SELECT * FROM calls_by_kind',
        `DROP TABLE ${BEFORE}`,
      ])
        await sql.raw(text).execute(tx)
    else {
      // Triggers go with their view.
      const triggers = await sql<{
        sql: string
      }>`select sql from sqlite_master where type = 'trigger' and tbl_name = 'calls'`.execute(tx)
      for (const text of [
        'DROP VIEW calls',
        `DROP TABLE ${BEFORE}`,
        'CREATE VIEW calls AS SELECT * FROM calls_by_kind',
        ...triggers.rows.map((trigger) => trigger.sql),
      ])
        await sql.raw(text).execute(tx)
    }
    await tx.deleteFrom('meta').where('key', '=', BEFORE).execute()
  })
}
