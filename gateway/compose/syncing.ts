// Follows other instances of the database where REGISTRY_SYNC allows for them; nothing runs without it.

import { createRegistrySync, isConfiguration, type RegistrySync } from '../jobs/registry-sync.ts'
import { relayEvents } from '../live/event-relay.ts'
import { loadConsumers } from '../operations/access/consumers.ts'
import { listenNotices, sendNotice } from '../storage/postgres-notices.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

export type Syncing = Pick<RegistrySync, 'start' | 'stop' | 'ageMs'>

export function createSyncing(base: Foundation, calls: Calls): Syncing | undefined {
  const { settings, database, metrics, presence, log, follow, peers, processes } = base
  if (!settings.REGISTRY_SYNC || database.path === ':memory:') return undefined
  const { breakers, quarantines, monitorStates, quota, budgets } = calls
  const sync = createRegistrySync({
    ...base,
    ...calls,
    fullEveryMs: settings.REGISTRY_SYNC_INTERVAL_MS,
    refreshConsumers: () => loadConsumers(database.query, quota),
    refreshes: [quarantines.refresh, monitorStates.refresh, budgets.reload],
    onRemoved: breakers.forget,
    onVersion(version) {
      metrics.set('mcp_registry_version', version)
      presence.applied(version)
    },
  })
  const relay = relayEvents({ ...base, ageMs: sync.ageMs })
  peers.on('cache_purge', ({ client, tool }) => void calls.kept?.purge(client, tool))
  // A purge may be among what was missed.
  peers.onGap(() => calls.kept?.clear())
  const url = settings.DATABASE_URL_DIRECT ?? settings.DATABASE_URL
  let notices: ReturnType<typeof listenNotices> | undefined
  const leave = follow(({ action }) => {
    if (!isConfiguration(action)) return
    processes?.hint('changes')
    // The others look twice a second.
    if (url !== null) sendNotice(database.query, 'gantry_changes').catch(() => undefined)
  })
  return {
    ageMs: sync.ageMs,
    start() {
      // Listens before the first comparison, which is a full one: nothing is missed between the two.
      if (url !== null)
        notices = listenNotices(url, { onNotice: { gantry_changes: sync.soon, gantry_messages: peers.soon }, log })
      processes?.onHint({ changes: sync.soon, messages: peers.soon })
      sync.start()
      peers.start()
    },
    async stop() {
      leave()
      await notices?.close()
      await sync.stop()
      relay.close()
      await peers.stop()
    },
  }
}
