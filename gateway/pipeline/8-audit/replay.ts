// Inserts the rows that a process left in its journal when it ended without warning.
import { renameSync, rmSync } from 'node:fs'
import { markOf } from '../../storage/burst-marks.ts'
import type { Database } from '../../storage/database.ts'
import { type LeftSegment, leftSegments, type Owner } from '../../storage/journal.ts'
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
    if (segment === undefined) {
      renameSync(path, `${path}.damaged`)
      log.error('a journal of call rows has no readable beginning; it was put aside', { path: `${path}.damaged` })
    } else if (!isLive(segment.owner)) {
      await replaySegment(database, segment, log)
      rmSync(path, { force: true })
    }
  }
}

/** Columns go by name, so that a journal of another version can be read. */
function numbered({ columns, rows }: LeftSegment): readonly NumberedRow[] {
  const places = JOURNAL_COLUMNS.map((column) => columns.indexOf(column))
  return rows.flatMap((row, at) =>
    row ? [{ line: at + 1, values: places.map((place) => (place === -1 ? null : row[place])) }] : [],
  )
}

async function replaySegment(database: Parts['database'], segment: LeftSegment, log: Parts['log']): Promise<void> {
  const { id, path, owner } = segment
  const rows = numbered(segment)
  if (rows.length < segment.rows.length)
    log.error('lines of a journal of call rows are damaged; their rows are lost', {
      path,
      rows: segment.rows.length - rows.length,
    })
  let inserted = 0
  let marked = await markOf(database.query, id)
  for (let at = 0; at < rows.length; at += CHUNK_ROWS)
    marked = await insertNumbered(database, id, rows.slice(at, at + CHUNK_ROWS), marked, {
      inserted: (chunk) => void (inserted += chunk.length),
      rejected: (_row, error) => log.error('call rows could not be written', { rows: 1, error }),
    })
  if (inserted > 0) log.info('call rows were taken over from a journal', { rows: inserted, instance: owner.instance })
}
