// Limits that several instances share. An instance leases permits in batches and spends them locally, so that few calls wait for the store.
import { createHash } from 'node:crypto'
import type { PermitAnswer, PermitRefund, PermitStore, PermitWant } from '../storage/permits.ts'
import { createRateWindow, type RateWindow, type Verdict } from './rate-window.ts'

export type OnOutage = 'share' | 'open' | 'closed'
export type Take = { readonly key: string; readonly limit: number }
export type Refused = { readonly allowed: false; readonly retryAfterMs: number; readonly limit: number }
export type SharedVerdict = { readonly allowed: true } | Refused

export type SharedLimits = {
  /** Takes one of each, or none. A promise only where permits have to be leased. */
  readonly take: (tier: string, takes: readonly Take[]) => SharedVerdict | Promise<SharedVerdict>
  readonly look: (tier: string, take: Take) => Verdict
  readonly sizes: () => Readonly<Record<string, number>>
  /** How limits are kept while the store does not answer; undefined while it does. */
  readonly degraded: () => OnOutage | undefined
  readonly close: () => Promise<void>
}

export type SharedLimitsOptions = {
  readonly store: PermitStore
  readonly onOutage: OnOutage
  /** How many instances are alive, this one included. */
  readonly instances: () => number
  readonly maxBuckets: (tier: string) => number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  readonly onEvicted?: (tier: string) => void
  /** Decisions without the store. */
  readonly onDegraded?: () => void
}

/** As long as an instance may keep what it leased ahead. */
const HOLD_MS = 500
/** Permits for calls that wait are spent as soon as they arrive. */
const AT_ONCE_MS = 5
const RETURN_EVERY_MS = 100
const DENIED_MOST_MS = 1000
/** A limit is leased ahead in parts of this many per instance; a smaller one call by call, so that it is exact. */
const PARTS = 4

type Lease = {
  readonly tier: string
  readonly key: string
  readonly name: string
  permits: number
  run: number
  until: number
  deniedUntil: number
  /** A limit that was raised since is asked for again at once. */
  deniedLimit: number
  retryAt: number
  /** Calls of this half second, and of the one before. */
  count: number
  before: number
  since: number
  waiting: number
  /** Admitted without the store, which counts it once it answers. */
  owed: number
  pending: Promise<void> | undefined
}
type Wanted = { readonly lease: Lease; readonly limit: number }

const ALLOWED: SharedVerdict = { allowed: true }

export function createSharedLimits(options: SharedLimitsOptions): SharedLimits {
  const { store, onOutage, instances, monotonic } = options
  const tiers = new Map<string, { readonly leases: Map<string, Lease>; readonly own: RateWindow }>()
  /** Leases with permits that were leased ahead. */
  const ahead = new Set<Lease>()
  let refunds: PermitRefund[] = []

  function tierOf(name: string) {
    const known = tiers.get(name)
    if (known) return known
    // What this instance admitted itself: its share of the limit while the store is away.
    const own = createRateWindow({
      maxBuckets: options.maxBuckets(name),
      monotonic,
      onEvicted: () => options.onEvicted?.(name),
    })
    const tier = { leases: new Map<string, Lease>(), own }
    tiers.set(name, tier)
    return tier
  }

  function leaseOf(name: string, key: string): Lease {
    const { leases } = tierOf(name)
    const known = leases.get(key)
    if (known) return known
    if (leases.size >= options.maxBuckets(name)) {
      const [oldest] = leases.values()
      if (oldest && oldest.pending === undefined) {
        release(oldest)
        leases.delete(oldest.key)
      }
    }
    // The store holds no names or addresses of callers.
    const hash = createHash('sha256').update(key).digest('base64url').slice(0, 22)
    const made: Lease = {
      tier: name,
      key,
      name: `${name}:${hash}`,
      permits: 0,
      run: 0,
      until: 0,
      deniedUntil: 0,
      deniedLimit: 0,
      retryAt: 0,
      count: 0,
      before: 0,
      since: monotonic(),
      waiting: 0,
      owed: 0,
      pending: undefined,
    }
    leases.set(key, made)
    return made
  }

  function release(lease: Lease): void {
    ahead.delete(lease)
    if (lease.permits > 0) refunds.push({ key: lease.name, run: lease.run, count: lease.permits })
    lease.permits = 0
  }

  const has = (lease: Lease, nowMs: number): boolean => lease.permits > 0 && nowMs < lease.until

  function spend(lease: Lease, limit: number, nowMs: number): void {
    lease.permits -= 1
    if (lease.permits === 0) ahead.delete(lease)
    if (nowMs - lease.since >= HOLD_MS) {
      lease.before = nowMs - lease.since < 2 * HOLD_MS ? lease.count : 0
      lease.count = 0
      lease.since = nowMs
    }
    lease.count += 1
    tierOf(lease.tier).own.take(lease.key, limit)
  }

  function wantOf({ lease, limit }: Wanted): PermitWant {
    const most = Math.floor(limit / (PARTS * Math.max(1, instances())))
    const use = monotonic() - lease.since < 2 * HOLD_MS ? Math.max(lease.before, lease.count) : 0
    const want = Math.max(lease.waiting, 1, Math.min(use, most))
    return { key: lease.name, limit, want: want + lease.owed, holdMs: want > lease.waiting ? HOLD_MS : AT_ONCE_MS }
  }

  function received(
    wanted: readonly Wanted[],
    wants: readonly PermitWant[],
    answer: PermitAnswer,
    sentAt: number,
  ): void {
    const nowMs = monotonic()
    if (!answer.ok) {
      const denied = wanted[answer.index]
      if (denied === undefined) return
      denied.lease.deniedLimit = denied.limit
      denied.lease.deniedUntil = nowMs + Math.min(answer.retryAfterMs, DENIED_MOST_MS)
      denied.lease.retryAt = nowMs + answer.retryAfterMs
      return
    }
    for (const [at, { lease }] of wanted.entries()) {
      const grant = answer.grants[at]
      if (grant === undefined) continue
      release(lease)
      const paid = Math.min(lease.owed, grant.count)
      lease.owed -= paid
      lease.permits = grant.count - paid
      lease.run = grant.run
      const holdMs = wants[at]?.holdMs ?? 0
      // From before the request: the store began to count after it.
      lease.until = Math.max(sentAt + holdMs, nowMs + AT_ONCE_MS)
      if (lease.permits > 0) ahead.add(lease)
    }
  }

  /** One request for all of them; other calls wait for it and then look again. */
  function lease(wanted: readonly Wanted[]): Promise<void> {
    const wants = wanted.map(wantOf)
    const sentAt = monotonic()
    const returned = refunds
    refunds = []
    const pending = store
      .take(wants, returned)
      .then((answer) => received(wanted, wants, answer, sentAt))
      .finally(() => {
        for (const { lease } of wanted) lease.pending = undefined
      })
    for (const { lease } of wanted) lease.pending = pending
    return pending
  }

  function refusedNow(wanted: readonly Wanted[], nowMs: number): Refused | undefined {
    const over = wanted.find(
      ({ lease, limit }) => nowMs < lease.deniedUntil && limit <= lease.deniedLimit && !has(lease, nowMs),
    )
    return over && { allowed: false, retryAfterMs: Math.max(1, over.lease.retryAt - nowMs), limit: over.limit }
  }

  function alone(wanted: readonly Wanted[]): SharedVerdict {
    options.onDegraded?.()
    if (onOutage === 'open') return ALLOWED
    for (const { lease, limit } of wanted) {
      if (onOutage === 'closed') return { allowed: false, retryAfterMs: 1000, limit }
      const share = Math.max(1, Math.floor(limit / Math.max(1, instances())))
      const verdict = tierOf(lease.tier).own.take(lease.key, share)
      if (!verdict.allowed) return { allowed: false, retryAfterMs: verdict.retryAfterMs, limit: share }
      lease.owed = Math.min(share, lease.owed + 1)
    }
    return ALLOWED
  }

  function settled(wanted: readonly Wanted[]): SharedVerdict | undefined {
    const nowMs = monotonic()
    if (wanted.every(({ lease }) => has(lease, nowMs))) {
      for (const { lease, limit } of wanted) spend(lease, limit, nowMs)
      return ALLOWED
    }
    return store.up() ? refusedNow(wanted, nowMs) : alone(wanted)
  }

  async function leased(wanted: readonly Wanted[]): Promise<SharedVerdict> {
    for (const { lease } of wanted) lease.waiting += 1
    try {
      for (;;) {
        const nowMs = monotonic()
        const missing = wanted.filter(({ lease }) => !has(lease, nowMs))
        const busy = missing.find(({ lease }) => lease.pending !== undefined)
        await (busy ? busy.lease.pending : lease(missing))
        const verdict = settled(wanted)
        if (verdict) return verdict
      }
    } catch {
      // The store has become unavailable, which it reports itself.
      return alone(wanted)
    } finally {
      for (const { lease } of wanted) lease.waiting -= 1
    }
  }

  async function giveBack(): Promise<void> {
    const nowMs = monotonic()
    for (const each of ahead) if (nowMs >= each.until) release(each)
    if (refunds.length === 0 || !store.up()) return
    const returned = refunds
    refunds = []
    // What is not returned expires after a minute.
    await store.take([], returned).catch(() => undefined)
  }

  function sweep(): void {
    for (const { leases, own } of tiers.values()) {
      own.sweep()
      for (const each of leases.values())
        if (
          each.pending === undefined &&
          each.permits === 0 &&
          monotonic() - each.since > 2 * HOLD_MS &&
          monotonic() >= each.deniedUntil
        )
          leases.delete(each.key)
    }
  }

  const returning = setInterval(() => void giveBack(), RETURN_EVERY_MS)
  const sweeping = setInterval(sweep, 60_000)
  returning.unref()
  sweeping.unref()

  return {
    take(tier, takes) {
      const wanted = takes.map(({ key, limit }) => ({ lease: leaseOf(tier, key), limit }))
      return settled(wanted) ?? leased(wanted)
    },
    look: (tier, { key, limit }) => {
      const known = tiers.get(tier)?.leases.get(key)
      const refused = known && refusedNow([{ lease: known, limit }], monotonic())
      return refused ?? tierOf(tier).own.look(key, limit)
    },
    sizes: () => Object.fromEntries([...tiers].map(([name, { leases }]) => [name, leases.size])),
    degraded: () => (store.up() ? undefined : onOutage),
    async close() {
      clearInterval(returning)
      clearInterval(sweeping)
      for (const each of ahead) release(each)
      await giveBack()
      await store.close()
    },
  }
}
