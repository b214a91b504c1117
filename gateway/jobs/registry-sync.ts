// Applies what other instances changed in the database. Polls its version, and reloads the records that differ from memory.
import type { ManagedKeys } from '../auth/managed-keys.ts'
import type { Base } from '../records/base.ts'
import type { Curated } from '../registry/curated.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import type { WsTargets } from '../registry/ws-targets.ts'
import { liveKeyRows } from '../storage/mcp-keys.ts'
import {
  backendVersion,
  backendVersions,
  changesSince,
  databaseVersion,
  recordVersions,
  staleIn,
  versionOf,
} from '../storage/versions.ts'
import { createRounds, type PromptRounds } from './rounds.ts'

type RegistrySyncDeps = Pick<Base, 'log' | 'monotonic'> & {
  readonly database: Pick<Base['database'], 'query'>
  /** A full pass: of what no version announces, and of backends that were torn down here. */
  readonly fullEveryMs: number
  readonly registry: Pick<LiveRegistry, 'all' | 'known' | 'isLive' | 'reload'>
  readonly curated: Pick<Curated, 'bundles' | 'composites' | 'reloadBundle' | 'reloadComposite'>
  readonly wsTargets: Pick<WsTargets, 'all' | 'reload'>
  readonly managedKeys: Pick<ManagedKeys, 'stored' | 'refresh'>
  /** Before keys: a key must not be applied without the quota that it counts for. */
  readonly refreshConsumers: () => Promise<void>
  /** What is small enough to be read again as a whole. */
  readonly refreshes: readonly (() => Promise<void>)[]
  readonly onRemoved: (client: string) => void
  readonly onVersion: (version: number) => void
}

const POLL_MS = 500
/** Entries that say nothing about what calls meet. */
const IDLE =
  /^(?:alert|approval|audit|auth|backup|mcp_session|system|traces|traffic)\.|^tool\.(?:call|test|cache\.purge)$/

/** Whether other instances have something to apply after it. */
export const isConfiguration = (action: string): boolean => !IDLE.test(action)

/** Reloads what differs from the database. */
function reconcilerOf(deps: RegistrySyncDeps): (isFull: boolean) => Promise<void> {
  const { log, registry, curated, wsTargets, managedKeys } = deps
  const { query } = deps.database

  /** A record that cannot be read must not keep the others from being applied. */
  async function each<T>(what: string, all: Iterable<T>, reload: (one: T) => Promise<void>): Promise<void> {
    for (const one of all)
      await reload(one).catch((error: unknown) =>
        log.warn('a change of another instance could not be applied', { [what]: one, error }),
      )
  }

  async function syncKeys(): Promise<void> {
    const stored = new Map((await liveKeyRows(query)).map((row) => [row.id, row]))
    const live = new Map([...managedKeys.stored()].map((row) => [row.id, row]))
    const changed = [...new Set([...live.keys(), ...stored.keys()])].filter(
      (id) => live.get(id)?.revision !== stored.get(id)?.revision,
    )
    // Which setting has changed is unknown here: what the key has open ends, except where its value was rotated.
    await each('key', changed, (id) => managedKeys.refresh(id, live.get(id)?.key_hash === stored.get(id)?.key_hash))
  }

  async function syncBackends(isFull: boolean): Promise<void> {
    const live = new Map(
      registry.all().map(({ id, name, revision, tools }) => {
        let revisions = 0
        for (const tool of tools.values()) revisions += tool.revision
        return [name, backendVersion({ id, revision, tools: tools.size, revisions })]
      }),
    )
    const stored = await backendVersions(query)
    const stale = new Set(staleIn(live, stored))
    const isTornDown = (name: string): boolean => !registry.isLive(name) && registry.known(name)?.pins !== null
    if (isFull) for (const name of stored.keys()) if (isTornDown(name)) stale.add(name)
    await each('client', stale, async (name) => {
      const isNew = !live.has(name) || (isFull && isTornDown(name))
      await registry.reload(name, isNew ? 'registered' : 'changed')
      if (registry.known(name) === undefined) deps.onRemoved(name)
    })
  }

  async function syncRecords(): Promise<void> {
    const versions = <T extends { readonly id: number; readonly name: string; readonly revision: number }>(
      records: readonly T[],
    ) => new Map(records.map((record) => [record.name, versionOf(record)]))
    const stale = async (table: Parameters<typeof recordVersions>[1], live: ReturnType<typeof versions>) =>
      staleIn(live, await recordVersions(query, table))
    await each('target', await stale('ws_targets', versions(wsTargets.all())), wsTargets.reload)
    await each('composite', await stale('composites', versions(curated.composites())), curated.reloadComposite)
    await each('bundle', await stale('bundles', versions(curated.bundles())), curated.reloadBundle)
  }

  return async (isFull) => {
    // First what refuses.
    await deps.refreshConsumers()
    await syncKeys()
    await syncBackends(isFull)
    await syncRecords()
    for (const refresh of deps.refreshes) await refresh()
  }
}

export type RegistrySync = PromptRounds & {
  /** Since the configuration was last compared with the database. */
  readonly ageMs: () => number
}

export function createRegistrySync(deps: RegistrySyncDeps): RegistrySync {
  const { database, log, monotonic, fullEveryMs } = deps
  const { query } = database
  const reconcile = reconcilerOf(deps)
  let version: number | undefined
  let fullAtMs = Number.NEGATIVE_INFINITY
  let failing = false
  // At the start it was just loaded.
  let verifiedAtMs = monotonic()

  async function pass(): Promise<void> {
    const beganAtMs = monotonic()
    const isFull = version === undefined || monotonic() - fullAtMs >= fullEveryMs
    // Read before the records: a change during the pass is seen by the next one.
    const { version: next, actions } =
      version === undefined
        ? { version: await databaseVersion(query), actions: [] }
        : await changesSince(query, version)
    if (isFull || actions.some(isConfiguration)) {
      await reconcile(isFull)
      if (isFull) fullAtMs = monotonic()
    }
    // From before the first look: what changed later may be missing.
    verifiedAtMs = beganAtMs
    if (next === version) return
    version = next
    deps.onVersion(next)
  }

  const rounds = createRounds(Math.min(POLL_MS, fullEveryMs), async () => {
    try {
      await pass()
      if (failing) log.info('changes of other instances are applied again')
      failing = false
    } catch (error) {
      if (!failing) log.warn('changes of other instances could not be read, and are tried again', { error })
      failing = true
    }
  })
  return { ...rounds, ageMs: () => monotonic() - verifiedAtMs }
}
