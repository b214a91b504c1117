// Inserts journaled rows behind the answers, a bounded chunk per turn of the event loop.
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../../storage/database.ts'
import type { Journal, Segment } from '../../storage/journal.ts'
import type { CallLogNotes } from './call-log.ts'
import { type CallRow, insertNumbered, type NumberedRow } from './call-rows.ts'
import { createPatient } from './patient.ts'

type Appended = { readonly row: CallRow; readonly values: readonly unknown[] }
type Pending = NumberedRow & { readonly row: CallRow; readonly segment: Segment }

type Parts = {
  readonly database: Pick<Database, 'burst' | 'query'>
  readonly journal: Pick<Journal, 'release' | 'keep'>
  readonly notes: CallLogNotes
}

export const CHUNK_ROWS = 64
/** A smaller chunk costs more per row: it waits for others, less long than a person notices. */
const GATHER_MS = 50
const READER_MS = 1_000

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

export function createInserter({ database, journal, notes }: Parts) {
  // Rows that are given up stay in the journal for the next start.
  const patient = createPatient({ ...notes, givenUp: () => undefined })
  let pending: Pending[] = []
  let added = 0
  let done = 0
  /** Up to which row small chunks are inserted as well. */
  let wanted = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let marked = { segment: '', line: 0 }

  function chunk(): readonly Pending[] {
    const [first] = pending
    const other = pending.slice(0, CHUNK_ROWS).findIndex(({ segment }) => segment !== first?.segment)
    return pending.splice(0, other === -1 ? CHUNK_ROWS : other)
  }

  async function insert(rows: readonly Pending[]): Promise<void> {
    const [first] = rows
    if (first === undefined) return
    const { segment } = first
    if (marked.segment !== segment.id) marked = { segment: segment.id, line: 0 }
    const line = await patient.untilTaken(rows.length, () =>
      insertNumbered(database, segment.id, rows, marked.line, {
        inserted: (them, ids) => {
          for (const [at, { row }] of them.entries()) notes.inserted?.(row, ids[at])
        },
        rejected(row, error) {
          journal.keep(segment, row.line, row.values)
          notes.rejected(error)
        },
      }),
    )
    if (line !== undefined) {
      marked = { segment: segment.id, line }
      journal.release(segment, rows.length)
    }
    done += rows.length
  }

  async function run(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    while (pending.length >= CHUNK_ROWS || (pending.length > 0 && done < wanted)) {
      await insert(chunk())
      await turn()
    }
    running = undefined
    if (pending.length > 0) later()
  }

  const start = (): Promise<void> => (running ??= run())
  const later = (): void => {
    timer ??= setTimeout(() => {
      wanted = added
      void start()
    }, GATHER_MS)
  }

  async function inserted(): Promise<void> {
    wanted = added
    const target = added
    const reached = (): boolean => done >= target
    while (!reached()) await start()
  }

  return {
    /** Rows that were just appended to the segment, in their order. */
    add(segment: Segment, rows: readonly Appended[]): void {
      const firstLine = segment.lines - rows.length + 1
      for (const [at, { row, values }] of rows.entries()) pending.push({ line: firstLine + at, row, values, segment })
      added += rows.length
      if (pending.length >= CHUNK_ROWS) void start()
      else if (running === undefined) later()
    },
    size: (): number => pending.length,
    inserted: (): Promise<void> => Promise.race([inserted(), pause(READER_MS, undefined, { ref: false })]),
    /** Until then the database may take the rest. Monotonic. */
    async close(endsAt: number): Promise<void> {
      patient.endAt(endsAt)
      await inserted()
      clearTimeout(timer)
    },
  }
}
