// What one instance does for all about the calls that were made: what is old enough is forgotten, what is amiss is told.
import { createLeaderLoop, type LeaderLoop } from '../jobs/leader-loop.ts'
import { newestCall, pruneRollups, rollUp } from '../storage/call-rollups.ts'
import { type Pruned, prune } from '../storage/prune.ts'
import type { Foundation } from './foundation.ts'

export type Observing = { readonly start: () => void; readonly stop: () => Promise<void> }

const HOUR_MS = 3_600_000

export function createObserving(base: Foundation, leads: () => boolean, others: readonly LeaderLoop[]): Observing {
  const loops = [pruning(base, leads), addingUp(base, leads), ...others]
  return {
    start() {
      for (const loop of loops) loop.start()
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

const ADD_UP_MS = 30_000

/** Rows get their ids before they are committed: a row that others passed is there one round later. */
function addingUp({ database, log }: Foundation, leads: () => boolean) {
  let lastId = 0
  return createLeaderLoop({
    name: 'adding up calls',
    everyMs: ADD_UP_MS,
    leads,
    log,
    async work() {
      while (await rollUp(database, lastId));
      lastId = await newestCall(database.query)
    },
  })
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
      await pruneRollups(database, clock.now() - settings.USAGE_RETENTION_MS)
    },
  })
}
