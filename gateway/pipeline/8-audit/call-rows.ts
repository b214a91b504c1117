// The columns of a call's row, the same in the journal and in the table, and how numbered rows are inserted once.
import type { Insertable } from 'kysely'
import { type Addition, type Batch, insertionOf, type Mark } from '../../storage/batch.ts'
import { markOf } from '../../storage/burst-marks.ts'
import type { Database } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { StorageError } from '../../storage/storage-error.ts'

export type CallRow = Omit<Insertable<Schema['calls']>, 'id'> & {
  /** The month for which the quota of the consumer counts the call. */
  readonly counted?: string | null
}

/** First what is often the same from call to call, then what is a call's own. */
const COLUMNS = [
  'principal',
  'key_id',
  'consumer_id',
  'surface',
  'bundle',
  'client',
  'tool',
  'called_as',
  'deny_code',
  'gate',
  'failure_kind',
  'status_class',
  'attempts',
  'cache',
  'target',
  'method',
  'program',
  'request_id',
  'at_ms',
  'outcome',
  'session',
  'duration_ms',
  'request_bytes',
  'response_bytes',
  'trace_id',
  'verdict',
] as const satisfies readonly (keyof CallRow)[]
const COMMON = COLUMNS.indexOf('request_id')

/** `counted` is last: the table does not have it. */
const JOURNAL_COLUMNS = [...COLUMNS, 'counted'] as const satisfies readonly (keyof CallRow)[]
export const JOURNAL = { columns: JOURNAL_COLUMNS, own: JOURNAL_COLUMNS.length - COMMON } as const

type InOrder<C extends readonly (keyof CallRow)[]> = { readonly [K in keyof C]: CallRow[C[K]] | null }
export type CallValues = InOrder<typeof JOURNAL_COLUMNS>

/** Spelled out, because a loop over names costs more than the insert; the type holds it to the order of the columns. */
export const valuesOf = (row: CallRow): CallValues => [
  row.principal,
  row.key_id ?? null,
  row.consumer_id ?? null,
  row.surface,
  row.bundle ?? null,
  row.client ?? null,
  row.tool,
  row.called_as,
  row.deny_code ?? null,
  row.gate ?? null,
  row.failure_kind ?? null,
  row.status_class,
  row.attempts,
  row.cache ?? null,
  row.target ?? null,
  row.method ?? null,
  row.program ?? null,
  row.request_id,
  row.at_ms,
  row.outcome,
  row.session ?? null,
  row.duration_ms,
  row.request_bytes,
  row.response_bytes,
  row.trace_id ?? null,
  row.verdict ?? null,
  row.counted ?? null,
]

const INSERTION = insertionOf('call_rows', COLUMNS, {
  ids: true,
  own: COLUMNS.length - COMMON,
  kinds: { table: 'call_kinds', reference: 'kind_id', at: 'at_ms' },
})
const USED: Addition = {
  table: 'consumer_usage',
  key: ['consumer_id', 'period'],
  amount: 'used',
  parents: 'consumers',
}
const CONSUMER = COLUMNS.indexOf('consumer_id')
const COUNTED = COLUMNS.length

/** The rows, and what they add to the quotas of their consumers, for one transaction. */
export function batchesOf(rows: readonly (readonly unknown[])[]): readonly Batch[] {
  const used = new Map<string, [consumer: unknown, month: unknown, count: number]>()
  for (const row of rows) {
    const month = row[COUNTED]
    if (month === null) continue
    const key = `${row[CONSUMER]} ${month}`
    const known = used.get(key)
    if (known) known[2] += 1
    else used.set(key, [row[CONSUMER], month, 1])
  }
  const inserting = { insertion: INSERTION, rows }
  return used.size === 0 ? [inserting] : [inserting, { addition: USED, rows: [...used.values()] }]
}

export type NumberedRow = { readonly line: number; readonly values: readonly unknown[] }

export type OnRows<R extends NumberedRow> = {
  readonly inserted: (rows: readonly R[], ids: readonly number[]) => void
  /** The database rejects this row as such. */
  readonly rejected: (row: R, error: unknown) => void
}

/**
 * Inserts those rows of a segment that come after line `marked`, and returns the line up to which it is inserted now. Rows
 * that another process inserted are left out.
 */
export async function insertNumbered<R extends NumberedRow>(
  database: Pick<Database, 'burst' | 'query'>,
  segment: string,
  rows: readonly R[],
  marked: number,
  on: OnRows<R>,
): Promise<number> {
  const fresh = rows.filter(({ line }) => line > marked)
  const last = fresh.at(-1)
  if (last === undefined) return marked
  const mark: Mark = { writer: segment, burst: last.line, after: marked }
  let ids: readonly number[]
  try {
    ids = await database.burst(batchesOf(fresh.map(({ values }) => values)), mark)
  } catch (error) {
    if (error instanceof StorageError && error.reason === 'moved')
      return insertNumbered(database, segment, fresh, await markOf(database.query, segment), on)
    if (error instanceof StorageError) throw error
    // The database responds and rejects a value: the others are not to fail with it.
    if (fresh.length === 1) {
      on.rejected(last, error)
      return marked
    }
    let reached = marked
    for (const row of fresh) reached = await insertNumbered(database, segment, [row], reached, on)
    return reached
  }
  on.inserted(fresh, ids)
  return last.line
}
