// One row per call, durable before its answer leaves: a line of the journal, inserted behind it; without a journal a committed row.
import { randomUUID } from 'node:crypto'
import { GatewayError } from '../../contract/error.ts'
import type { Database } from '../../storage/database.ts'
import type { Journal } from '../../storage/journal.ts'
import { batchesOf, type CallRow, type CallValues, valuesOf } from './call-rows.ts'
import { createInserter } from './inserter.ts'
import { createPatient } from './patient.ts'

export type { CallRow } from './call-rows.ts'

export type CallLog = {
  /** False while rows cannot be written. */
  isOpen(): boolean
  /** Throws 503 while rows cannot be written, so that no call is made that could not be recorded. */
  requireOpen(): void
  /**
   * Calls `done` once the row survives the end of this process. With a 503 where the disk or the database does not take it
   * in time: the call then fails, and its row is still written later.
   */
  write(row: CallRow, done: (error?: unknown) => void): void
  /** Resolves when the table holds every row whose call was answered before, or after a second. For those who read it. */
  inserted(): Promise<void>
  /** Writes the waiting rows, as far as the database takes them. */
  close(): Promise<void>
}

/** `write` for callers that wait. */
export const recorded = (log: Pick<CallLog, 'write'>, row: CallRow): Promise<void> =>
  new Promise((resolve, reject) => {
    log.write(row, (error) => (error === undefined ? resolve() : reject(error)))
  })

export type CallLogNotes = {
  /** Rows are not taken: they are kept and tried again. */
  readonly failing: (error: unknown, rows: number) => void
  readonly recovered: () => void
  /** A journaled row that the database rejects as such: it stays in the journal and is tried again. */
  readonly rejected: (error: unknown) => void
  /** Rows of failed calls that are given up: the database rejects them as such, or this process ends before it is back. */
  readonly lost: (error: unknown, rows: number) => void
  /** The table holds the row. */
  readonly inserted?: (row: CallRow, id: number | undefined) => void
}

type Bounds = {
  /** How long a call waits for its row. */
  readonly answerMs: number
  /** How long rows may fail before calls are refused. */
  readonly failingMs: number
  readonly closeMs: number
  readonly mostRows: number
  /** How many rejected rows may wait in the journal: a defect that affects every row is not to go on. */
  readonly mostRejected: number
}
const BOUNDS: Bounds = { answerMs: 15_000, failingMs: 1_000, closeMs: 5_000, mostRows: 5_000, mostRejected: 100 }
const MOST_AT_ONCE = 1_000
const SWEEP_MS = 250
const RETRY_AFTER_MS = 2_000

type Entry = {
  readonly row: CallRow
  readonly values: CallValues
  readonly since: number
  readonly done: (error?: unknown) => void
  settled: boolean
}

type Parts = {
  readonly database: Pick<Database, 'burst' | 'query'>
  /** Undefined where rows are committed before the answers. */
  readonly journal: Journal | undefined
  readonly notes: CallLogNotes
  readonly bounds?: Partial<Bounds>
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

const unrecorded = (made: boolean): GatewayError =>
  new GatewayError(
    'DATABASE_UNAVAILABLE',
    made
      ? 'The call was made, but its record could not be written in time: the database does not respond. Check what the call did before you repeat it.'
      : 'The gateway cannot record calls now, because its database does not respond. The call was not made; try again shortly.',
    { retryAfterMs: RETRY_AFTER_MS, details: { made } },
  )

/** Collects the calls that finish in this tick; a commit is worth those of the next as well. */
async function gathered(forCommit: boolean): Promise<void> {
  await turn()
  if (forCommit) await turn()
}

function settle(entry: Entry, error?: unknown): void {
  if (entry.settled) return
  entry.settled = true
  entry.done(error)
}

export function createCallLog({ database, journal, notes, bounds = {} }: Parts): CallLog {
  const { answerMs, failingMs, closeMs, mostRows, mostRejected } = { ...BOUNDS, ...bounds }
  const writer = randomUUID()
  let burst = 0
  let waiting: Entry[] = []
  let underWay: readonly Entry[] = []
  let draining: Promise<void> | undefined
  const patient = createPatient({ ...notes, givenUp: notes.lost })
  const inserter = journal && createInserter({ database, journal, notes })

  /** Committed before the answers, and once, however often the burst is sent. */
  async function committed(batch: readonly Entry[]): Promise<void> {
    const mark = { writer, burst: ++burst }
    const batches = batchesOf(batch.map(({ values }) => values))
    try {
      const ids = await patient.untilTaken(batch.length, () => database.burst(batches, mark))
      for (const [at, entry] of batch.entries()) {
        settle(entry, ids === undefined ? unrecorded(true) : undefined)
        if (ids !== undefined) notes.inserted?.(entry.row, ids[at])
      }
    } catch (error) {
      // The database responds and rejects a value: the others are not to fail with it.
      if (batch.length > 1) for (const entry of batch) await committed([entry])
      else {
        notes.lost(error, batch.length)
        for (const entry of batch) settle(entry, error)
      }
    }
  }

  async function journaled(batch: readonly Entry[], into: NonNullable<typeof inserter>, file: Journal): Promise<void> {
    const values = batch.map((entry) => entry.values)
    const segment = await patient.untilTaken(batch.length, () => file.append(values))
    if (segment === undefined) for (const entry of batch) settle(entry, unrecorded(true))
    else {
      into.add(segment, batch)
      for (const entry of batch) settle(entry)
    }
  }

  async function drain(): Promise<void> {
    await gathered(!journal)
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_AT_ONCE)
      waiting = batch.length === waiting.length ? [] : waiting.slice(MOST_AT_ONCE)
      underWay = batch
      await (journal && inserter ? journaled(batch, inserter, journal) : committed(batch))
      underWay = []
    }
    draining = undefined
  }

  /** Calls that waited long enough; their rows stay. */
  function sweep(): void {
    const before = performance.now() - answerMs
    for (const entries of [underWay, waiting])
      for (const entry of entries) {
        if (entry.since > before) break
        settle(entry, unrecorded(true))
      }
  }
  const sweeping = setInterval(sweep, SWEEP_MS)
  sweeping.unref()

  function isOpen(): boolean {
    if (performance.now() - (patient.failingSince() ?? Number.POSITIVE_INFINITY) >= failingMs) return false
    return waiting.length + (inserter?.size() ?? 0) < mostRows && (journal?.kept() ?? 0) < mostRejected
  }

  return {
    isOpen,
    requireOpen() {
      if (!isOpen()) throw unrecorded(false)
    },
    write(row, done) {
      waiting.push({ row, values: valuesOf(row), since: performance.now(), done, settled: false })
      draining ??= drain()
    },
    inserted: async () => inserter?.inserted(),
    async close() {
      const endsAt = performance.now() + closeMs
      patient.endAt(endsAt)
      await draining
      await inserter?.close(endsAt)
      clearInterval(sweeping)
      journal?.close()
    },
  }
}
