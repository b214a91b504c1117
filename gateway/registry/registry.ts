// The live backends: the database's content in memory, replaced as a whole on changes. Restored without network access.

import { inTurns } from '../discovery/in-turns.ts'
import type { Base } from '../records/base.ts'
import { allBackends, type BackendRow, backendByName, toolsOf } from '../storage/backends.ts'
import { lbTargetsOf } from '../storage/lb-targets.ts'
import type { Query } from '../storage/schema.ts'
import type { Backend, HealthState, LocalBackend, Registry, RegistryEvent } from './backend.ts'
import type { Credentials } from './credentials.ts'
import { snapshot } from './snapshot.ts'

export type LiveRegistry = Registry & {
  /** Reads everything at the start. */
  load(): Promise<void>
  /** Reloads a backend after a committed change; removes a deleted one. */
  reload(name: string, what: 'registered' | 'changed'): Promise<void>
  /** Removes the live state only: the row and its configuration stay. */
  tearDown(name: string): Promise<boolean>
  /** Rejects calls from now on; the returned function reverts this if the deletion fails. */
  leave(name: string): () => void
  /** The administrator's view, including torn-down backends. */
  known(name: string): Backend | undefined
  all(): readonly Backend[]
  /** Makes a backend without an address live, on this instance. Calls go to `local`, or to a local server. False without such a backend. */
  attach(name: string, local?: LocalBackend): boolean
  local(name: string): LocalBackend | undefined
  /** Announces that a backend's tools must be listed again, without a configuration change. */
  announce(name: string): void
  note(name: string, health: Partial<HealthState>): void
}

type RegistryDeps = Pick<Base, 'outbound' | 'log'> & {
  readonly query: Query
  readonly credentials: Credentials
}

type Entry = {
  readonly backend: Backend
  readonly health: HealthState
  /** False if torn down or not attached: hidden from calls and probes. */
  readonly live: boolean
  readonly local?: LocalBackend
}

const byName = (backends: Iterable<Backend>): readonly Backend[] =>
  [...backends].sort((a, b) => (a.name < b.name ? -1 : 1))

const unknownHealth = (lastSeenAt: string | null, evictedAt: string | null, lastError: string | null): HealthState => ({
  status: evictedAt === null ? 'healthy' : 'unreachable',
  consecutiveFailures: 0,
  lastCheckedAt: null,
  lastSeenAt,
  lastError,
  evictedAt,
})

export function createRegistry({ query, outbound, credentials, log }: RegistryDeps): LiveRegistry {
  const entries = new Map<string, Entry>()
  const leaving = new Set<string>()
  const listeners = new Set<(event: RegistryEvent) => void>()
  let sorted: { readonly live: readonly Backend[]; readonly all: readonly Backend[] } | undefined
  /** Reloads are sequential, so that an older read never replaces a newer one. */
  let turn: Promise<unknown> = Promise.resolve()

  const live = (name: string): Entry | undefined => {
    const entry = entries.get(name)
    return entry?.live ? entry : undefined
  }

  const lists = () =>
    (sorted ??= {
      live: byName([...entries.values()].flatMap((entry) => (entry.live ? [entry.backend] : []))),
      all: byName([...entries.values()].map(({ backend }) => backend)),
    })

  const tell = (event: RegistryEvent): void => {
    sorted = undefined
    for (const listener of listeners) listener(event)
  }

  const dropLive = async (name: string): Promise<void> => {
    credentials.forget(name)
    await outbound.drop(name)
  }

  async function read(row: BackendRow): Promise<Backend> {
    const targets = row.lb === null ? [] : await lbTargetsOf(query, row.id)
    return snapshot(row, await toolsOf(query, row.id), targets, outbound)
  }

  async function reload(name: string, what: 'registered' | 'changed'): Promise<void> {
    const row = await backendByName(query, name)
    if (row === undefined) {
      if (!entries.delete(name)) return
      await dropLive(name)
      tell({ type: 'removed', client: name })
      return
    }
    const backend = await read(row)
    const before = entries.get(name)
    credentials.forget(name)
    // A new pin gets a new pool; running calls finish on the old one.
    const kept = what === 'changed' && before?.backend.id === row.id ? before : undefined
    entries.set(name, {
      backend,
      // Only a registration restores a torn-down backend; an in-process backend exists once attached.
      live: kept?.live ?? backend.pins !== null,
      health: kept?.health ?? unknownHealth(row.last_seen_at, row.evicted_at, row.last_error),
      ...(kept?.local ? { local: kept.local } : {}),
    })
    tell({ type: what, client: name })
  }

  return {
    get: (name) => live(name)?.backend,
    list: () => lists().live,
    known: (name) => entries.get(name)?.backend,
    all: () => lists().all,
    health: (name) => live(name)?.health,
    isLive: (name) => live(name) !== undefined,
    isLeaving: (name) => leaving.has(name),
    isEvicted: (name) => live(name)?.health.evictedAt != null,
    credential: (name) => credentials.get(name),
    refreshCredential: (name) => credentials.refresh(name),
    local: (name) => entries.get(name)?.local,

    async load() {
      // One at a time: all rows at once would block the event loop and be promoted in the heap.
      await inTurns(await allBackends(query), async (row) => {
        try {
          const backend = await read(row)
          const health = unknownHealth(row.last_seen_at, row.evicted_at, row.last_error)
          entries.set(row.name, { backend, health, live: backend.pins !== null })
        } catch (error) {
          // An unreadable row must not affect the others; it stays in the database.
          log.error('a backend could not be restored', { client: row.name, error })
        }
      })
      sorted = undefined
    },

    reload(name, what) {
      const mine = turn.then(() => reload(name, what))
      turn = mine.catch(() => undefined)
      return mine
    },

    leave(name) {
      leaving.add(name)
      return () => void leaving.delete(name)
    },

    async tearDown(name) {
      const entry = live(name)
      if (!entry) return false
      entries.set(name, { ...entry, live: false })
      await dropLive(name)
      tell({ type: 'torn_down', client: name })
      return true
    },

    attach(name, local) {
      const entry = entries.get(name)
      if (!entry || entry.backend.pins !== null) return false
      entries.set(name, { ...entry, ...(local ? { local } : {}), live: true })
      tell({ type: 'registered', client: name })
      return true
    },

    announce(name) {
      if (entries.has(name)) tell({ type: 'changed', client: name })
    },

    note(name, health) {
      const entry = live(name)
      if (!entry) return
      const evictedBefore = entry.health.evictedAt !== null
      const statusBefore = entry.health.status
      Object.assign(entry.health, health)
      const evicted = entry.health.evictedAt !== null
      if (evicted !== evictedBefore || entry.health.status !== statusBefore)
        tell({ type: 'health', client: name, status: entry.health.status, evicted })
    },

    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
