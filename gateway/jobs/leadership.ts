// Who leads: one instance holds the lease and does what must be done once. `/readyz` tells.

import type { Base } from '../records/base.ts'
import { SYSTEM } from '../records/changes.ts'
import { acquireLease, type Lease, leaseEnd, releaseLease, renewLease } from '../storage/lease.ts'
import type { Log } from '../telemetry/log.ts'

export type Leadership = {
  /** Asks once, then keeps asking. */
  readonly start: () => Promise<void>
  readonly leads: () => boolean
  /** For `requireLease`: what only a leader may write is written under it. */
  readonly lease: () => Lease | undefined
  /** Hands the lease back, so that another instance need not wait for its end. */
  readonly stop: () => Promise<void>
}

type LeadershipDeps = Pick<Base, 'database' | 'changes' | 'clock' | 'monotonic'> & {
  readonly instanceId: string
  readonly durationMs: number
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly newId: () => string
  readonly onChange?: (leads: boolean) => void
}

const NAME = 'leader'
const LEAST_PAUSE_MS = 50

export function createLeadership(parts: LeadershipDeps): Leadership {
  const { database, changes, instanceId, durationMs, log, clock, monotonic, newId, onChange } = parts
  let lease: Lease | undefined
  let certainUntil = 0
  let timer: NodeJS.Timeout | undefined
  let beating: Promise<void> = Promise.resolve()
  let stopped = false

  /** One after another, and beside the beats: the audit chain may be held by an instance that froze. */
  let recording: Promise<void> = Promise.resolve()
  function record(action: 'system.leader.acquire' | 'system.leader.lose', reason: string): void {
    recording = recording
      .then(() => changes({ actor: SYSTEM, requestId: newId() }, (_tx, audit) => audit(action, instanceId, { reason })))
      .catch((error: unknown) => log.error('a change of leadership could not be audited', { action, error }))
  }

  function lose(reason: string): void {
    lease = undefined
    log.warn('leadership lost', { instance: instanceId, reason })
    onChange?.(false)
    record('system.leader.lose', reason)
  }

  async function beat(): Promise<void> {
    try {
      // Before the question is sent: its way there and back is time the lease has already spent.
      const asked = monotonic()
      if (lease && (await renewLease(database, lease, durationMs, clock.now()))) {
        certainUntil = asked + durationMs
        return
      }
      if (lease) lose('expired')
      lease = await acquireLease(database, { name: NAME, holder: instanceId, durationMs }, clock.now())
      if (!lease) return
      certainUntil = asked + durationMs
      log.info('leadership acquired', { instance: instanceId })
      onChange?.(true)
      record('system.leader.acquire', 'free')
    } catch (error) {
      // A database that does not answer ends leadership by itself, when the lease runs out; the next beat asks again.
      log.error('the leader lease was not renewed', { error })
    }
  }

  /** A standby asks again when the present lease ends, and not a beat later. */
  async function pauseMs(): Promise<number> {
    const usual = durationMs / 3
    if (lease) return usual
    const end = await leaseEnd(database, NAME).catch(() => undefined)
    return end === undefined ? usual : Math.min(usual, Math.max(LEAST_PAUSE_MS, end - clock.now() + 1))
  }

  async function beatOn(): Promise<void> {
    beating = beat()
    await beating
    const next = await pauseMs()
    if (stopped) return
    timer = setTimeout(() => void beatOn(), next)
    timer.unref()
  }

  return {
    start: beatOn,
    leads: () => lease !== undefined && monotonic() < certainUntil,
    lease: () => lease,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await beating
      const held = lease
      if (!held) return
      try {
        lose('stopped')
        await releaseLease(database, held)
        await recording
      } catch (error) {
        log.warn('the leader lease was not handed back and runs out by itself', { error })
      }
    },
  }
}
