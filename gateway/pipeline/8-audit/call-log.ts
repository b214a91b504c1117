// One row per call, committed before its answer leaves: all calls that end in one tick share a transaction.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Insertable } from 'kysely'
import { GatewayError } from '../../contract/error.ts'
import { type Batch, insertionOf } from '../../storage/batch.ts'
import type { Database } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { StorageError } from '../../storage/storage-error.ts'

export type CallRow = Omit<Insertable<Schema['calls']>, 'id'>

export type CallLog = {
  /** Throws 503 while rows cannot be written, so that no call is made that could not be recorded. */
  requireOpen(): void
  /**
   * Resolves with the row's id when it is committed. Rejects with 503 where the database does not take it in time: the
   * call then fails, and its row is still written once the database is back.
   */
  write(row: CallRow): Promise<number | undefined>
  /** Writes the waiting rows, as far as the database takes them. */
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
  'method',
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
  row.method ?? null,
]

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

/** What is written in the same transaction as the rows, and what takes it back when that fails. */
export type Beside = { readonly batch: Batch; takeBack(): void }

export type CallLogNotes = {
  /** The database does not take rows: they are kept and tried again. */
  readonly failing: (error: unknown, rows: number) => void
  readonly recovered: () => void
  /** Rows that are given up: the database rejects them as such, or this process ends before it is back. */
  readonly lost: (error: unknown, rows: number) => void
}

type Bounds = {
  /** How long a call waits for its row. */
  readonly answerMs: number
  /** How long rows may fail before calls are refused. */
  readonly failingMs: number
  readonly closeMs: number
  readonly mostRows: number
}
const BOUNDS: Bounds = { answerMs: 15_000, failingMs: 1_000, closeMs: 5_000, mostRows: 5_000 }
const MOST_AT_ONCE = 1_000
const SWEEP_MS = 250
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000
const RETRY_AFTER_MS = 2_000

type Entry = {
  readonly row: CallRow
  readonly since: number
  resolve(id: number | undefined): void
  reject(error: unknown): void
}

const unrecorded = (made: boolean): GatewayError =>
  new GatewayError(
    'DATABASE_UNAVAILABLE',
    made
      ? 'The call was made, but its record could not be written in time: the database does not respond. Check what the call did before you repeat it.'
      : 'The gateway cannot record calls now, because its database does not respond. The call was not made; try again shortly.',
    { retryAfterMs: RETRY_AFTER_MS, details: { made } },
  )

export function createCallLog(
  database: Pick<Database, 'burst'>,
  notes: CallLogNotes,
  beside?: () => Beside | undefined,
  bounds: Partial<Bounds> = {},
): CallLog {
  const { answerMs, failingMs, closeMs, mostRows } = { ...BOUNDS, ...bounds }
  const writer = randomUUID()
  let burst = 0
  let waiting: Entry[] = []
  let underWay: readonly Entry[] = []
  let draining: Promise<void> | undefined
  let failingSince: number | undefined
  let closesAt = Number.POSITIVE_INFINITY

  /** The rows, and what goes with them, once: however often they are sent. Resolves with undefined where they are given up. */
  async function committed(batch: readonly Entry[], more: Beside | undefined): Promise<readonly number[] | undefined> {
    const rows = { insertion: INSERTION, rows: batch.map(({ row }) => valuesOf(row)) }
    const mark = { writer, burst: ++burst }
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS))
      try {
        const ids = await database.burst(more ? [rows, more.batch] : [rows], mark)
        if (failingSince !== undefined) notes.recovered()
        failingSince = undefined
        return ids
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        if (failingSince === undefined) notes.failing(error, batch.length)
        failingSince ??= performance.now()
        if (error.reason === 'closed' || performance.now() >= closesAt) {
          notes.lost(error, batch.length)
          return undefined
        }
        await pause(pauseMs)
      }
  }

  async function settle(batch: readonly Entry[]): Promise<void> {
    const more = beside?.()
    try {
      const ids = await committed(batch, more)
      if (ids === undefined) for (const { reject } of batch) reject(unrecorded(true))
      else for (const [at, { resolve }] of batch.entries()) resolve(ids[at])
    } catch (error) {
      // The database responds and rejects a value: the others are not to fail with it.
      more?.takeBack()
      if (batch.length > 1) for (const entry of batch) await settle([entry])
      else {
        notes.lost(error, batch.length)
        for (const { reject } of batch) reject(error)
      }
    }
  }

  async function drain(): Promise<void> {
    // Collects calls that finish in this tick and the next.
    await turn()
    await turn()
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_AT_ONCE)
      waiting = batch.length === waiting.length ? [] : waiting.slice(MOST_AT_ONCE)
      underWay = batch
      await settle(batch)
      underWay = []
    }
    draining = undefined
  }

  /** Calls that waited long enough; their rows stay. A promise that is settled already ignores this. */
  function sweep(): void {
    const before = performance.now() - answerMs
    for (const entries of [underWay, waiting])
      for (const { since, reject } of entries) {
        if (since > before) break
        reject(unrecorded(true))
      }
  }
  const sweeping = setInterval(sweep, SWEEP_MS)
  sweeping.unref()

  return {
    requireOpen() {
      const failing = failingSince !== undefined && performance.now() - failingSince >= failingMs
      if (failing || waiting.length >= mostRows) throw unrecorded(false)
    },
    write(row) {
      return new Promise((resolve, reject) => {
        waiting.push({ row, since: performance.now(), resolve, reject })
        draining ??= drain()
      })
    },
    async close() {
      closesAt = performance.now() + closeMs
      await draining
      clearInterval(sweeping)
    },
  }
}
