// This process among those that use its database: entered at the start, renewed while it runs, removed at its end.

import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { replayJournal } from '../pipeline/8-audit/replay.ts'
import type { Base } from '../records/base.ts'
import type { Settings } from '../settings/table.ts'
import { forgetMarks } from '../storage/burst-marks.ts'
import { aliveInstances, claimInstance, type Instance, leaveInstance, renewInstance } from '../storage/instances.ts'
import type { Owner } from '../storage/journal.ts'
import { forgetTaken } from '../storage/quota-taken.ts'
import type { Log } from '../telemetry/log.ts'

type EnterInstanceDeps = Pick<Base, 'database' | 'metrics' | 'monotonic'> & {
  readonly instanceId: string
  readonly settings: Pick<Settings, 'ALLOW_SECOND_INSTANCE' | 'LEADER_LEASE_DURATION_MS'>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly now: () => number
  /** Another instance took the database while this one was frozen. */
  readonly onReplaced: (message: string) => void
}

/** Containers on one machine may give the same process ids, and machines the same host names. */
function machineOf(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user is one all the same.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

export type Presence = {
  /** Undefined for a database in memory. */
  readonly owner: Owner | undefined
  /** How many instances use the database, this one included. */
  count(): number
  leave(): Promise<void>
}

export async function enterInstance(parts: EnterInstanceDeps): Promise<Presence> {
  const { database, instanceId, settings, log, metrics, now, monotonic, onReplaced } = parts
  if (database.path === ':memory:') return { owner: undefined, count: () => 1, leave: () => Promise.resolve() }
  const { ALLOW_SECOND_INSTANCE: allowOthers, LEADER_LEASE_DURATION_MS: durationMs } = settings
  const me: Instance = {
    id: instanceId,
    host: hostname(),
    pid: process.pid,
    machine: machineOf(),
    started_at: new Date(now()).toISOString(),
  }
  await claimInstance(database, {
    me,
    durationMs,
    allowOthers,
    now,
    monotonic,
    isRunning,
    pause: (ms) => pause(ms),
  })
  /** Rows of processes that ended without warning. A process that alone may use the database takes over all of them. */
  async function takeOver(): Promise<void> {
    if (database.file === null) return
    const alive = allowOthers ? await aliveInstances(database.query, now()) : []
    const isLive = ({ instance, machine, pid }: Owner): boolean =>
      allowOthers && machine === me.machine
        ? pid !== me.pid && isRunning(pid)
        : instance !== me.id && alive.includes(instance)
    await replayJournal({ database, beside: database.file, isLive, log, metrics })
  }
  /** Rows of this process that the database rejected. */
  async function tryAgain(): Promise<void> {
    if (database.file === null) return
    const isLive = ({ instance, machine, pid }: Owner): boolean =>
      instance !== me.id || machine !== me.machine || pid !== me.pid
    await replayJournal({ database, beside: database.file, isLive, log, metrics })
  }
  await takeOver()
  let others = (await aliveInstances(database.query, now())).filter((id) => id !== instanceId).length
  await database.write(async (tx) => {
    await forgetMarks(tx, now())
    if (others === 0) await forgetTaken(tx)
  })

  let replaced = false
  async function renew(): Promise<void> {
    try {
      const alive = await renewInstance(database, me, durationMs, now())
      others = alive.length
      const newer = alive.find(({ started_at }) => started_at > me.started_at)
      await (allowOthers ? takeOver() : tryAgain())
      if (allowOthers || newer === undefined || replaced) return
      replaced = true
      const message = `The instance ${newer.id} on ${newer.host} uses this database since ${newer.started_at}, when this one did not respond`
      log.error(message)
      onReplaced(message)
    } catch (error) {
      log.warn('this instance could not be renewed in the database', { error })
    }
  }
  let renewing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    renewing = renewing.then(renew)
  }, durationMs / 3)
  timer.unref()
  return {
    owner: { instance: instanceId, machine: me.machine, pid: me.pid },
    count: () => others + 1,
    async leave() {
      clearInterval(timer)
      await renewing
      await leaveInstance(database, instanceId).catch((error: unknown) =>
        log.warn('this instance is forgotten when its row runs out', { error }),
      )
    },
  }
}
