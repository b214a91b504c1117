// Everything a tool call meets: the registry, the guard stack, the dispatch, the surfaces' directory and their sessions.
import type { DataPlane } from '../auth/data-plane.ts'
import type { ManagedKeys } from '../auth/managed-keys.ts'
import type { Limits } from '../http/limits.ts'
import type { Json } from '../mcp/json-text.ts'
import { loadConsumers } from '../operations/access/consumers.ts'
import { type Credentials, createCredentials } from '../registry/credentials.ts'
import { type Curated, createCurated } from '../registry/curated.ts'
import type { HealthLoop } from '../registry/health.ts'
import { createRegistry, type LiveRegistry } from '../registry/registry.ts'
import { createWsTargets, type WsTargets } from '../registry/ws-targets.ts'
import { createListChanges, type ListChanges } from '../surfaces/list-changes.ts'
import type { ListCursors } from '../surfaces/list-cursors.ts'
import type { RemoteCalls } from '../surfaces/remote-calls.ts'
import type { Sessions } from '../surfaces/sessions.ts'
import type { SuspendedCalls } from '../surfaces/suspended-calls.ts'
import type { Upstreams } from '../upstream/index.ts'
import type { Programs } from '../upstream/programs/index.ts'
import { createAccess } from './access.ts'
import { type CallPolicy, createCallPolicy } from './call-policy.ts'
import { type CallRecords, createCallRecords } from './call-records.ts'
import { followRegistry } from './following.ts'
import type { Foundation } from './foundation.ts'
import { createHealth } from './health.ts'
import { createIdentity, type Identity } from './identity.ts'
import { createRunner, type Runner } from './runner.ts'
import { createSealedSessions } from './sessions.ts'
import { createUpstreamDoors } from './upstream-doors.ts'

export type Calls = Omit<CallPolicy, 'chainOf'> &
  Pick<CallRecords, 'callLog' | 'capturing'> &
  Runner & {
    readonly registry: LiveRegistry
    readonly curated: Curated
    readonly wsTargets: WsTargets
    readonly credentials: Credentials
    readonly identity: Identity
    readonly upstreams: Upstreams
    readonly health: HealthLoop
    readonly sessions: Sessions
    readonly listChanges: ListChanges
    readonly managedKeys: ManagedKeys
    readonly suspended: SuspendedCalls<Json>
    readonly listCursors: ListCursors
    readonly dataPlane: DataPlane
    readonly remoteCalls: RemoteCalls
    readonly rotateSessionKey: () => Promise<void>
    close(): Promise<void>
  }

/** `onListChanged`: an upstream has changed the list of its tools. */
export async function createCalls(
  base: Foundation,
  limits: Limits,
  programs: Programs,
  onListChanged: (client: string) => void,
): Promise<Calls> {
  const { settings, monotonic, database } = base
  const credentials = createCredentials({
    ...base,
    query: database.query,
    tokenTimeoutMs: settings.OAUTH_TOKEN_TIMEOUT_MS,
  })
  const registry = createRegistry({ ...base, query: database.query, credentials })
  const { upstreams, closeDoors } = createUpstreamDoors(base, registry, programs, (client, kind) => {
    if (kind === 'tools') onListChanged(client)
    else listChanges.changed([`client:${client}`], kind)
  })
  const identity = createIdentity(base, registry)
  identity.onEnded(upstreams.endPerson)
  const policy = createCallPolicy(base, { registry, limits, identity: identity.actings })
  const { quota, budgets, quarantines, monitorStates } = policy
  const records = createCallRecords(base, registry)
  const runner = createRunner(base, { registry, policy, records, connections: upstreams.connections })
  const health = createHealth(base, registry, upstreams, programs.whyDown)
  const curated = createCurated(database.query)
  const wsTargets = createWsTargets({ ...base, query: database.query })
  await Promise.all([
    registry.load(),
    curated.load(),
    wsTargets.load(),
    loadConsumers(database.query, quota),
    budgets.reload(),
    quarantines.refresh(),
    monitorStates.refresh(),
  ])
  await monitorStates.adopt(registry.all())
  const following = followRegistry(base, { registry, upstreams, targets: runner.targets, quarantines, monitorStates })
  const { closeSessions, ...sealed } = await createSealedSessions(base, ({ conversation }) =>
    upstreams.leave(conversation.key),
  )
  const { sessions, suspended } = sealed
  const listChanges = createListChanges(sessions, monotonic)
  const access = await createAccess(base, { registry, wsTargets, sessions })

  const { chainOf: _chain, ...decided } = policy
  return {
    ...decided,
    ...runner,
    ...access,
    callLog: records.callLog,
    capturing: records.capturing,
    registry,
    curated,
    wsTargets,
    credentials,
    identity,
    upstreams,
    health,
    ...sealed,
    listChanges,
    async close() {
      following.stop()
      await policy.approvals.close()
      await policy.quota.close()
      suspended.close()
      await health.stop()
      await identity.vault.settled()
      listChanges.close()
      await closeSessions()
      await upstreams.closeAll()
      await closeDoors()
      await records.close()
      await access.managedKeys.close()
    },
  }
}
