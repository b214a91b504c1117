// Leadership: one instance holds the lease and runs the jobs. `/readyz` reports it.

import type { Base } from '../records/base.ts'
import { SYSTEM } from '../records/changes.ts'
import { acquireLease, type Lease, leaseEnd, releaseLease, renewLease } from '../storage/lease.ts'
import type { Log } from '../telemetry/log.ts'

export type Leadership = ReturnType<typeof createLeadership>

type LeadershipDeps = Pick<Base, 'database' | 'changes' | 'clock' | 'monotonic' | 'instanceId' | 'newId'> & {
  readonly durationMs: number
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly onChange?: (leads: boolean) => void
}

const NAME = 'leader'
const LEAST_PAUSE_MS = 50

export function createLeadership(parts: LeadershipDeps) {
  const { database, changes, instanceId, durationMs, log, clock, monotonic, newId, onChange } = parts
  let lease: Lease | undefined
  let certainUntil = 0
  let timer: NodeJS.Timeout | undefined
  let beating: Promise<void> = Promise.resolve()
  let stopped = false

  /** Sequential, and apart from renewals: a frozen instance may hold the audit chain. */
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
      // Measured before the request: the round trip counts against the lease.
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
      // If the database does not answer, leadership ends when the lease expires; the next renewal retries.
      log.error('the leader lease was not renewed', { error })
    }
  }

  /** A standby retries as soon as the current lease ends. */
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
    /** Requests the lease, then keeps renewing it. */
    start: beatOn,
    leads: (): boolean => lease !== undefined && monotonic() < certainUntil,
    /** The lease for `requireLease`: leader writes are checked against it. */
    lease: (): Lease | undefined => lease,
    /** Returns the lease, so that another instance need not wait for its expiry. */
    async stop(): Promise<void> {
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
        log.warn('the leader lease was not returned and will expire', { error })
      }
    },
  }
}
