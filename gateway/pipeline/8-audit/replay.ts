// Inserts the rows that a process left in its journal when it ended without warning.
import { rmSync } from 'node:fs'
import { markOf } from '../../storage/burst-marks.ts'
import type { Database } from '../../storage/database.ts'
import { keepRejected, type LeftSegment, leftSegments, markDamaged, type Owner } from '../../storage/journal.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { insertNumbered, JOURNAL, type NumberedRow } from './call-rows.ts'
import { CHUNK_ROWS } from './inserter.ts'

type Parts = {
  readonly database: Pick<Database, 'burst' | 'query'>
  /** How the names of the segments begin. */
  readonly beside: string
  /** The process of a segment still writes it. */
  readonly isLive: (owner: Owner) => boolean
  readonly log: Pick<Log, 'info' | 'error'>
  readonly metrics: Pick<Metrics, 'inc'>
}

export const noteRejected = ({ log, metrics }: Pick<Parts, 'log' | 'metrics'>, error: unknown): void => {
  metrics.inc('mcp_db_errors_total', { op: 'calls' })
  log.error('the database rejects a call row; it is kept in the journal and tried again', { error })
}

export async function replayJournal(parts: Parts): Promise<void> {
  const { beside, isLive, log } = parts
  for (const [path, segment] of leftSegments(beside, isLive)) {
    if (segment && (await replaySegment(parts, segment)) === 'rejected again') continue
    const damaged = segment?.rows.filter((row) => row === undefined).length
    if (damaged === 0) rmSync(path, { force: true })
    else
      log.error('a journal holds call rows that cannot be read; it is now called .damaged', {
        path: markDamaged(path),
        rows: damaged,
      })
  }
}

/** Columns go by name, so that a journal of another version can be read. */
function numbered({ columns, rows }: LeftSegment): readonly NumberedRow[] {
  const places = JOURNAL.columns.map((column) => columns.indexOf(column))
  return rows.flatMap((row, at) =>
    row ? [{ line: at + 1, values: places.map((place) => (place === -1 ? null : row[place])) }] : [],
  )
}

/** Rows that the database rejects get files of their own, for the next replay. */
async function replaySegment(parts: Parts, segment: LeftSegment): Promise<'rejected again' | 'settled'> {
  const { database, beside, log } = parts
  const { id, owner } = segment
  const rows = numbered(segment)
  let inserted = 0
  let isRejected = false
  let marked = await markOf(database.query, id)
  for (let at = 0; at < rows.length; at += CHUNK_ROWS)
    marked = await insertNumbered(database, id, rows.slice(at, at + CHUNK_ROWS), marked, {
      inserted: (chunk) => void (inserted += chunk.length),
      rejected({ line, values }, error) {
        isRejected = true
        if (segment.rejected) return
        keepRejected(beside, { segment: id, owner, columns: JOURNAL.columns }, line, values)
        noteRejected(parts, error)
      },
    })
  if (inserted > 0) log.info('call rows were taken over from a journal', { rows: inserted, instance: owner.instance })
  return isRejected && segment.rejected ? 'rejected again' : 'settled'
}
