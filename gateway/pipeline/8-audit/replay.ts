// Inserts the rows that a process left in its journal when it ended without warning.
import { rmSync } from 'node:fs'
import { markOf } from '../../storage/burst-marks.ts'
import type { Database } from '../../storage/database.ts'
import { type LeftSegment, leftSegments, markDamaged, type Owner } from '../../storage/journal.ts'
import type { Log } from '../../telemetry/log.ts'
import { insertNumbered, JOURNAL_COLUMNS, type NumberedRow } from './call-rows.ts'
import { CHUNK_ROWS } from './inserter.ts'

type Parts = {
  readonly database: Pick<Database, 'burst' | 'query'>
  /** How the names of the segments begin. */
  readonly beside: string
  /** The process of a segment still writes it. */
  readonly isLive: (owner: Owner) => boolean
  readonly log: Pick<Log, 'info' | 'error'>
}

export async function replayJournal({ database, beside, isLive, log }: Parts): Promise<void> {
  for (const [path, segment] of leftSegments(beside)) {
    if (segment && isLive(segment.owner)) continue
    const lost = segment ? await replaySegment(database, segment, log) : 1
    if (lost === 0) rmSync(path, { force: true })
    else
      log.error('a journal holds call rows that cannot be read or inserted; it is now called .damaged', {
        path: markDamaged(path),
        rows: segment ? lost : undefined,
      })
  }
}

/** Columns go by name, so that a journal of another version can be read. */
function numbered({ columns, rows }: LeftSegment): readonly NumberedRow[] {
  const places = JOURNAL_COLUMNS.map((column) => columns.indexOf(column))
  return rows.flatMap((row, at) =>
    row ? [{ line: at + 1, values: places.map((place) => (place === -1 ? null : row[place])) }] : [],
  )
}

/** Returns how many rows are lost. */
async function replaySegment(database: Parts['database'], segment: LeftSegment, log: Parts['log']): Promise<number> {
  const { id, owner } = segment
  const rows = numbered(segment)
  let inserted = 0
  let lost = segment.rows.length - rows.length
  let marked = await markOf(database.query, id)
  for (let at = 0; at < rows.length; at += CHUNK_ROWS)
    marked = await insertNumbered(database, id, rows.slice(at, at + CHUNK_ROWS), marked, {
      inserted: (chunk) => void (inserted += chunk.length),
      rejected: (_row, error) => {
        lost += 1
        log.error('call rows could not be written', { rows: 1, error })
      },
    })
  if (inserted > 0) log.info('call rows were taken over from a journal', { rows: inserted, instance: owner.instance })
  return lost
}
