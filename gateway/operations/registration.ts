// Registering a backend, discovering it again, and looking before either. Contract 4: nothing half-registered, nothing configured lost.
import { GatewayError } from '../contract/error.ts'
import {
  type DiscoveryPreview,
  ManualTool,
  type RegisterResult,
  RegistrationPayload,
  type SourceInput,
  type ToolDiff,
} from '../contract/registration.ts'
import { type Actor, mayTouch } from '../contract/role.ts'
import { inTurns } from '../discovery/in-turns.ts'
import { nameClashes, previewTool } from '../discovery/preview.ts'
import type { DiscoveredTool } from '../discovery/tool.ts'
import type { Backend } from '../registry/backend.ts'
import { withKeptNames } from '../registry/kept-names.ts'
import { classify, type Payload, type Plan, type Planner, type SourceAuth } from '../registry/plan.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { storePins } from '../registry/snapshot.ts'
import type { SecretBox } from '../secrets/box.ts'
import { type BackendRow, backendByName, insertBackend, updateBackend } from '../storage/backends.ts'
import type { Database } from '../storage/database.ts'
import type { Audit, By, Changes } from './changes.ts'
import { compareTools, prepareTools, storeTools } from './discovered-tools.ts'
import { discoveredAnnotations, discoveredTitle } from './present.ts'
import { type SealedAuth, sealAuth } from './upstream-auth.ts'

type Parts = {
  readonly database: Database
  readonly changes: Changes
  readonly registry: LiveRegistry
  readonly plan: Planner
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

const FETCHED: readonly SourceInput[] = ['openapi_url', 'graphql_url', 'mcp_url']

const collision = (message: string): GatewayError => new GatewayError('NAME_COLLISION', message)

/** Whoever wants a program started is told that none is, instead of finding something else registered. */
function refusePrograms(body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const asks = Object.entries(body).flatMap(([key, value]: [string, unknown]) =>
    PROGRAM.has(key) || ((key === 'transport' || key === 'type') && value === 'stdio') ? [key] : [],
  )
  if (asks.length === 0) return
  const message = 'asks for a program to be started, and this gateway starts none; register the URL of a running server'
  throw new GatewayError('VALIDATION_ERROR', `${asks.join(', ')}: ${message}`, {
    fields: asks.map((path) => ({ path, message })),
  })
}

const PROGRAM: ReadonlySet<string> = new Set(['command', 'args', 'mcpServers'])

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

export function createRegistration({ database, changes, registry, plan, box, clock }: Parts) {
  const knownAs = (name: string | undefined): Backend | undefined =>
    name === undefined ? undefined : registry.known(name)

  /** The row decides, not the live state: a backend that is torn down or damaged has its name still. */
  async function checkStored(actor: Actor, name: string | undefined, kind: Plan['kind']): Promise<void> {
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

  async function store(
    by: Who,
    name: string,
    payload: Payload,
    planned: Plan,
    action: 'client.register' | 'client.rediscover',
    { warnings: extra = [], auth, audit: also }: Along = {},
  ): Promise<Stored> {
    const warnings = [...extra, ...planned.warnings]
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
    const prepared = await prepareTools(planned.discovery.tools)
    const { tools, diff } = await changes(by, async (tx, audit) => {
      const known = await backendByName(tx, name)
      // Asked before the discovery as well; somebody may have been faster meanwhile.
      checkFree(by.actor, known && { ...known, teamId: known.team_id }, planned.kind)
      const description = payload.description ?? known?.description ?? null
      if (known) await updateBackend(tx, known.id, { ...row, description })
      const id = known?.id ?? (await insertBackend(tx, { ...row, ...fresh(by, name, at), description }))
      const stored = await storeTools(tx, id, prepared, at)
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
      if (sealed) await audit('client.upstream_auth.set', name, { value: '[set]' })
      await also?.(audit)
      return { tools: stored.tools, diff: known ? stored.diff : undefined }
    })
    await registry.reload(name, 'registered')
    return { tools, diff, warnings }
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
      const { kind, input } = classify(payload)
      await checkStored(by.actor, name, kind)
      const planned = await plan(payload, along.auth?.source ?? (await sourceAuth(knownAs(name), input)))
      return result(name, planned, await store(by, name, payload, planned, 'client.register', along))
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
