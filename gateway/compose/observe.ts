// What one instance does for all about past calls: old ones are removed, faults raise alerts.
import { createLeaderLoop } from '../jobs/leader-loop.ts'
import type { Rounds } from '../jobs/rounds.ts'
import { anyExpired } from '../storage/call-retention.ts'
import { newestCall, rolledTo } from '../storage/call-rollups.ts'
import { createUpkeep, type Upkeep } from '../storage/upkeep.ts'
import type { Foundation } from './foundation.ts'

export type Observing = { readonly start: () => void; readonly stop: () => Promise<void> }

const HOUR_MS = 3_600_000

export function createObserving(base: Foundation, leads: () => boolean, others: readonly Rounds[]): Observing {
  const upkeep = createUpkeep(base.database)
  const loops = [pruning(base, leads, upkeep), addingUp(base, leads, upkeep), ...others]
  return {
    start() {
      for (const loop of loops) loop.start()
    },
    async stop() {
      await upkeep.close()
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

const ADD_UP_MS = 30_000

/** Rows get their ids before they are committed: a row that others passed is there one round later. */
function addingUp({ database, log }: Foundation, leads: () => boolean, upkeep: Upkeep) {
  let lastId = 0
  return createLeaderLoop({
    name: 'adding up calls',
    everyMs: ADD_UP_MS,
    leads,
    log,
    async work() {
      if (lastId > (await rolledTo(database))) await upkeep.do('rollUp', { lastId })
      lastId = await newestCall(database.query)
    },
  })
}

function pruning({ settings, clock, log, database }: Foundation, leads: () => boolean, upkeep: Upkeep) {
  return createLeaderLoop({
    name: 'forgetting old calls',
    everyMs: HOUR_MS,
    leads,
    log,
    async work() {
      const now = clock.now()
      const before = {
        now,
        calls: now - settings.USAGE_RETENTION_MS,
        traffic: now - settings.TRAFFIC_RETENTION_MS,
        spans: now - settings.TRACE_RETENTION_MS,
      }
      if (await anyExpired(database, before)) await upkeep.do('prune', before)
    },
  })
}
