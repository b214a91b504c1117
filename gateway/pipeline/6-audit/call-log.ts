// One row per call, committed before its answer leaves: all calls that end in one tick share a transaction.

import type { Insertable } from 'kysely'
import { type Batch, insertionOf } from '../../storage/batch.ts'
import type { Database } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'

export type CallRow = Omit<Insertable<Schema['calls']>, 'id'>

export type CallLog = {
  /** Resolves with the row's id when it is committed. A row that cannot be written never fails the call that was made: it is counted and logged. */
  write(row: CallRow): Promise<number | undefined>
  /** Waits for what is under way. */
  close(): Promise<void>
}

const COLUMNS = [
  'request_id',
  'at_ms',
  'principal',
  'key_id',
  'consumer_id',
  'surface',
  'bundle',
  'session',
  'client',
  'tool',
  'called_as',
  'outcome',
  'deny_code',
  'gate',
  'failure_kind',
  'status_class',
  'duration_ms',
  'attempts',
  'cache',
  'target',
  'request_bytes',
  'response_bytes',
  'trace_id',
] as const satisfies readonly (keyof CallRow)[]

const INSERTION = insertionOf('calls', COLUMNS, { ids: true })

/** Spelled out, because a loop over names costs more than the insert; the type holds it to the order of the columns. */
type InOrder<C extends readonly (keyof CallRow)[]> = { readonly [K in keyof C]: CallRow[C[K]] | null }
const valuesOf = (row: CallRow): InOrder<typeof COLUMNS> => [
  row.request_id,
  row.at_ms,
  row.principal,
  row.key_id ?? null,
  row.consumer_id ?? null,
  row.surface,
  row.bundle ?? null,
  row.session ?? null,
  row.client ?? null,
  row.tool,
  row.called_as,
  row.outcome,
  row.deny_code ?? null,
  row.gate ?? null,
  row.failure_kind ?? null,
  row.status_class,
  row.duration_ms,
  row.attempts,
  row.cache ?? null,
  row.target ?? null,
  row.request_bytes,
  row.response_bytes,
  row.trace_id ?? null,
]

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

/** What is written in the same transaction as the rows, and what takes it back when that fails. */
export type Beside = { readonly batch: Batch; takeBack(): void }

export function createCallLog(
  database: Pick<Database, 'burst'>,
  onError: (error: unknown, rows: number) => void,
  beside?: () => Beside | undefined,
): CallLog {
  let waiting: { readonly row: CallRow; readonly done: (id: number | undefined) => void }[] = []
  let flushing: Promise<void> | undefined

  async function flush(): Promise<void> {
    // Whoever ends in this turn of the loop, and who was answered meanwhile and ends in the next.
    await turn()
    await turn()
    const batch = waiting
    waiting = []
    flushing = undefined
    const rows = { insertion: INSERTION, rows: batch.map(({ row }) => valuesOf(row)) }
    const more = beside?.()
    let ids: readonly number[] = []
    try {
      ids = await database.burst(more ? [rows, more.batch] : [rows])
    } catch (error) {
      more?.takeBack()
      onError(error, batch.length)
    }
    for (const [at, { done }] of batch.entries()) done(ids[at])
  }

  return {
    write(row) {
      return new Promise((done) => {
        waiting.push({ row, done })
        flushing ??= flush()
      })
    },
    async close() {
      while (waiting.length > 0 || flushing) await (flushing ?? flush())
    },
  }
}
