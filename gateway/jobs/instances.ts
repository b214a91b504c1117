// This process among those that use its database: entered at the start, renewed while it runs, removed at its end.

import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { replayJournal } from '../pipeline/8-audit/replay.ts'
import type { Base } from '../records/base.ts'
import type { Settings } from '../settings/table.ts'
import { forgetMarks } from '../storage/burst-marks.ts'
import {
  aliveInstances,
  claimInstance,
  type Instance,
  leaveInstance,
  type Report,
  renewInstance,
  setApplied,
} from '../storage/instances.ts'
import type { Owner } from '../storage/journal.ts'
import type { LeaseClock } from '../storage/lease-clock.ts'
import { forgetTaken } from '../storage/quota-taken.ts'

type EnterInstanceDeps = Pick<Base, 'database' | 'metrics' | 'monotonic' | 'instanceId' | 'log'> & {
  readonly settings: Pick<Settings, 'ALLOW_SECOND_INSTANCE' | 'LEADER_LEASE_DURATION_MS'>
  readonly leaseClock: LeaseClock
  /** Refuses a database that others use, although others may follow this instance. */
  readonly alone: boolean
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
  /** Their ids. */
  alive(): readonly string[]
  /** The versions of the configuration that the instances have applied, at the last renewal. */
  versions(): readonly number[]
  /** Stores the version that this one has applied. */
  applied(version: number): void
  /** Out of the rotation of a balancer, on request. */
  drained(): boolean
  setDrained(drained: boolean): void
  /** What the instance states of itself from now on. */
  reportBy(report: () => Report): void
  leave(): Promise<void>
}

/** The instances, and the oldest and newest configuration that one of them has applied. */
export function convergenceOf({ count, versions }: Pick<Presence, 'count' | 'versions'>) {
  const applied = versions()
  const newest = Math.max(0, ...applied)
  return { instances: count(), oldest: Math.min(newest, ...applied), newest }
}

/** A database in memory has no other instance. */
const ALONE: Presence = {
  owner: undefined,
  count: () => 1,
  alive: () => [],
  versions: () => [],
  applied: () => undefined,
  drained: () => false,
  setDrained: () => undefined,
  reportBy: () => undefined,
  leave: () => Promise.resolve(),
}
/** Several instances show each other how they are. */
const REPORT_EVERY_MS = 2000

export async function enterInstance(parts: EnterInstanceDeps): Promise<Presence> {
  const { database, instanceId, settings, monotonic } = parts
  const { leaseClock: clock } = parts
  if (database.path === ':memory:') return ALONE
  const { ALLOW_SECOND_INSTANCE: allowOthers, LEADER_LEASE_DURATION_MS: durationMs } = settings
  const me: Instance = {
    id: instanceId,
    host: hostname(),
    pid: process.pid,
    machine: machineOf(),
    started_at: new Date(clock.now()).toISOString(),
  }
  await claimInstance(database, {
    me,
    durationMs,
    allowOthers: allowOthers && !parts.alone,
    clock,
    monotonic,
    isRunning,
    pause: (ms) => pause(ms),
  })
  const { takeOver, tryAgain } = journalsFor(parts, me, allowOthers)
  await takeOver()
  const others = (await aliveInstances(database.query, clock.now())).filter((id) => id !== instanceId)
  await database.write(async (tx) => {
    await forgetMarks(tx, clock.now())
    if (others.length === 0) await forgetTaken(tx)
  })

  return presenceOf(parts, me, { others, afterRenewal: allowOthers ? takeOver : tryAgain })
}

type Presenting = { readonly others: readonly string[]; readonly afterRenewal: () => Promise<void> }

/** Renewed until it leaves. */
function presenceOf(parts: EnterInstanceDeps, me: Instance, { others: first, afterRenewal }: Presenting): Presence {
  const { database, instanceId, log, leaseClock, onReplaced } = parts
  const { ALLOW_SECOND_INSTANCE: allowOthers, LEADER_LEASE_DURATION_MS: durationMs } = parts.settings
  let others = first
  let replaced = false
  let versions: readonly number[] = []
  let drained = false
  let applied: number | undefined
  let report: (() => Report) | undefined

  async function renew(): Promise<void> {
    try {
      await leaseClock.measure()
      const rows = await renewInstance(database, me, {
        durationMs,
        nowMs: leaseClock.now(),
        report: report?.(),
        applied,
      })
      const alive = rows.filter(({ id }) => id !== instanceId)
      others = alive.map(({ id }) => id)
      versions = rows.map((row) => row.applied).filter((version) => version !== null)
      drained = rows.some(({ id, draining }) => id === instanceId && draining)
      const newer = alive.find(({ startedAt }) => startedAt > me.started_at)
      await afterRenewal()
      if (allowOthers || newer === undefined || replaced) return
      replaced = true
      const message = `The instance ${newer.id} on ${newer.host} uses this database since ${newer.startedAt}, when this one did not respond`
      log.error(message)
      onReplaced(message)
    } catch (error) {
      log.warn('this instance could not be renewed in the database', { error })
    }
  }
  let renewing: Promise<void> = Promise.resolve()
  const timer = setInterval(
    () => {
      renewing = renewing.then(renew)
    },
    Math.min(durationMs / 3, allowOthers ? REPORT_EVERY_MS : durationMs),
  )
  timer.unref()
  return {
    owner: { instance: instanceId, machine: me.machine, pid: me.pid },
    count: () => others.length + 1,
    alive: () => [instanceId, ...others],
    versions: () => versions,
    applied(version) {
      applied = version
      if (!allowOthers) return
      renewing = renewing
        .then(() => setApplied(database, instanceId, version))
        .catch((error: unknown) => log.warn('the applied version could not be stored', { error }))
    },
    drained: () => drained,
    setDrained(wanted) {
      drained = wanted
    },
    reportBy(given) {
      report = given
    },
    async leave() {
      clearInterval(timer)
      await renewing
      await leaveInstance(database, instanceId).catch((error: unknown) =>
        log.warn('this instance is forgotten when its row runs out', { error }),
      )
    },
  }
}

/** Call rows beside the database: of processes that are gone, and of this one. */
function journalsFor(parts: EnterInstanceDeps, me: Instance, allowOthers: boolean) {
  const { database, log, metrics } = parts
  const { leaseClock: clock } = parts
  const { file } = database
  return {
    /** Rows of processes that ended without warning. A process that alone may use the database takes over all of them. */
    async takeOver(): Promise<void> {
      if (file === null) return
      const alive = allowOthers ? await aliveInstances(database.query, clock.now()) : []
      const isLive = ({ instance, machine, pid }: Owner): boolean =>
        allowOthers && machine === me.machine
          ? pid !== me.pid && isRunning(pid)
          : instance !== me.id && alive.includes(instance)
      await replayJournal({ database, beside: file, isLive, log, metrics })
    },
    /** Rows of this process that the database rejected. */
    async tryAgain(): Promise<void> {
      if (file === null) return
      const isLive = ({ instance, machine, pid }: Owner): boolean =>
        instance !== me.id || machine !== me.machine || pid !== me.pid
      await replayJournal({ database, beside: file, isLive, log, metrics })
    },
  }
}
