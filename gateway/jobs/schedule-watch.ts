// Runs due schedules once each: the leader advances the next time, makes the change and audits it in one transaction. Contract 10.5.

import type { ScheduleFire } from '../operations/schedules/schedule-fire.ts'
import { nextRunAt } from '../operations/schedules/schedule-rows.ts'
import type { Base } from '../records/base.ts'
import { SYSTEM } from '../records/changes.ts'
import { type Lease, requireLease } from '../storage/lease.ts'
import { moveSchedule, type ScheduleRow, schedulesDue } from '../storage/schedules.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { Log } from '../telemetry/log.ts'

type ScheduleWatchDeps = Pick<Base, 'database' | 'changes' | 'clock' | 'newId'> & {
  readonly leaseClock?: Base['clock']
  readonly fire: ScheduleFire
  readonly lease: () => Lease | undefined
  readonly log: Pick<Log, 'info' | 'error'>
}

const MINUTE_MS = 60_000

export function createScheduleWatch({
  database,
  changes,
  fire,
  lease,
  clock,
  leaseClock = clock,
  newId,
  log,
}: ScheduleWatchDeps) {
  /** Its time in this minute, if any; missed times are skipped. */
  function dueIn(minuteMs: number, row: ScheduleRow): string | undefined {
    const due = nextRunAt(row, minuteMs - 1)
    return due !== null && Date.parse(due) === minuteMs ? due : undefined
  }

  async function fireOne(held: Lease, row: ScheduleRow, due: string): Promise<void> {
    const by = { actor: { ...SYSTEM, teamId: row.team_id }, requestId: newId() }
    const result = await changes(by, async (tx, audit) => {
      await requireLease(tx, held, leaseClock.now())
      if (!(await moveSchedule(tx, row, nextRunAt(row, Date.parse(due))))) return undefined
      return fire.fireIn(tx, audit, row, due)
    })
    if (result) await fire.settle(row, result)
  }

  async function passOver(held: Lease, row: ScheduleRow, nowMs: number): Promise<void> {
    const next = nextRunAt(row, nowMs)
    await database.write(async (tx) => {
      await requireLease(tx, held, leaseClock.now())
      await moveSchedule(tx, row, next)
    })
    log.info('a schedule was skipped: no gateway ran at its time', { schedule: row.id, due: row.next_run_at, next })
  }

  return {
    /** Uses the minute in which the pass starts, however long it takes. */
    async round(): Promise<void> {
      const nowMs = clock.now()
      const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
      for (const row of await schedulesDue(database.query, new Date(nowMs).toISOString())) {
        const held = lease()
        if (held === undefined) return
        const due = dueIn(minuteMs, row)
        try {
          await (due === undefined ? passOver(held, row, nowMs) : fireOne(held, row, due))
        } catch (error) {
          // Another instance leads now and does the rest.
          if (error instanceof StorageError && error.reason === 'fenced') throw error
          log.error('a schedule could not be run', { schedule: row.id, error })
        }
      }
    },
  }
}
