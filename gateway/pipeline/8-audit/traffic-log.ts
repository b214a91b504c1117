// Captured calls on their way to the database: written together, after their answers left. What cannot be kept is dropped and counted; no call waits for it or fails by it.
import { insertionOf } from '../../storage/batch.ts'
import type { Database } from '../../storage/database.ts'
import type { Capturing, TrafficInsert } from './captured.ts'
import type { Ended } from './ended.ts'

export type TrafficLog = ReturnType<typeof createTrafficLog>

type Parts = {
  readonly database: Pick<Database, 'burst'>
  readonly capturing: Pick<Capturing, 'ruleOf' | 'rowOf'>
  readonly onWritten: (rows: number) => void
  /** Without an error there was no room. */
  readonly onDropped: (rows: number, error?: unknown) => void
  readonly mostRows?: number
  readonly mostLength?: number
}

const WRITE_EVERY_MS = 100
const MOST_ROWS = 5_000
/** Of arguments and previews that wait to be written, in characters. */
const MOST_LENGTH = 32 * 1_048_576

const COLUMNS = [
  'request_id',
  'at_ms',
  'team_id',
  'principal',
  'key_id',
  'client',
  'tool',
  'called_as',
  'args',
  'args_redacted',
  'preview',
  'preview_truncated',
  'is_error',
  'outcome',
  'deny_code',
  'gate',
  'failure_kind',
  'duration_ms',
  'trace_id',
] as const satisfies readonly (keyof TrafficInsert)[]
const INSERTION = insertionOf('traffic', COLUMNS)

type Noted = { readonly ended: Ended; readonly rule: NonNullable<ReturnType<Capturing['ruleOf']>> }

const lengthOf = ({ args, preview }: TrafficInsert): number => (args?.length ?? 0) + (preview?.length ?? 0)

export function createTrafficLog(parts: Parts) {
  const { database, capturing, onWritten, onDropped, mostRows = MOST_ROWS, mostLength = MOST_LENGTH } = parts
  let noted: Noted[] = []
  let rows: TrafficInsert[] = []
  let length = 0
  let soon: NodeJS.Immediate | undefined
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  /** On their way, and not yet written. */
  let held = 0

  /** An answer may be large: it is not held longer than until what is kept of it is known. */
  function make(): void {
    clearImmediate(soon)
    soon = undefined
    const batch = noted
    noted = []
    for (const { ended, rule } of batch) {
      try {
        const row = capturing.rowOf(ended, rule)
        if (length + lengthOf(row) > mostLength) drop(1)
        else {
          rows.push(row)
          length += lengthOf(row)
        }
      } catch (error) {
        drop(1, error)
      }
    }
    if (rows.length > 0) timer ??= setTimeout(flush, WRITE_EVERY_MS)
  }

  function drop(count: number, error?: unknown): void {
    held -= count
    onDropped(count, error)
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const batch = rows
    rows = []
    if (batch.length > 0) writing = writing.then(() => write(batch))
  }

  async function write(batch: readonly TrafficInsert[]): Promise<void> {
    try {
      await database.burst([
        { insertion: INSERTION, rows: batch.map((row) => COLUMNS.map((column) => row[column] ?? null)) },
      ])
      held -= batch.length
      onWritten(batch.length)
    } catch (error) {
      drop(batch.length, error)
    }
    length -= batch.reduce((sum, row) => sum + lengthOf(row), 0)
  }

  return {
    note(ended: Ended): void {
      const rule = capturing.ruleOf(ended)
      if (rule === undefined) return
      if (held >= mostRows) {
        onDropped(1)
        return
      }
      held += 1
      noted.push({ ended, rule })
      soon ??= setImmediate(make)
    },
    /** Writes what waits. */
    async close(): Promise<void> {
      make()
      flush()
      await writing
    },
  }
}
