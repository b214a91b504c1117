// What this instance states of itself to the others: program, load, and whether its limits are those of all.
import { performance } from 'node:perf_hooks'
import type { Http } from '../http/server.ts'
import type { Report } from '../storage/instances.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

const LEAST_MS = 1000

export function reportOf(
  { version, monotonic }: Pick<Foundation, 'version' | 'monotonic'>,
  { sessions }: Pick<Calls, 'sessions'>,
  { limits }: Pick<Http, 'limits'>,
): () => Report {
  let sinceMs = monotonic()
  let before = performance.eventLoopUtilization()
  let loadPercent = 0
  return () => {
    if (monotonic() - sinceMs >= LEAST_MS) {
      const now = performance.eventLoopUtilization()
      loadPercent = Math.round(performance.eventLoopUtilization(now, before).utilization * 100)
      before = now
      sinceMs = monotonic()
    }
    return {
      version,
      loadPercent,
      sessions: sessions.list().length,
      memoryBytes: process.memoryUsage.rss(),
      limitsDegraded: limits.degraded() ?? null,
    }
  }
}
