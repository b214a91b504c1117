// WebSocket targets: created with their address vetted and pinned, changed, removed, and all their connections closed. Contract 7.8, 9.6.

import type { WsTarget, WsTargetInput } from '../../contract/admin/ws-targets.ts'
import { GatewayError } from '../../contract/error.ts'
import { NAME } from '../../contract/names.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { createOwned, ownerOf, type RecordBase } from '../../records/owned.ts'
import { requireNoBackend, requireNoTarget } from '../../records/shared-names.ts'
import { addressesOf, type WsTargets as LiveTargets } from '../../registry/ws-targets.ts'
import { jsonText } from '../../storage/json-text.ts'
import { type WsTargetRow, wsTargetRows } from '../../storage/ws-targets.ts'

/** What is going on at the targets just now. */
export type WsTraffic = {
  active(name: string): number
  state(name: string): WsTarget['circuitBreakerState']
  /** Closes them; how many there were. */
  disconnect(name: string): number
}

type WsTargetOperationsDeps = RecordBase &
  Pick<Base, 'outbound'> & {
    readonly live: Pick<LiveTargets, 'reload'>
    readonly traffic: WsTraffic
  }

/** The fields that an administrator sets. */
export const settingsOf = (row: WsTargetRow): Omit<WsTargetInput, 'name'> => ({
  backendWsUrl: row.url,
  maxConnections: row.max_connections,
  maxMessageBytes: row.max_message_bytes,
  idleTimeoutMs: row.idle_timeout_ms,
  enabled: row.enabled === 1,
})

export const columnsOf = (settings: Omit<WsTargetInput, 'name'>, addresses: readonly string[]) =>
  ({
    url: settings.backendWsUrl,
    addresses: jsonText(addresses),
    max_connections: settings.maxConnections,
    max_message_bytes: settings.maxMessageBytes,
    idle_timeout_ms: settings.idleTimeoutMs,
    enabled: settings.enabled ? 1 : 0,
  }) as const

export function createWsTargetOperations({ outbound, live, traffic, ...base }: WsTargetOperationsDeps) {
  const present = (row: WsTargetRow): WsTarget => ({
    name: row.name,
    ...settingsOf(row),
    resolvedIp: addressesOf(row)[0] ?? null,
    activeConnections: traffic.active(row.name),
    circuitBreakerState: traffic.state(row.name),
    ...ownerOf(row),
  })

  const owned = createOwned(
    {
      rows: wsTargetRows,
      noun: 'ws_proxy_target',
      key: 'name',
      order: 'name',
      notFound: () => new GatewayError('WS_PROXY_TARGET_NOT_FOUND', 'There is no such WebSocket target'),
      settingsOf: (row): WsTargetInput => ({ name: row.name, ...settingsOf(row) }),
      prepare: async ({ backendWsUrl }) =>
        backendWsUrl === undefined ? undefined : (await outbound.pinSocket(backendWsUrl, 'backendWsUrl')).addresses,
      columnsOf: (settings, { row, prepared }) => columnsOf(settings, prepared ?? (row ? addressesOf(row) : [])),
      present,
      check(settings) {
        const { name } = settings
        if (NAME.test(name)) return settings
        throw new GatewayError(
          'INVALID_NAME',
          `"${name.slice(0, 80)}" is no name of a WebSocket target: it must match ${NAME.source}`,
        )
      },
      async requireFree(tx, name) {
        await requireNoBackend(tx, name)
        await requireNoTarget(tx, name)
      },
      saved: ({ name }) => live.reload(name),
      detach: async (_tx, { name }) => ({ committed: () => live.reload(name) }),
    },
    base,
  )

  return {
    ...owned,

    async disconnectAll(by: By, name: string): Promise<{ closed: number }> {
      await owned.required(base.database.query, by.actor, name)
      const closed = traffic.disconnect(name)
      await base.changes(by, (_tx, audit) => audit('ws_proxy_target.disconnect_all', name, { closed }))
      return { closed }
    },
  }
}
