// Tries until the disk or the database takes rows, and says since when they do not.
import { setTimeout as pause } from 'node:timers/promises'
import { StorageError } from '../../storage/storage-error.ts'

export type Patient = {
  /** Undefined where the rows are given up, because this process ends or the database is closed. */
  untilTaken<T>(rows: number, attempt: () => T | Promise<T>): Promise<T | undefined>
  failingSince(): number | undefined
  /** From this moment on the first failure is the last. Monotonic. */
  endAt(ms: number): void
}

type Notes = {
  readonly failing: (error: unknown, rows: number) => void
  readonly recovered: () => void
  readonly givenUp: (error: unknown, rows: number) => void
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

export function createPatient(notes: Notes): Patient {
  let failingSince: number | undefined
  let endsAt = Number.POSITIVE_INFINITY
  return {
    async untilTaken(rows, attempt) {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS))
        try {
          const taken = await attempt()
          if (failingSince !== undefined) notes.recovered()
          failingSince = undefined
          return taken
        } catch (error) {
          if (!(error instanceof StorageError)) throw error
          if (failingSince === undefined) notes.failing(error, rows)
          failingSince ??= performance.now()
          if (error.reason === 'closed' || performance.now() >= endsAt) {
            notes.givenUp(error, rows)
            return undefined
          }
          await pause(pauseMs)
        }
    },
    failingSince: () => failingSince,
    endAt: (ms) => void (endsAt = ms),
  }
}
