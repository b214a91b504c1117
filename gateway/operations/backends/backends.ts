// Managing registered backends: enable, change, tag, reset, probe, tear down, forget. Contract 7.2.

import type { ClientDetail, ClientGuards, ClientSummary, Health } from '../../contract/admin/clients.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Page } from '../../contract/page.ts'
import type { RegistrationPayload } from '../../contract/registration.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { BreakerState } from '../../pipeline/5-breaker/breaker.ts'
import type { Breakers } from '../../pipeline/5-breaker/breakers.ts'
import type { Base } from '../../records/base.ts'
import { type Audit, type By, difference, type Revision, requireRevision } from '../../records/changes.ts'
import type { Backend, Pins } from '../../registry/backend.ts'
import type { CheckedHealth, HealthLoop } from '../../registry/health.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { localIn, storePins, withLocal } from '../../registry/snapshot.ts'
import { type BackendRow, backendByName, deleteBackend, updateBackend } from '../../storage/backends.ts'
import { fromText, type JsonText, jsonText } from '../../storage/json-text.ts'
import { afterName, type Paging, pageByName } from '../../storage/page.ts'
import type { Tx } from '../../storage/schema.ts'
import type { StoredPins } from '../../storage/stored.ts'
import type { Connections } from '../identity/connections.ts'
import { requireTeam } from '../people/teams.ts'
import { bindingFor, requireAdminToKeep } from './credential-binding.ts'
import { auditEnd } from './local-services.ts'
import type { Presenter } from './present.ts'

type BackendsDeps = Pick<Base, 'database' | 'changes' | 'outbound' | 'clock'> & {
  readonly registry: LiveRegistry
  readonly breakers: Breakers
  readonly health: HealthLoop
  readonly present: Presenter
  /** What ends the connections of people to a backend. */
  readonly ending: Connections['ending']
}

export type BackendChange = {
  readonly enabled?: boolean | undefined
  readonly description?: string | null | undefined
  readonly guards?: ClientGuards | null | undefined
  readonly healthUrl?: string | null | undefined
  readonly baseUrl?: string | undefined
  readonly retryNonSafeMethods?: boolean | undefined
  /** The stored credential goes to the address of the backend, whichever it is after the change. */
  readonly keepCredential?: boolean | undefined
}
export type BackendFilter = {
  readonly q?: string | undefined
  readonly status?: Health | undefined
  readonly enabled?: boolean | undefined
  readonly kind?: string | undefined
  readonly live?: boolean | undefined
  readonly tag?: string | undefined
  /** Asked before a row is built: what a key reaches of a long list must not cost the whole of it. */
  readonly within?: ((name: string) => boolean) | undefined
}

export type Backends = ReturnType<typeof createBackends>
type Moved = { pins: JsonText<StoredPins>; pinned_at: string; base_url: string; health_url: string | null }

const notFound = (): GatewayError => new GatewayError('CLIENT_NOT_FOUND', 'Client not found')

/** What has no address is of this process: a record or a file says what it is. */
const isOwn = (kind: string): GatewayError =>
  new GatewayError(
    'NOT_APPLICABLE',
    kind === 'pcg'
      ? 'This backend is an editor: change or remove it at /admin-api/pcg/editors'
      : 'This backend is a local server: change or remove it in the file of local servers on its machine',
  )

export function createBackends({
  database,
  changes,
  registry,
  outbound,
  breakers,
  health,
  present,
  clock,
  ending,
}: BackendsDeps) {
  const at = (): string => new Date(clock.now()).toISOString()

  function live(actor: Actor, name: string): Backend {
    const backend = registry.get(name)
    if (backend === undefined || !mayTouch(actor, backend)) throw notFound()
    return backend
  }

  /** A torn-down backend is not live, and still has its row. */
  async function rowOf(actor: Actor, name: string): Promise<BackendRow> {
    const row = await backendByName(database.query, name)
    if (row === undefined || !mayTouch(actor, { teamId: row.team_id })) throw notFound()
    return row
  }

  /** Live or torn down: what is stored is what an administrator reads and changes. */
  function known(actor: Actor, name: string): Backend {
    const backend = registry.known(name)
    if (backend === undefined || !mayTouch(actor, backend)) throw notFound()
    return backend
  }

  async function get(actor: Actor, name: string): Promise<ClientDetail> {
    return present.detail(known(actor, name), await backendByName(database.query, name))
  }

  /** Whether it was the other way before; undefined where this owner may touch none. */
  async function switchIn(
    tx: Tx,
    audit: Audit,
    owner: Pick<Actor, 'teamId'>,
    name: string,
    enabled: boolean,
  ): Promise<boolean | undefined> {
    const row = await backendByName(tx, name)
    if (row === undefined || !mayTouch(owner, { teamId: row.team_id })) return undefined
    if ((row.enabled === 1) === enabled) return false
    await updateBackend(tx, row.id, { enabled: enabled ? 1 : 0, updated_at: at() })
    await audit(enabled ? 'client.enable' : 'client.disable', name)
    return true
  }

  async function setOneEnabled(by: By, name: string, enabled: boolean): Promise<boolean> {
    const moved = await changes(by, (tx, audit) => switchIn(tx, audit, by.actor, name, enabled))
    if (moved) await registry.reload(name, 'changed')
    return moved !== undefined
  }

  /** New pins for the addresses that were given; the others stay as they were vetted. */
  async function repinned(backend: Backend, change: BackendChange): Promise<Moved | undefined> {
    if (change.baseUrl === undefined && change.healthUrl === undefined) return undefined
    if (backend.pins === null) throw isOwn(backend.kind)
    const baseUrl = change.baseUrl ?? backend.baseUrl
    const healthUrl = change.healthUrl === undefined ? backend.healthUrl : change.healthUrl
    const { health: _health, ...kept } = backend.pins
    const base = change.baseUrl === undefined ? kept.base : await outbound.pin(change.baseUrl, 'baseUrl', kept.local)
    const healthPin =
      healthUrl === null
        ? undefined
        : change.healthUrl === undefined
          ? backend.pins.health
          : await outbound.pin(healthUrl, 'healthUrl', kept.local)
    const pins: Pins = { ...kept, base, ...(healthPin ? { health: healthPin } : {}) }
    return { pins: storePins(pins), pinned_at: at(), base_url: baseUrl, health_url: healthUrl }
  }

  return {
    list(actor: Actor, { limit, cursor, ...filter }: BackendFilter & Paging): Page<ClientSummary> {
      const after = afterName(cursor) ?? ''
      const wanted = filter.q?.toLowerCase()
      const found = registry
        .all()
        .filter(
          (backend) => backend.name > after && mayTouch(actor, backend) && (filter.within?.(backend.name) ?? true),
        )
        .map(present.summary)
        .filter(
          (row) =>
            (wanted === undefined ||
              row.name.includes(wanted) ||
              (row.description ?? '').toLowerCase().includes(wanted)) &&
            (filter.status === undefined || row.status === filter.status) &&
            (filter.enabled === undefined || row.enabled === filter.enabled) &&
            (filter.kind === undefined || row.kind === filter.kind) &&
            (filter.live === undefined || row.live === filter.live) &&
            (filter.tag === undefined || row.tags.includes(filter.tag)),
        )
      return pageByName(found.slice(0, limit + 1), limit, ({ name }) => name)
    },

    get,

    /** In the transaction of the caller, which reads the backend again once it is committed. */
    switchIn,

    async setEnabled(
      by: By,
      { names, enabled }: { readonly names: readonly string[]; readonly enabled: boolean },
    ): Promise<{ results: Record<string, boolean> }> {
      const results: Record<string, boolean> = {}
      for (const name of new Set(names)) results[name] = await setOneEnabled(by, name, enabled)
      return { results }
    },

    async update(by: By, name: string, change: BackendChange, expected: readonly Revision[]): Promise<ClientDetail> {
      requireAdminToKeep(by.actor, change.keepCredential)
      const row = await rowOf(by.actor, name)
      requireRevision(row.revision, expected)
      const backend = known(by.actor, name)
      if (backend.pins === null && (change.retryNonSafeMethods ?? change.baseUrl ?? change.healthUrl) !== undefined)
        throw isOwn(backend.kind)
      // The network is asked before the transaction, which then reads what is true by now.
      const moved = await repinned(backend, change)
      const { written, warnings } = await changes(by, async (tx, audit) => {
        const current = await backendByName(tx, name)
        if (current === undefined) throw notFound()
        requireRevision(current.revision, expected)
        // The permission as it is stored now: one that was revoked in the meantime does not come back.
        const now = moved && { ...moved, pins: withLocal(moved.pins, localIn(current.pins)) }
        const { columns, changed, guardsChanged, flips } = changedColumns(current, change, now)
        const urls =
          change.baseUrl === undefined && !change.keepCredential ? [] : [columns.base_url ?? current.base_url]
        const binding = bindingFor(current, urls, change.keepCredential)
        if (!changed && !guardsChanged && !flips && !binding.confirmed) return { ...binding, written: false }
        await updateBackend(tx, current.id, { ...columns, ...binding.columns, updated_at: at() })
        if (columns.pins !== undefined) await auditEnd(audit, name, current.pins, columns.pins)
        if (changed || binding.confirmed) await audit('client.update', name, { ...changed, ...binding.detail })
        if (guardsChanged) await audit('client.guards.update', name, guardsChanged)
        if (flips) await audit(change.enabled ? 'client.enable' : 'client.disable', name)
        return { ...binding, written: true }
      })
      if (written) {
        await registry.reload(name, 'changed')
        const now = registry.get(name)
        if (now) breakers.of(now)
      }
      const after = await get(by.actor, name)
      return warnings.length === 0 ? after : { ...after, warnings: [...warnings] }
    },

    async delete(by: By, name: string): Promise<void> {
      const row = await rowOf(by.actor, name)
      // A local server that the file no longer has is not live.
      if (row.kind === 'pcg' || (row.pins === null && registry.isLive(name))) throw isOwn(row.kind)
      const endConnections = await ending({ backend: name })
      const stay = registry.leave(name)
      try {
        await changes(by, async (tx, audit) => {
          await deleteBackend(tx, row.id)
          await audit('client.delete', name)
        })
        breakers.forget(name)
        await registry.reload(name, 'changed')
        await endConnections(by)
      } finally {
        // Gone by now, or back in service.
        stay()
      }
    },

    async teardown(by: By, name: string): Promise<void> {
      const { kind, pins } = live(by.actor, name)
      if (pins === null) throw isOwn(kind)
      await changes(by, (_tx, audit) => audit('client.teardown', name))
      breakers.forget(name)
      if (!(await registry.tearDown(name))) throw notFound()
    },

    async resetBreaker(by: By, name: string): Promise<{ name: string; state: 'closed'; previousState: BreakerState }> {
      const backend = registry.get(name)
      if (backend === undefined) {
        await rowOf(by.actor, name)
        throw new GatewayError('CLIENT_NOT_LIVE', 'The backend is torn down; register it again')
      }
      if (!mayTouch(by.actor, backend)) throw notFound()
      const previousState = breakers.of(backend).reset()
      await changes(by, (_tx, audit) => audit('client.circuit_breaker.reset', name, { previousState }))
      return { name, state: 'closed', previousState }
    },

    checkHealth: ({ actor }: By, name: string): Promise<CheckedHealth> => health.check(live(actor, name)),

    async setTeam(
      by: By,
      name: string,
      { teamId }: { readonly teamId: number | null },
      expected: readonly Revision[],
    ): Promise<ClientSummary> {
      await rowOf(by.actor, name)
      const written = await changes(by, async (tx, audit) => {
        const row = await backendByName(tx, name)
        if (row === undefined) throw notFound()
        requireRevision(row.revision, expected)
        await requireTeam(tx, teamId)
        const changed = difference({ teamId: row.team_id }, { teamId })
        if (!changed) return false
        await updateBackend(tx, row.id, { team_id: teamId, updated_at: at() })
        await audit('client.team.set', name, changed)
        return true
      })
      if (written) await registry.reload(name, 'changed')
      return present.summary(known(by.actor, name))
    },

    async setTags(
      by: By,
      name: string,
      { tags }: { readonly tags: readonly string[] },
    ): Promise<{ name: string; tags: string[] }> {
      const row = await rowOf(by.actor, name)
      const sorted = [...new Set(tags)].sort()
      const changed = difference({ tags: fromText(row.tags) }, { tags: sorted })
      if (changed) {
        await changes(by, async (tx, audit) => {
          await updateBackend(tx, row.id, { tags: jsonText(sorted), updated_at: at() })
          await audit('client.tags.set', name, changed)
        })
        await registry.reload(name, 'changed')
      }
      return { name, tags: sorted }
    },
  }
}

/** What a change writes, and what of it the audit log has. */
function changedColumns(row: BackendRow, change: BackendChange, moved: Moved | undefined) {
  const registration = fromText(row.registration)
  const guards = fromText(row.guards)
  const before = {
    description: row.description,
    healthUrl: row.health_url,
    baseUrl: row.base_url,
    pins: fromText(row.pins),
    retryNonSafeMethods: registration?.retry_non_safe_methods ?? false,
  }
  const after = {
    description: change.description === undefined ? row.description : change.description,
    healthUrl: moved ? moved.health_url : row.health_url,
    baseUrl: moved ? moved.base_url : row.base_url,
    pins: fromText(moved ? moved.pins : row.pins),
    retryNonSafeMethods: change.retryNonSafeMethods ?? before.retryNonSafeMethods,
  }
  const changed = difference(before, after)
  const guardsChanged = change.guards === undefined ? undefined : difference({ guards }, { guards: change.guards })
  const flips = change.enabled !== undefined && change.enabled !== (row.enabled === 1)
  const columns = {
    description: after.description,
    ...(changed && registration ? { registration: jsonText(reregistered(registration, row.kind, change)) } : {}),
    ...moved,
    ...(guardsChanged ? { guards: change.guards ? jsonText(change.guards) : null } : {}),
    ...(flips ? { enabled: change.enabled ? (1 as const) : (0 as const) } : {}),
  }
  return { columns, changed, guardsChanged, flips }
}

/** Re-discovery repeats what stands here, so a change of address is one of the source's as well. */
function reregistered(registration: RegistrationPayload, kind: string, change: BackendChange): RegistrationPayload {
  const { baseUrl, healthUrl, description, retryNonSafeMethods } = change
  const address = kind === 'mcp' ? 'mcp_url' : kind === 'graphql' ? 'graphql_url' : 'base_url'
  return {
    ...registration,
    ...(baseUrl === undefined ? {} : { [address]: baseUrl }),
    ...(healthUrl === undefined ? {} : { health_url: healthUrl ?? undefined }),
    ...(description === undefined ? {} : { description: description ?? undefined }),
    ...(retryNonSafeMethods === undefined ? {} : { retry_non_safe_methods: retryNonSafeMethods }),
  }
}
