// Registering a backend, discovering it again, and looking before either. Contract 4: nothing half-registered, nothing configured lost.
import { GatewayError } from '../contract/error.ts'
import {
  type DiscoveryPreview,
  ManualTool,
  type RegisterResult,
  RegistrationPayload,
  refusePrograms,
  type SourceInput,
  type ToolDiff,
} from '../contract/registration.ts'
import { type Actor, mayTouch } from '../contract/role.ts'
import { inTurns } from '../discovery/in-turns.ts'
import { nameClashes, previewTool } from '../discovery/preview.ts'
import type { DiscoveredTool } from '../discovery/tool.ts'
import type { Outbound } from '../net/outbound.ts'
import type { Backend } from '../registry/backend.ts'
import { withKeptNames } from '../registry/kept-names.ts'
import { classify, type Payload, type Plan, type Planner, type SourceAuth } from '../registry/plan.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { storePins } from '../registry/snapshot.ts'
import type { SecretBox } from '../secrets/box.ts'
import { type BackendRow, backendByName, insertBackend, updateBackend } from '../storage/backends.ts'
import type { Database } from '../storage/database.ts'
import type { Tx } from '../storage/schema.ts'
import type { Audit, By, Changes } from './changes.ts'
import { compareTools, prepareTools, storeTools } from './discovered-tools.ts'
import { discoveredAnnotations, discoveredTitle } from './present.ts'
import { requireNoTarget } from './shared-names.ts'
import { type Revetted, revetted } from './target-pins.ts'
import { type SealedAuth, sealAuth } from './upstream-auth.ts'

type Parts = {
  readonly database: Database
  readonly changes: Changes
  readonly registry: LiveRegistry
  readonly plan: Planner
  readonly outbound: Pick<Outbound, 'pin'>
  readonly box: SecretBox
  readonly clock: { now(): number }
}

export type Registration = ReturnType<typeof createRegistration>

type Who = By & { readonly actor: Actor }

/** What comes with a registration beside its payload. */
export type Along = {
  readonly warnings?: readonly string[]
  /** A credential given with it: sealed before anything is stored, sent to the source from the start. */
  readonly auth?: { readonly source: SourceAuth; readonly sealed: SealedAuth }
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

/** Unknown fields do no harm and are named, so that a typing error is seen; but for those that ask for a program. */
export function unknownFields(body: unknown): string[] {
  refusePrograms(body)
  const strange = (value: unknown, known: object, prefix: string): string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.keys(value)
          .filter((key) => !Object.hasOwn(known, key))
          .map((key) => `${prefix}${key.slice(0, 64)}`)
      : []
  const tools: unknown =
    typeof body === 'object' && body !== null && 'tools' in body && Array.isArray(body.tools) ? body.tools : []
  const fields = [
    ...strange(body, RegistrationPayload.shape, ''),
    ...(tools as unknown[]).flatMap((tool, at) => strange(tool, ManualTool.shape, `tools.${at}.`)),
  ]
  const told = fields
    .slice(0, MOST_UNKNOWN)
    .map((field) => `"${field}" is not a field of a registration; it was ignored.`)
  return fields.length > MOST_UNKNOWN
    ? [...told, `${fields.length - MOST_UNKNOWN} more unknown fields were ignored.`]
    : told
}

const MOST_UNKNOWN = 20

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

export function createRegistration({ database, changes, registry, plan, outbound, box, clock }: Parts) {
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
    const credential = await registry.credential(known.name)
    return credential && { headers: credential.headers, origin: known.pins?.base.origin }
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
    { warnings: extra = [], auth }: Along = {},
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
      // Registering is saying that it is there: an eviction ends, and the health loop judges anew.
      evicted_at: null,
      last_error: null,
      ...sealed,
    }
    const { description } = payload
    return { name, description, row, planned, warnings, others, tools: await prepareTools(planned.discovery.tools) }
  }

  async function write(
    tx: Tx,
    audit: Audit,
    by: Who,
    { name, row, planned, warnings, others, tools: prepared, ...given }: Prepared,
    action: 'client.register' | 'client.rediscover',
  ): Promise<Stored> {
    const known = await backendByName(tx, name)
    // Asked before the discovery as well; somebody may have been faster meanwhile.
    await requireNoTarget(tx, name)
    checkFree(by.actor, known && { ...known, teamId: known.team_id }, planned.kind)
    const description = given.description ?? known?.description ?? null
    if (known) await updateBackend(tx, known.id, { ...row, ...(await others.write(tx, known)), description })
    const id = known?.id ?? (await insertBackend(tx, { ...row, ...fresh(by, name, row.updated_at), description }))
    const stored = await storeTools(tx, id, prepared, row.updated_at)
    for (const { tool, alias } of stored.clashes)
      warnings.push(`The alias "${alias}" of "${tool}" is now the name of another tool too: change the alias.`)
    const { added, removed, changed } = stored.diff
    await audit(action, name, {
      input: planned.input,
      kind: planned.kind,
      added: added.length,
      removed: removed.length,
      changed: changed.length,
    })
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
      const planned = await planFor(by, payload, along)
      return result(name, planned, await store(by, name, payload, planned, 'client.register', along))
    },

    /** The same for a transaction of the caller's, which it may well undo. */
    async stage(
      by: Who,
      payload: RegistrationPayload,
      along: Along = {},
    ): Promise<(tx: Tx, audit: Audit) => Promise<void>> {
      const prepared = await prepare(payload.name, payload, await planFor(by, payload, along), along)
      return async (tx, audit) => void (await write(tx, audit, by, prepared, 'client.register'))
    },

    async rediscover(by: Who, name: string, dryRun: boolean): Promise<RegisterResult> {
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
      if (!dryRun) return result(name, planned, await store(by, name, registration, planned, 'client.rediscover'))
      const tools = namedAsKnown(known, planned.discovery.tools)
      const diff = await compareTools(definitions(known), tools)
      return result(name, planned, { tools, diff, warnings: planned.warnings })
    },

    /** What its source tells now, under the names its tools are stored by; undefined where nothing tells but what was registered. */
    async reread(name: string): Promise<readonly DiscoveredTool[] | undefined> {
      const known = registry.get(name)
      if (known?.registration == null || known.input === null || !FETCHED.includes(known.input)) return undefined
      const planned = await plan(known.registration, await sourceAuth(known, known.input))
      return namedAsKnown(known, planned.discovery.tools)
    },

    vet: plan.vet,

    async preview(actor: Actor, payload: Payload, extra: readonly string[] = []): Promise<DiscoveryPreview> {
      const { kind, input } = classify(payload)
      const known = knownAs(payload.name)
      await checkStored(actor, payload.name, kind)
      const planned = await plan(payload, await sourceAuth(known, input))
      const { skipped } = planned.discovery
      const tools = namedAsKnown(known, planned.discovery.tools)
      const clashes = nameClashes(tools)
      return {
        source: planned.source,
        input: planned.input,
        kind: planned.kind,
        count: tools.length,
        warnings: [...extra, ...planned.warnings],
        ...(known ? { diff: await compareTools(definitions(known), tools) } : {}),
        tools: await inTurns(tools, (tool) => previewed(planned.kind, tool, clashes.get(tool.name))),
        skipped: skipped.map(({ operation, reason }) => ({ operation, reason })),
      }
    },
  }
}

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

/** What was given by hand cannot be fetched anew; a collection with a secret in it was not kept. */
function isRereadable(registration: RegistrationPayload, input: SourceInput): boolean {
  return input !== 'tools' && input !== 'curl_input' && registration[input] !== undefined
}

/** A pasted command or collection may hold a secret in its text: what is kept of it is what was learnt from it. */
function withoutSecrets(payload: Payload, { credential }: Plan): Payload {
  if (credential === undefined) return payload
  const { curl_input: _curl, client_collection: _collection, ...rest } = payload
  return rest
}
