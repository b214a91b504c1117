// Permits of the processes of one gateway, in the memory of their parent: one clock, and no process that ends takes counts along.
import {
  lastEnd,
  type PermitAnswer,
  type PermitRefund,
  type PermitWant,
  type Runs,
  refundedRuns,
  takenRuns,
} from '../storage/permits.ts'

/** Addresses come and go; the oldest counts leave first. */
const MOST_KEYS = 500_000
const TRIM_EVERY_MS = 10_000

export function createPermitTable(monotonic: () => number) {
  const held = new Map<string, Runs>()
  let trimmedAtMs = monotonic()

  function store(key: string, runs: Runs): void {
    held.delete(key)
    if (runs.length > 0) held.set(key, runs)
    if (held.size > MOST_KEYS) held.delete(held.keys().next().value ?? key)
  }

  return {
    /** The same rules as in Redis and in the database. */
    take(wants: readonly PermitWant[], refunds: readonly PermitRefund[]): PermitAnswer {
      const nowMs = Math.floor(monotonic())
      if (nowMs - trimmedAtMs > TRIM_EVERY_MS) {
        trimmedAtMs = nowMs
        for (const [key, runs] of held) if (lastEnd(runs) <= nowMs) held.delete(key)
      }
      for (const refund of refunds) store(refund.key, refundedRuns(held.get(refund.key) ?? [], refund, nowMs))
      const grants: { readonly count: number; readonly run: number }[] = []
      const taken: (readonly [string, Runs])[] = []
      for (const [index, want] of wants.entries()) {
        const each = takenRuns(held.get(want.key) ?? [], want, nowMs)
        if (!each.ok) return { ok: false, index, retryAfterMs: each.retryAfterMs }
        grants.push({ count: each.count, run: each.run })
        taken.push([want.key, each.runs])
      }
      for (const [key, runs] of taken) store(key, runs)
      return { ok: true, grants }
    },
    size: (): number => held.size,
  }
}
