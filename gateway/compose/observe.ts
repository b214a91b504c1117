// What one instance does for all about the calls that were made: what is old enough is forgotten, what is amiss is told.
import { createLeaderLoop, type LeaderLoop } from '../jobs/leader-loop.ts'
import { type Pruned, prune } from '../storage/prune.ts'
import type { Foundation } from './foundation.ts'

export type Observing = { readonly start: () => void; readonly stop: () => Promise<void> }

const HOUR_MS = 3_600_000

export function createObserving(base: Foundation, leads: () => boolean, others: readonly LeaderLoop[]): Observing {
  const loops = [pruning(base, leads), ...others]
  return {
    start() {
      for (const loop of loops) loop.start()
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

function pruning({ settings, database, clock, log }: Foundation, leads: () => boolean) {
  const kept: readonly (readonly [Pruned, number])[] = [
    ['calls', settings.USAGE_RETENTION_MS],
    ['traffic', settings.TRAFFIC_RETENTION_MS],
    ['spans', settings.TRACE_RETENTION_MS],
  ]
  return createLeaderLoop({
    name: 'forgetting old calls',
    everyMs: HOUR_MS,
    leads,
    log,
    async work() {
      for (const [table, keptMs] of kept) await prune(database, table, clock.now() - keptMs)
    },
  })
}
