// Permits of limits that several instances share: a store grants them in batches, and counts what it granted in the last minute.

export const PERMIT_WINDOW_MS = 60_000

export type PermitWant = {
  readonly key: string
  /** Per window. */
  readonly limit: number
  readonly want: number
  /** How long the holder may keep unspent permits. They count for as much longer, so that no window holds more than the limit. */
  readonly holdMs: number
}
/** Unspent permits that go back into the run they were granted in. */
export type PermitRefund = { readonly key: string; readonly run: number; readonly count: number }

export type PermitAnswer =
  | { readonly ok: true; readonly grants: readonly { readonly count: number; readonly run: number }[] }
  /** Which want had no permit left. None of them was granted. */
  | { readonly ok: false; readonly index: number; readonly retryAfterMs: number }

export type PermitStore = {
  /** All or none of the wants, in one step, on the clock of the store. Rejects within a bound when the store does not answer. */
  take(wants: readonly PermitWant[], refunds: readonly PermitRefund[]): Promise<PermitAnswer>
  /** False while the store does not answer; it becomes true again without a `take`. */
  up(): boolean
  close(): Promise<void>
}

/** `[ends, count, ends, count, …]`: how many permits count until when. */
export type Runs = readonly number[]

/** The runs that still count. A clock that was set back makes no run longer than one granted now. */
function current(runs: Runs, nowMs: number, latestMs: number): number[] {
  const kept: number[] = []
  for (let at = 0; at < runs.length; at += 2) {
    const ends = Math.min(runs[at] ?? 0, latestMs)
    const count = runs[at + 1] ?? 0
    if (ends > nowMs && count > 0) kept.push(ends, count)
  }
  return kept
}

export const LONGEST_HOLD_MS = 1000
const latestOf = (nowMs: number): number => nowMs + PERMIT_WINDOW_MS + LONGEST_HOLD_MS

export function refundedRuns(runs: Runs, { run, count }: Pick<PermitRefund, 'run' | 'count'>, nowMs: number): number[] {
  const kept = current(runs, nowMs, latestOf(nowMs))
  for (let at = 0; at < kept.length; at += 2)
    if (kept[at] === run) kept[at + 1] = Math.max(0, (kept[at + 1] ?? 0) - count)
  return current(kept, nowMs, latestOf(nowMs))
}

type Taken =
  | { readonly ok: true; readonly runs: number[]; readonly count: number; readonly run: number }
  | { readonly ok: false; readonly runs: number[]; readonly retryAfterMs: number }

/** The same rules as the script of `redis-permits.ts`; a test compares them. */
export function takenRuns(given: Runs, { limit, want, holdMs }: Omit<PermitWant, 'key'>, nowMs: number): Taken {
  const runs = current(given, nowMs, latestOf(nowMs))
  let total = 0
  let first = Number.POSITIVE_INFINITY
  for (let at = 0; at < runs.length; at += 2) {
    total += runs[at + 1] ?? 0
    first = Math.min(first, runs[at] ?? first)
  }
  const count = Math.min(want, limit - total)
  if (count <= 0) return { ok: false, runs, retryAfterMs: Math.max(1, first - nowMs) }
  const run = nowMs + PERMIT_WINDOW_MS + holdMs
  if (runs.at(-2) === run) runs[runs.length - 1] = (runs.at(-1) ?? 0) + count
  else runs.push(run, count)
  return { ok: true, runs, count, run }
}

export function lastEnd(runs: Runs): number {
  let last = 0
  for (let at = 0; at < runs.length; at += 2) last = Math.max(last, runs[at] ?? 0)
  return last
}
