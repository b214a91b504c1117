// Follows other instances of the database where REGISTRY_SYNC allows for them; nothing runs without it.
import { createRegistrySync } from '../jobs/registry-sync.ts'
import type { Rounds } from '../jobs/rounds.ts'
import { loadConsumers } from '../operations/access/consumers.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

export function createSyncing(base: Foundation, calls: Calls): Rounds | undefined {
  const { settings, database, metrics } = base
  if (!settings.REGISTRY_SYNC || database.path === ':memory:') return undefined
  const { breakers, quarantines, monitorStates, quota } = calls
  return createRegistrySync({
    ...base,
    ...calls,
    fullEveryMs: settings.REGISTRY_SYNC_INTERVAL_MS,
    refreshConsumers: () => loadConsumers(database.query, quota),
    refreshes: [quarantines.refresh, monitorStates.refresh],
    onRemoved: breakers.forget,
    onVersion: (version) => metrics.set('mcp_registry_version', version),
  })
}
