// WebSocket targets: created with their address vetted and pinned, changed, removed, and all their connections closed. Contract 7.8, 9.6.
import type { WsTarget, WsTargetChange, WsTargetInput } from '../../contract/admin/ws-targets.ts'
import { GatewayError } from '../../contract/error.ts'
import { NAME } from '../../contract/names.ts'
import type { Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Outbound } from '../../net/outbound.ts'
import { type Changes, difference, type Revision, requireRevision } from '../../records/changes.ts'
import { requireNoBackend, requireNoTarget } from '../../records/shared-names.ts'
import { addressesOf, type WsTargets as LiveTargets } from '../../registry/ws-targets.ts'
import type { Database } from '../../storage/database.ts'
import { afterName, type Paging, pageByName } from '../../storage/page.ts'
import type { Query } from '../../storage/schema.ts'
import {
  deleteWsTarget,
  insertWsTarget,
  updateWsTarget,
  type WsTargetRow,
  wsTargetByName,
  wsTargetsAfter,
} from '../../storage/ws-targets.ts'
import type { ByActor } from './backends.ts'

/** What is going on at the targets just now. */
export type WsTraffic = {
  active(name: string): number
  state(name: string): WsTarget['circuitBreakerState']
  /** Closes them; how many there were. */
  disconnect(name: string): number
}

type Parts = {
  readonly database: Pick<Database, 'query'>
  readonly changes: Changes
  readonly outbound: Pick<Outbound, 'pinSocket'>
  readonly live: Pick<LiveTargets, 'reload'>
  readonly traffic: WsTraffic
  readonly clock: { now(): number }
}
export type WsTargets = ReturnType<typeof createWsTargetOperations>

const notFound = (): GatewayError => new GatewayError('WS_PROXY_TARGET_NOT_FOUND', 'There is no such WebSocket target')

/** What of a row anybody set. */
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
    addresses: JSON.stringify(addresses),
    max_connections: settings.maxConnections,
    max_message_bytes: settings.maxMessageBytes,
    idle_timeout_ms: settings.idleTimeoutMs,
    enabled: settings.enabled ? 1 : 0,
  }) as const

async function required(query: Query, actor: Actor, name: string): Promise<WsTargetRow> {
  const row = await wsTargetByName(query, name)
  if (row === undefined || !mayTouch(actor, { teamId: row.team_id })) throw notFound()
  return row
}

export function createWsTargetOperations({ database, changes, outbound, live, traffic, clock }: Parts) {
  const { query } = database
  const at = (): string => new Date(clock.now()).toISOString()

  const present = (row: WsTargetRow): WsTarget => ({
    name: row.name,
    ...settingsOf(row),
    resolvedIp: addressesOf(row)[0] ?? null,
    activeConnections: traffic.active(row.name),
    circuitBreakerState: traffic.state(row.name),
    teamId: row.team_id,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: row.created_by,
  })
  const vetted = async (url: string): Promise<readonly string[]> =>
    (await outbound.pinSocket(url, 'backendWsUrl')).addresses

  return {
    async list({ teamId }: Actor, { limit, cursor }: Paging): Promise<Page<WsTarget>> {
      const rows = await wsTargetsAfter(query, { after: afterName(cursor), teamId, limit: limit + 1 })
      return pageByName(rows.map(present), limit, ({ name }) => name)
    },

    get: async (actor: Actor, name: string): Promise<WsTarget> => present(await required(query, actor, name)),

    async create(by: ByActor, { name, ...settings }: WsTargetInput): Promise<WsTarget> {
      if (!NAME.test(name))
        throw new GatewayError(
          'INVALID_NAME',
          `"${name.slice(0, 80)}" is no name of a WebSocket target: it must match ${NAME.source}`,
        )
      const addresses = await vetted(settings.backendWsUrl)
      await changes(by, async (tx, audit) => {
        await requireNoBackend(tx, name)
        await requireNoTarget(tx, name)
        const created = at()
        await insertWsTarget(tx, {
          name,
          ...columnsOf(settings, addresses),
          team_id: by.actor.teamId,
          revision: 1,
          created_at: created,
          updated_at: created,
          created_by: by.actor.name,
        })
        await audit('ws_proxy_target.create', name, { after: settings })
      })
      await live.reload(name)
      return present(await required(query, by.actor, name))
    },

    async update(by: ByActor, name: string, change: WsTargetChange, expected: readonly Revision[]): Promise<WsTarget> {
      // Asked first, so that nobody has an address vetted for a target that is none of theirs.
      await required(query, by.actor, name)
      const fresh = change.backendWsUrl === undefined ? undefined : await vetted(change.backendWsUrl)
      const moved = await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, name)
        requireRevision(row.revision, expected)
        const before = settingsOf(row)
        const wanted = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
        const after = { ...before, ...wanted }
        const different = difference(before, after)
        // The same address given again is pinned anew.
        const addresses = fresh ?? addressesOf(row)
        if (!different && JSON.stringify(addresses) === row.addresses) return false
        await updateWsTarget(tx, row.id, { ...columnsOf(after, addresses), updated_at: at() })
        await audit('ws_proxy_target.update', name, different ?? { repinned: true })
        return true
      })
      if (moved) await live.reload(name)
      return present(await required(query, by.actor, name))
    },

    async delete(by: ByActor, name: string, expected: readonly Revision[]): Promise<void> {
      await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, name)
        requireRevision(row.revision, expected)
        await deleteWsTarget(tx, row.id)
        await audit('ws_proxy_target.delete', name, { before: settingsOf(row) })
      })
      await live.reload(name)
    },

    async disconnectAll(by: ByActor, name: string): Promise<{ closed: number }> {
      await required(query, by.actor, name)
      const closed = traffic.disconnect(name)
      await changes(by, (_tx, audit) => audit('ws_proxy_target.disconnect_all', name, { closed }))
      return { closed }
    },
  }
}
