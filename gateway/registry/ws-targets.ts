// The live WebSocket targets: the database's content in memory, each replaced on change. Contract 9.6.

import type { Pin } from '../net/pin.ts'
import type { Base } from '../records/base.ts'
import type { Settings } from '../settings/table.ts'
import { fromText } from '../storage/json-text.ts'
import type { Query } from '../storage/schema.ts'
import { type WsTargetRow, wsTargetRows } from '../storage/ws-targets.ts'

export type LiveWsTarget = {
  readonly id: number
  readonly name: string
  readonly pin: Pin
  readonly path: string
  /** Its own limit, or the gateway's. */
  readonly maxConnections: number
  readonly maxMessageBytes: number
  readonly idleTimeoutMs: number
  readonly enabled: boolean
  readonly teamId: number | null
  readonly revision: number
}

export type WsTargets = ReturnType<typeof createWsTargets>

type WsTargetsDeps = Pick<Base, 'outbound' | 'log'> & {
  readonly query: Query
  readonly settings: Pick<
    Settings,
    'WS_PROXY_DEFAULT_MAX_CONNECTIONS' | 'WS_PROXY_DEFAULT_MAX_MESSAGE_BYTES' | 'WS_PROXY_DEFAULT_IDLE_TIMEOUT_MS'
  >
}

// Written in this shape by operations/backends/ws-targets.ts.
export const addressesOf = ({ addresses }: Pick<WsTargetRow, 'addresses'>): string[] => fromText(addresses)

export function createWsTargets({ query, outbound, settings, log }: WsTargetsDeps) {
  const targets = new Map<string, LiveWsTarget>()
  const listeners = new Set<(name: string, what: 'changed' | 'removed') => void>()
  /** Reloads are sequential, so that an older read never replaces a newer one. */
  let turn: Promise<unknown> = Promise.resolve()

  const targetOf = (row: WsTargetRow): LiveWsTarget => {
    const { pathname, search } = new URL(row.url)
    return {
      id: row.id,
      name: row.name,
      pin: outbound.repinSocket(row.url, addressesOf(row)),
      path: pathname + search,
      maxConnections: row.max_connections ?? settings.WS_PROXY_DEFAULT_MAX_CONNECTIONS,
      maxMessageBytes: row.max_message_bytes ?? settings.WS_PROXY_DEFAULT_MAX_MESSAGE_BYTES,
      idleTimeoutMs: row.idle_timeout_ms ?? settings.WS_PROXY_DEFAULT_IDLE_TIMEOUT_MS,
      enabled: row.enabled === 1,
      teamId: row.team_id,
      revision: row.revision,
    }
  }

  async function reload(name: string): Promise<void> {
    const row = await wsTargetRows.byName(query, name)
    const known = targets.has(name)
    if (row) targets.set(name, targetOf(row))
    else targets.delete(name)
    if (known) for (const listener of listeners) listener(name, row ? 'changed' : 'removed')
  }

  return {
    /** Reads everything at the start. */
    async load(): Promise<void> {
      for (const row of await wsTargetRows.all(query)) {
        try {
          targets.set(row.name, targetOf(row))
        } catch (error) {
          // An unreadable row must not affect the others; it stays in the database.
          log.error('a WebSocket target could not be restored', { target: row.name, error })
        }
      }
    },
    /** Reloads one after a committed change. */
    reload(name: string): Promise<void> {
      const mine = turn.then(() => reload(name))
      turn = mine.catch(() => undefined)
      return mine
    },
    get: (name: string): LiveWsTarget | undefined => targets.get(name),
    all: (): readonly LiveWsTarget[] => [...targets.values()],
    subscribe: (listener: (name: string, what: 'changed' | 'removed') => void): void => void listeners.add(listener),
  }
}
