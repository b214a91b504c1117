// Registering a backend, discovering it again, and looking before either. Contract 4: nothing half-registered, nothing configured lost.

import { GatewayError } from '../../contract/error.ts'
import {
  type DiscoveryPreview,
  type RegisterResult,
  type RegistrationPayload,
  type SourceInput,
  type ToolDiff,
} from '../../contract/registration.ts'
import { type Actor, mayTouch, mayUse } from '../../contract/role.ts'
import { inTurns } from '../../discovery/in-turns.ts'
import { lossesIn } from '../../discovery/model-limits.ts'
import { listedTool, nameClashes, previewTool } from '../../discovery/preview.ts'
import type { DiscoveredTool } from '../../discovery/tool.ts'
import type { Base } from '../../records/base.ts'
import type { Audit, By } from '../../records/changes.ts'
import { requireNoTarget } from '../../records/shared-names.ts'
import type { Backend } from '../../registry/backend.ts'
import { classify, type Payload, type Plan, type Planner, type SourceAuth } from '../../registry/plan.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { storePins } from '../../registry/snapshot.ts'
import { withKeptNames } from '../../registry/stored-names.ts'
import { type BackendRow, backendByName, insertBackend, updateBackend } from '../../storage/backends.ts'
import type { Tx } from '../../storage/schema.ts'
import { boundAgain, requireAdminToKeep, wouldDetach } from './credential-binding.ts'
import { compareTools, prepareTools, storeTools } from './discovered-tools.ts'
import { discoveredAnnotations, discoveredTitle } from './present.ts'
import { isRereadable, withoutSecrets } from './registration-payload.ts'
import { type Revetted, revetted } from './target-pins.ts'
import { type SealedAuth, sealAuth } from './upstream-auth.ts'

type RegistrationDeps = Pick<Base, 'database' | 'changes' | 'outbound' | 'box' | 'clock'> & {
  readonly registry: LiveRegistry
  readonly plan: Planner
}

export type Registration = ReturnType<typeof createRegistration>

type Who = By & { readonly actor: Actor }

/** What comes with a registration beside its payload. */
export type Along = {
  readonly warnings?: readonly string[]
  /** A credential given with it: sealed before anything is stored, sent to the source from the start. */
  readonly auth?: { readonly source: SourceAuth; readonly sealed: SealedAuth }
  /** An admin sends the credential that is stored to the address of this registration. */
  readonly keepCredential?: boolean | undefined
  /** Written in the same transaction. */
  readonly audit?: (audit: Audit) => Promise<void>
}

/** What a registration came to, or would come to. */
type Stored = {
  readonly tools: readonly DiscoveredTool[]
  readonly diff: ToolDiff | undefined
  readonly warnings: readonly string[]
}

/** Ready to be written, in whichever transaction. */
type Prepared = {
  readonly name: string
  readonly description: string | undefined
  readonly row: Omit<BackendRow, 'id' | keyof ReturnType<typeof fresh> | Unset> & Partial<SealedAuth>
  readonly planned: Plan
  readonly warnings: string[]
  readonly keepCredential: boolean
  readonly others: Revetted
  readonly tools: Awaited<ReturnType<typeof prepareTools>>
}
type Unset =
  | 'description'
  | 'guards'
  | 'upstream_auth'
  | 'upstream_auth_info'
  | 'oauth_secret'
  | 'oauth_info'
  | 'canary'
  | 'lb'
  | 'last_seen_at'

const FETCHED: readonly SourceInput[] = ['openapi_url', 'graphql_url', 'mcp_url']

const collision = (message: string): GatewayError => new GatewayError('NAME_COLLISION', message)

/** Names of another kind, and other teams' backends, are taken. */
function checkFree(
  actor: Actor,
  known: { readonly name: string; readonly kind: string; readonly teamId: number | null } | undefined,
  kind: Plan['kind'],
): void {
  if (known === undefined) return
  if (!mayTouch(actor, known)) throw collision(`The name "${known.name}" is taken`)
  if (known.kind !== kind)
    throw collision(
      `"${known.name}" is a backend of kind "${known.kind}" already; choose another name or delete it first`,
    )
}

const definitions = (backend: Backend | undefined): ReadonlyMap<string, DiscoveredTool> =>
  new Map(
    [...(backend?.tools.values() ?? [])]
      .filter(({ missingSince }) => missingSince === null)
      .map(({ name, definition }) => [name, definition]),
  )

/** As they would be stored now. */
const namedAsKnown = (backend: Backend | undefined, tools: readonly DiscoveredTool[]): readonly DiscoveredTool[] =>
  withKeptNames(
    [...(backend?.tools.values() ?? [])].map(({ name, definition }) => ({ name, definition: () => definition })),
    tools,
  )

const listedAs = (kind: Plan['kind'], tool: DiscoveredTool): RegisterResult['tools'][number] => ({
  name: tool.name,
  sourceName: tool.sourceName,
  description: tool.description,
  ...(tool.method === undefined ? {} : { method: tool.method }),
  title: discoveredTitle(tool),
  annotations: discoveredAnnotations(kind, tool),
})

function previewed(
  kind: Plan['kind'],
  tool: DiscoveredTool,
  clash: string | undefined,
): DiscoveryPreview['tools'][number] {
  const { schemaBytes, estTokens, lint } = previewTool(tool, clash)
  return {
    ...listedAs(kind, tool),
    ...(tool.endpoint === undefined ? {} : { endpoint: tool.endpoint }),
    inputSchema: { ...tool.inputSchema },
    schemaBytes,
    estTokens,
    lint: [...lint],
  }
}

export function createRegistration({ database, changes, registry, plan, outbound, box, clock }: RegistrationDeps) {
  const knownAs = (name: string | undefined): Backend | undefined =>
    name === undefined ? undefined : registry.known(name)

  /** The row decides, not the live state: a backend that is torn down or damaged has its name still. */
  async function checkStored(actor: Actor, name: string | undefined, kind: Plan['kind']): Promise<void> {
    if (name !== undefined) await requireNoTarget(database.query, name)
    const row = name === undefined ? undefined : await backendByName(database.query, name)
    checkFree(actor, row ? { ...row, teamId: row.team_id } : knownAs(name), kind)
  }

  /** What the backend is called with already, for a source that lives where the API does. */
  async function sourceAuth(known: Backend | undefined, input: SourceInput): Promise<SourceAuth | undefined> {
    if (known === undefined || !FETCHED.includes(input)) return undefined
    return registry.credential(known.name)
  }

  /** Stored sealed when there is a key to seal it with; dropped otherwise. A warning says which. */
  async function sealFound(name: string, { credential }: Plan, warnings: string[]): Promise<SealedAuth | undefined> {
    if (credential === undefined) return undefined
    if (!box.configured) {
      warnings.push(
        'A credential was found and dropped, because no encryption key is configured: set SECRET_ENCRYPTION_KEY and then the upstream credential of this backend.',
      )
      return undefined
    }
    const sealed = await sealAuth(box, name, credential, new Date(clock.now()).toISOString())
    warnings.push(
      'A credential was found and stored as the upstream credential of this backend; it is not part of any tool.',
    )
    return sealed
  }

  /** All that takes the network or the key service, before anything is written. */
  async function prepare(
    name: string,
    payload: Payload,
    planned: Plan,
    { warnings: extra = [], auth, keepCredential = false }: Along = {},
  ): Promise<Prepared> {
    const others = await revetted(database.query, outbound, name)
    const warnings = [...extra, ...planned.warnings, ...others.warnings]
    const sealed = auth?.sealed ?? (await sealFound(name, planned, warnings))
    const at = new Date(clock.now()).toISOString()
    const row = {
      kind: planned.kind,
      source: planned.source,
      input: planned.input,
      registration: JSON.stringify(withoutSecrets({ ...payload, name }, planned)),
      base_url: planned.baseUrl,
      health_url: planned.healthUrl,
      pins: storePins(planned.pins),
      pinned_at: at,
      discovered_at: at,
      updated_at: at,
      // A registration states that the backend exists: an eviction ends, and the health loop judges again.
      evicted_at: null,
      last_error: null,
      ...sealed,
    }
    const { description } = payload
    const tools = await prepareTools(planned.discovery.tools)
    return { name, description, row, planned, warnings, keepCredential, others, tools }
  }

  async function write(
    tx: Tx,
    audit: Audit,
    by: Who,
    { name, row: found, planned, warnings, keepCredential, others, tools: prepared, ...given }: Prepared,
    action: 'client.register' | 'client.rediscover',
  ): Promise<Stored> {
    const known = await backendByName(tx, name)
    // Asked before the discovery as well; another request may have been faster in the meantime.
    await requireNoTarget(tx, name)
    checkFree(by.actor, known && { ...known, teamId: known.team_id }, planned.kind)
    // Whether it was given or found in the source: a stored credential is an admin's.
    if (known?.upstream_auth && found.upstream_auth && !mayUse(by.actor, 'admin'))
      throw new GatewayError('FORBIDDEN', `Only an admin may replace the credential of "${name}"`)
    const description = given.description ?? known?.description ?? null
    const binding = boundAgain(found, known, keepCredential)
    const row = { ...found, ...binding.columns }
    warnings.push(...binding.warnings)
    if (known) await updateBackend(tx, known.id, { ...row, ...(await others.write(tx, known)), description })
    const id = known?.id ?? (await insertBackend(tx, { ...row, ...fresh(by, name, row.updated_at), description }))
    const stored = await storeTools(tx, id, prepared, row.updated_at)
    for (const { tool, alias } of stored.clashes)
      warnings.push(`The alias "${alias}" of "${tool}" is now the name of another tool too: change the alias.`)
    await audit(action, name, { ...countsOf(planned, stored.diff), ...binding.detail })
    if ('upstream_auth' in row) await audit('client.upstream_auth.set', name, { value: '[set]' })
    return { tools: stored.tools, diff: known ? stored.diff : undefined, warnings }
  }

  async function store(
    by: Who,
    name: string,
    payload: Payload,
    planned: Plan,
    action: 'client.register' | 'client.rediscover',
    along: Along = {},
  ): Promise<Stored> {
    const prepared = await prepare(name, payload, planned, along)
    const stored = await changes(by, async (tx, audit) => {
      const written = await write(tx, audit, by, prepared, action)
      await along.audit?.(audit)
      return written
    })
    await registry.reload(name, 'registered')
    return stored
  }

  /** Judged and discovered, and nothing written. */
  async function planFor(by: Who, payload: RegistrationPayload, { auth }: Along): Promise<Plan> {
    const { kind, input } = classify(payload)
    await checkStored(by.actor, payload.name, kind)
    return plan(payload, auth?.source ?? (await sourceAuth(knownAs(payload.name), input)))
  }

  /** Reads the source again without resolving a name; undefined where there is no source. */
  async function planAtPins(known: Backend): Promise<Plan | undefined> {
    const { registration, input, pins } = known
    if (registration === null || input === null || pins === null || !FETCHED.includes(input)) return undefined
    return plan(registration, await sourceAuth(known, input), pins)
  }

  async function result(
    name: string,
    planned: Plan,
    { tools: discovered, warnings, diff }: Stored,
  ): Promise<RegisterResult> {
    const tools = await inTurns(discovered, (tool) => listedAs(planned.kind, tool))
    return {
      status: 'registered',
      name,
      tools_count: tools.length,
      source: planned.source,
      ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
      input: planned.input,
      kind: planned.kind,
      mcpPath: `/mcp/${name}`,
      tools,
      ...(diff === undefined ? {} : { diff }),
    }
  }

  return {
    async register(by: Who, payload: RegistrationPayload, along: Along = {}): Promise<RegisterResult> {
      const { name } = payload
      requireAdminToKeep(by.actor, along.keepCredential)
      const planned = await planFor(by, payload, along)
      return result(name, planned, await store(by, name, payload, planned, 'client.register', along))
    },

    /** Discovers now and writes in a transaction of the caller's; the caller reloads the backend once it is committed. */
    async stage(
      by: Who,
      payload: RegistrationPayload,
      along: Along = {},
    ): Promise<(tx: Tx, audit: Audit) => Promise<void>> {
      const prepared = await prepare(payload.name, payload, await planFor(by, payload, along), along)
      return async (tx, audit) => void (await write(tx, audit, by, prepared, 'client.register'))
    },

    async rediscover(by: Who, name: string, dryRun: boolean, keepCredential = false): Promise<RegisterResult> {
      requireAdminToKeep(by.actor, keepCredential)
      const known = registry.get(name)
      if (known === undefined || !mayTouch(by.actor, known))
        throw new GatewayError('CLIENT_NOT_FOUND', 'Client not found')
      const { registration, input } = known
      if (registration === null || input === null || !isRereadable(registration, input))
        throw new GatewayError(
          'NOT_REDISCOVERABLE',
          'The source of this backend is not kept and cannot be read again: register it with the new definition',
        )
      const planned = await plan(registration, await sourceAuth(known, input))
      if (!dryRun)
        return result(
          name,
          planned,
          await store(by, name, registration, planned, 'client.rediscover', { keepCredential }),
        )
      const tools = namedAsKnown(known, planned.discovery.tools)
      const diff = await compareTools(definitions(known), tools)
      const warnings = [...planned.warnings, ...(keepCredential ? [] : wouldDetach(known, planned))]
      return result(name, planned, { tools, diff, warnings })
    },

    /**
     * The tools its source lists now, under their stored names, read at the stored addresses; undefined where there is
     * no source to read.
     */
    async reread(name: string): Promise<readonly DiscoveredTool[] | undefined> {
      const known = registry.get(name)
      const planned = known && (await planAtPins(known))
      return planned && namedAsKnown(known, planned.discovery.tools)
    },

    /** Stores the tools its source lists now, read at the stored addresses. No address, credential or health changes. */
    async refresh(by: Who, name: string): Promise<void> {
      const known = registry.get(name)
      const planned = known && (await planAtPins(known))
      if (!planned) return
      const prepared = await prepareTools(planned.discovery.tools)
      const at = new Date(clock.now()).toISOString()
      await changes(by, async (tx, audit) => {
        const row = await backendByName(tx, name)
        // A backend that was registered, re-discovered or moved in the meantime has a newer list, or one of another place.
        const { id, discoveredAt, pinnedAt } = known
        if (row?.id !== id || row.discovered_at !== discoveredAt || row.pinned_at !== pinnedAt) return
        await updateBackend(tx, row.id, { discovered_at: at, updated_at: at })
        const { diff } = await storeTools(tx, row.id, prepared, at)
        await audit('client.rediscover', name, { ...countsOf(planned, diff), at: 'stored addresses' })
      })
      await registry.reload(name, 'changed')
    },

    vet: plan.vet,

    async preview(
      actor: Actor,
      payload: Payload,
      extra: readonly string[] = [],
      auth?: SourceAuth,
    ): Promise<DiscoveryPreview> {
      const { kind, input } = classify(payload)
      const known = knownAs(payload.name)
      await checkStored(actor, payload.name, kind)
      const planned = await plan(payload, auth ?? (await sourceAuth(known, input)))
      const { skipped } = planned.discovery
      const tools = namedAsKnown(known, planned.discovery.tools)
      const clashes = nameClashes(tools)
      return {
        source: planned.source,
        input: planned.input,
        kind: planned.kind,
        count: tools.length,
        warnings: [...extra, ...planned.warnings, ...lossesIn(tools.map((tool) => listedTool(tool, payload.name)))],
        ...(known ? { diff: await compareTools(definitions(known), tools) } : {}),
        tools: await inTurns(tools, (tool) => previewed(planned.kind, tool, clashes.get(tool.name))),
        skipped: skipped.map(({ operation, reason }) => ({ operation, reason })),
      }
    },
  }
}

const countsOf = ({ input, kind }: Plan, { added, removed, changed }: ToolDiff) => ({
  input,
  kind,
  added: added.length,
  removed: removed.length,
  changed: changed.length,
})

const fresh = (by: Who, name: string, at: string) =>
  ({
    name,
    enabled: 1,
    tags: '[]',
    team_id: by.actor.teamId,
    revision: 1,
    created_at: at,
    created_by: by.actor.name,
  }) satisfies Partial<BackendRow>
