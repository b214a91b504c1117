// Captured calls in the database: SQL in, rows out.
import type { Selectable } from 'kysely'
import { contains } from './like.ts'
import type { Query, Schema, Tx } from './schema.ts'

export type TrafficRecord = Selectable<Schema['traffic']>

export type TrafficFilters = {
  readonly client?: string | undefined
  readonly tool?: string | undefined
  readonly outcome?: string | undefined
  readonly code?: string | undefined
  readonly keyId?: number | undefined
  readonly errors?: boolean | undefined
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** Anywhere in the arguments, the preview, a name or the request id. */
  readonly q?: string | undefined
  /** Null reads those of all teams. */
  readonly teamId: number | null
}

const EQUALS = { client: 'client', tool: 'tool', outcome: 'outcome', code: 'deny_code', keyId: 'key_id' } as const
const SEARCHED = ['called_as', 'client', 'tool', 'principal', 'request_id', 'args', 'preview'] as const

function captured(query: Query, filters: TrafficFilters) {
  const { fromMs, toMs, errors, q, teamId } = filters
  let rows = query.selectFrom('traffic')
  if (fromMs !== undefined) rows = rows.where('at_ms', '>=', fromMs)
  if (toMs !== undefined) rows = rows.where('at_ms', '<=', toMs)
  if (errors !== undefined) rows = rows.where('is_error', '=', errors ? 1 : 0)
  if (teamId !== null) rows = rows.where('team_id', '=', teamId)
  for (const [name, column] of Object.entries(EQUALS)) {
    const wanted = filters[name as keyof typeof EQUALS] // the keys of EQUALS
    if (wanted !== undefined) rows = rows.where(column, '=', wanted)
  }
  if (q === undefined) return rows
  return rows.where(({ or }) => or(SEARCHED.map((column) => contains(column, q))))
}

type Asked = TrafficFilters & { readonly limit: number; readonly before: number | undefined }

/** One more than asked for, so that the last page is known without a count. */
export const trafficRows = (query: Query, { before, limit, ...filters }: Asked): Promise<TrafficRecord[]> =>
  captured(query, filters)
    .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? 0))
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()

export async function trafficById(query: Query, id: number): Promise<TrafficRecord | undefined> {
  return query.selectFrom('traffic').selectAll().where('id', '=', id).executeTakeFirst()
}

/** How many there are, and the newest of them: what comes later is not part of it. */
export async function extentOf(tx: Tx, filters: TrafficFilters): Promise<{ count: number; newest: number }> {
  const { count, newest } = await captured(tx, filters)
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max<number | null>('id').as('newest')])
    .executeTakeFirstOrThrow()
  return { count, newest: newest ?? 0 }
}

/** As many of them as are removed at once; how many went. */
export async function removeTraffic(tx: Tx, filters: TrafficFilters, newest: number, portion: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('traffic')
    .where('id', 'in', captured(tx, filters).where('id', '<=', newest).select('id').orderBy('id').limit(portion))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
