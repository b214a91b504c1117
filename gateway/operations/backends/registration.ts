// Registering a backend, discovering it again, and looking before either. Contract 4: nothing half-registered, nothing configured lost.

import { GatewayError } from '../../contract/error.ts'
import {
  type DiscoveryPreview,
  type RegisterResult,
  type RegistrationPayload,
  type SourceInput,
} from '../../contract/registration.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import { inTurns } from '../../discovery/in-turns.ts'
import { lossesIn } from '../../discovery/model-limits.ts'
import { listedTool, nameClashes, previewTool } from '../../discovery/preview.ts'
import type { DiscoveredTool } from '../../discovery/tool.ts'
import type { Audit } from '../../records/changes.ts'
import { requireNoTarget } from '../../records/shared-names.ts'
import type { Backend, UpstreamCredential } from '../../registry/backend.ts'
import { classify, type Payload, type Plan, type Planner, type SourceAuth } from '../../registry/plan.ts'
import { withKeptNames } from '../../registry/stored-names.ts'
import { backendByName, updateBackend } from '../../storage/backends.ts'
import type { Tx } from '../../storage/schema.ts'
import type { AllowedService } from '../../storage/stored.ts'
import { requireAdminToKeep, wouldDetach } from './credential-binding.ts'
import { compareTools, prepareTools, storeTools } from './discovered-tools.ts'
import { discoveredAnnotations, discoveredTitle } from './present.ts'
import { isRereadable } from './registration-payload.ts'
import {
  type Along,
  checkFree,
  countsOf,
  createRegistrationStore,
  type RegistrationStoreDeps,
  type Stored,
  type Who,
} from './registration-store.ts'

type RegistrationDeps = RegistrationStoreDeps & {
  readonly plan: Planner
  /** The token of a person at a backend that is called as people; absent where there are none. */
  readonly credentialAs?: (actor: Actor, backend: Backend) => Promise<UpstreamCredential | undefined>
}

export type Registration = ReturnType<typeof createRegistration>

const FETCHED: readonly SourceInput[] = ['openapi_url', 'graphql_url', 'mcp_url']

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

export function createRegistration(deps: RegistrationDeps) {
  const { database, changes, registry, plan, clock } = deps
  const { prepare, write, store } = createRegistrationStore(deps)
  const knownAs = (name: string | undefined): Backend | undefined =>
    name === undefined ? undefined : registry.known(name)

  /** The row decides, not the live state: a backend that is torn down or damaged has its name still. */
  async function checkStored(actor: Actor, name: string | undefined, kind: Plan['kind']): Promise<void> {
    if (name !== undefined) await requireNoTarget(database.query, name)
    const row = name === undefined ? undefined : await backendByName(database.query, name)
    checkFree(actor, row ? { ...row, teamId: row.team_id } : knownAs(name), kind)
  }

  /** What the backend is called with already, for a source that lives where the API does. */
  async function sourceAuth(
    known: Backend | undefined,
    input: SourceInput,
    actor?: Actor,
  ): Promise<SourceAuth | undefined> {
    if (known === undefined || !FETCHED.includes(input)) return undefined
    // Who reads the source of such a backend reads it as themselves.
    const own = actor && (await deps.credentialAs?.(actor, known))
    return own ?? registry.credential(known.name)
  }

  /** Judged and discovered, and nothing written. */
  async function planFor(by: Who, payload: RegistrationPayload, { auth, local }: Along): Promise<Plan> {
    const { kind, input } = classify(payload)
    await checkStored(by.actor, payload.name, kind)
    const known = knownAs(payload.name)
    return plan(payload, auth?.source ?? (await sourceAuth(known, input, by.actor)), {
      local: local ?? known?.pins?.local,
      isNew: known === undefined,
    })
  }

  /** Reads the source again without resolving a name; undefined where there is no source. */
  async function planAtPins(known: Backend): Promise<Plan | undefined> {
    const { registration, input, pins } = known
    if (registration === null || input === null || pins === null || !FETCHED.includes(input)) return undefined
    return plan(registration, await sourceAuth(known, input), { pins })
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
      const { registration, input, source } = known
      if (source === 'program')
        throw new GatewayError('NOT_REDISCOVERABLE', 'The tools of a local server are read again when it is restarted')
      if (registration === null || input === null || !isRereadable(registration, input))
        throw new GatewayError(
          'NOT_REDISCOVERABLE',
          'The source of this backend is not kept and cannot be read again: register it with the new definition',
        )
      const planned = await plan(registration, await sourceAuth(known, input, by.actor), { local: known.pins?.local })
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
      { auth, local }: { readonly auth?: SourceAuth | undefined; readonly local?: AllowedService | undefined } = {},
    ): Promise<DiscoveryPreview> {
      const { kind, input } = classify(payload)
      const known = knownAs(payload.name)
      await checkStored(actor, payload.name, kind)
      const planned = await plan(payload, auth ?? (await sourceAuth(known, input)), {
        local: local ?? known?.pins?.local,
        isNew: known === undefined,
      })
      const { skipped } = planned.discovery
      const tools = namedAsKnown(known, planned.discovery.tools)
      const clashes = nameClashes(tools)
      return {
        source: planned.source,
        input: planned.input,
        kind: planned.kind,
        count: tools.length,
        ...(planned.discovery.title === undefined ? {} : { title: planned.discovery.title }),
        warnings: [...extra, ...planned.warnings, ...lossesIn(tools.map((tool) => listedTool(tool, payload.name)))],
        ...(known ? { diff: await compareTools(definitions(known), tools) } : {}),
        tools: await inTurns(tools, (tool) => previewed(planned.kind, tool, clashes.get(tool.name))),
        skipped: skipped.map(({ operation, reason }) => ({ operation, reason })),
      }
    },
  }
}
