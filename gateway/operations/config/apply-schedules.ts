// Schedules of a document into their table. They have no names: each is known by what it does and when, twins by their number.
import { type ConfigDoc, named, sortedByName } from '../../contract/config-document.ts'
import { backendByName, toolByName } from '../../storage/backends.ts'
import { type ScheduleRow, scheduleRows } from '../../storage/schedules.ts'
import type { Tx } from '../../storage/schema.ts'
import { changedColumns, columnsOf, settingsOf } from '../schedules/schedule-rows.ts'
import { type Applying, fresh } from './applying.ts'

type Schedules = NonNullable<ConfigDoc['schedules']>

async function storedByName(tx: Tx): Promise<ReadonlyMap<string, ScheduleRow>> {
  const rows = new Map((await scheduleRows.all(tx)).map((row) => [settingsOf(row), row]))
  const found = named('schedules', sortedByName('schedules', [...rows.keys()]))
  return new Map(
    found.flatMap(([name, settings]) => {
      const row = rows.get(settings)
      return row ? [[name, row]] : []
    }),
  )
}

/** Why it could do nothing. */
async function missing(tx: Tx, { clientName, toolName }: Schedules[number]): Promise<string | undefined> {
  const backend = await backendByName(tx, clientName)
  if (backend === undefined) return `there is no backend "${clientName}"`
  if (toolName === null || (await toolByName(tx, backend.id, toolName))) return undefined
  return `"${clientName}" has no tool "${toolName}"`
}

export async function putSchedules(applying: Applying, schedules: Schedules = []): Promise<void> {
  const { tx, at, skip } = applying
  const stored = await storedByName(tx)
  for (const [name, settings] of named('schedules', schedules)) {
    const row = stored.get(name)
    if (row && JSON.stringify(settingsOf(row)) === JSON.stringify({ ...settingsOf(row), ...settings })) continue
    const why = await missing(tx, settings)
    if (why !== undefined) skip('schedules', name, why)
    else if (row)
      await scheduleRows.update(tx, row.id, { ...changedColumns(row, settings, Date.parse(at)), updated_at: at })
    else await scheduleRows.insert(tx, { ...fresh(applying), ...columnsOf(settings, Date.parse(at)) })
  }
}

export async function dropSchedules({ tx }: Applying, schedules: Schedules): Promise<void> {
  const kept = new Set(named('schedules', schedules).map(([name]) => name))
  for (const [name, { id }] of await storedByName(tx)) if (!kept.has(name)) await scheduleRows.delete(tx, id)
}
