// Registering a backend, discovering it again, and looking before either. Contract 4: nothing half-registered, nothing configured lost.

import type { UpstreamAuthInput } from '../contract/admin/clients.ts'
import { GatewayError } from '../contract/error.ts'
import {
  type DiscoveryPreview,
  type RegisterResult,
  RegistrationPayload,
  type ToolDiff,
} from '../contract/registration.ts'
import type { Actor } from '../contract/role.ts'
import { previewTool } from '../discovery/preview.ts'
import type { DiscoveredTool } from '../discovery/tool.ts'
import type { Backend } from '../registry/backend.ts'
import { authRef } from '../registry/credentials.ts'
import type { createPlanner, Payload, Plan } from '../registry/plan.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { storePins } from '../registry/snapshot.ts'
import { diffTools, schemaHash } from '../registry/tool-diff.ts'
import type { SecretBox } from '../secrets/box.ts'
import {
  type BackendRow,
  backendByName,
  deleteTools,
  insertBackend,
  insertTools,
  toolsOf,
  updateBackend,
  updateTool,
} from '../storage/backends.ts'
import type { Database } from '../storage/database.ts'
import type { Tx } from '../storage/schema.ts'
import type { By, Changes } from './changes.ts'
import { discoveredAnnotations, discoveredTitle } from './present.ts'

type Parts = {
  readonly database: Database
  readonly changes: Changes
  readonly registry: LiveRegistry
  readonly plan: ReturnType<typeof createPlanner>
  readonly box: SecretBox
  readonly clock: { now(): number }
}

export type Registration = ReturnType<typeof createRegistration>

/** How long the configuration of a tool that went away waits for its return. */
const DORMANT_MS = 30 * 86_400_000

const collision = (message: string): GatewayError => new GatewayError('NAME_COLLISION', message)

/** Unknown fields do no harm and are named, so that a typing error is seen. */
export function unknownFields(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return []
  const known = Object.keys(RegistrationPayload.shape)
  return Object.keys(body)
    .filter((key) => !known.includes(key))
    .map((key) => `"${key.slice(0, 64)}" is not a field of a registration; it was ignored.`)
}

export function createRegistration({ database, changes, registry, plan, box, clock }: Parts) {
  /** Names of another kind, and other teams' backends, are taken. */
  function checkName(actor: Actor, name: string | undefined, kind: Plan['kind']): Backend | undefined {
    const known = name === undefined ? undefined : registry.get(name)
    if (known === undefined) return undefined
    if (known.kind !== kind)
      throw collision(`"${name}" is a backend of kind "${known.kind}" already; choose another name or delete it first`)
    if (actor.teamId !== null && known.teamId !== actor.teamId) throw collision(`The name "${name}" is taken`)
    return known
  }

  const definitions = (backend: Backend | undefined): ReadonlyMap<string, DiscoveredTool> =>
    new Map(
      [...(backend?.tools.values() ?? [])]
        .filter(({ missingSince }) => missingSince === null)
        .map(({ name, definition }) => [name, definition]),
    )

  const listed = (kind: Plan['kind'], tools: readonly DiscoveredTool[]): RegisterResult['tools'] =>
    tools.map((tool) => ({
      name: tool.name,
      sourceName: tool.sourceName,
      description: tool.description,
      ...(tool.method === undefined ? {} : { method: tool.method }),
      title: discoveredTitle(tool),
      annotations: discoveredAnnotations(kind, tool),
    }))

  /** Stored sealed when there is a key to seal it with; dropped otherwise. A warning says which. */
  async function sealCredential(
    name: string,
    { credential }: Plan,
    warnings: string[],
  ): Promise<Partial<Pick<BackendRow, 'upstream_auth' | 'upstream_auth_info'>>> {
    if (credential === undefined) return {}
    if (!box.configured) {
      warnings.push(
        'A credential was found and dropped, because no encryption key is configured: set SECRET_ENCRYPTION_KEY and then the upstream credential of this backend.',
      )
      return {}
    }
    const sealed = await box.seal(JSON.stringify(credential), authRef(name))
    warnings.push(
      'A credential was found and stored as the upstream credential of this backend; it is not part of any tool.',
    )
    return { upstream_auth: sealed, upstream_auth_info: authInfo(credential, new Date(clock.now()).toISOString()) }
  }

  async function store(
    by: By & { readonly actor: Actor },
    name: string,
    payload: Payload,
    planned: Plan,
    action: 'client.register' | 'client.rediscover',
    warnings: string[],
  ): Promise<ToolDiff | undefined> {
    const sealed = await sealCredential(name, planned, warnings)
    const at = new Date(clock.now()).toISOString()
    const urls = {
      base: planned.baseUrl,
      ...(planned.healthUrl === null ? {} : { health: planned.healthUrl }),
      ...(planned.sourceUrl === null ? {} : { source: planned.sourceUrl }),
    }
    const row = {
      kind: planned.kind,
      source: planned.source,
      input: planned.input,
      description: payload.description ?? null,
      registration: JSON.stringify(withoutSecrets({ ...payload, name }, planned)),
      base_url: planned.baseUrl,
      health_url: planned.healthUrl,
      pins: storePins(planned.pins, urls),
      pinned_at: at,
      discovered_at: at,
      updated_at: at,
      // Registering is saying that it is there: an eviction ends, and the health loop judges anew.
      evicted_at: null,
      last_error: null,
      ...sealed,
    }
    const diff = await changes(by, async (tx, audit) => {
      const known = await backendByName(tx, name)
      const id =
        known?.id ??
        (await insertBackend(tx, {
          ...row,
          name,
          enabled: 1,
          tags: '[]',
          team_id: by.actor.teamId,
          revision: 1,
          created_at: at,
          created_by: by.actor.name,
        }))
      if (known) await updateBackend(tx, id, row)
      const changed = await storeTools(tx, id, planned.discovery.tools, at)
      await audit(action, name, {
        input: planned.input,
        kind: planned.kind,
        added: changed.added.length,
        removed: changed.removed.length,
        changed: changed.changed.length,
      })
      return known ? changed : undefined
    })
    await registry.reload(name, 'registered')
    return diff
  }

  async function storeTools(
    tx: Tx,
    backendId: number,
    tools: readonly DiscoveredTool[],
    at: string,
  ): Promise<ToolDiff> {
    const rows = await toolsOf(tx, backendId)
    const present = new Map(
      rows
        .filter(({ missing_since }) => missing_since === null)
        .map((row) => [row.name, JSON.parse(row.definition) as DiscoveredTool]),
    )
    const diff = diffTools(present, tools)
    const byName = new Map(rows.map((row) => [row.name, row]))
    const fresh = tools.filter(({ name }) => !byName.has(name))
    for (const tool of tools) {
      const row = byName.get(tool.name)
      if (row === undefined) continue
      const definition = JSON.stringify(tool)
      if (row.definition === definition && row.missing_since === null) continue
      await updateTool(tx, row.id, {
        definition,
        source_name: tool.sourceName,
        schema_hash: schemaHash(tool.inputSchema),
        missing_since: null,
        updated_at: at,
      })
    }
    const names = new Set(tools.map(({ name }) => name))
    const gone = rows.filter(({ name }) => !names.has(name))
    for (const row of gone)
      if (row.missing_since === null) await updateTool(tx, row.id, { missing_since: at, updated_at: at })
    await deleteTools(
      tx,
      gone
        .filter(
          ({ missing_since }) => missing_since !== null && Date.parse(at) - Date.parse(missing_since) > DORMANT_MS,
        )
        .map(({ id }) => id),
    )
    await insertTools(
      tx,
      fresh.map((tool) => ({
        backend_id: backendId,
        name: tool.name,
        source_name: tool.sourceName,
        definition: JSON.stringify(tool),
        config: '{}',
        tags: JSON.stringify(tagsOf(tool)),
        schema_hash: schemaHash(tool.inputSchema),
        missing_since: null,
        revision: 1,
        updated_at: at,
      })),
    )
    return diff
  }

  function result(
    name: string,
    planned: Plan,
    warnings: readonly string[],
    diff: ToolDiff | undefined,
  ): RegisterResult {
    const tools = listed(planned.kind, planned.discovery.tools)
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

  async function storedAuth(name: string): Promise<UpstreamAuthInput | undefined> {
    const row = await backendByName(database.query, name)
    if (row?.upstream_auth == null) return undefined
    // Sealed by us from this very type.
    return JSON.parse(await box.open(row.upstream_auth, authRef(name))) as UpstreamAuthInput
  }

  return {
    async register(
      by: By & { readonly actor: Actor },
      payload: RegistrationPayload,
      extra: readonly string[] = [],
      auth?: UpstreamAuthInput,
    ): Promise<RegisterResult> {
      const { classify } = await import('../registry/plan.ts')
      const known = checkName(by.actor, payload.name, classify(payload).kind)
      const planned = await plan(payload, auth ?? (known ? await storedAuth(payload.name) : undefined))
      const warnings = [...extra, ...planned.warnings]
      const diff = await store(by, payload.name, payload, planned, 'client.register', warnings)
      return result(payload.name, planned, warnings, diff)
    },

    async rediscover(by: By & { readonly actor: Actor }, name: string, dryRun: boolean): Promise<RegisterResult> {
      const known = registry.get(name)
      if (known === undefined || (by.actor.teamId !== null && known.teamId !== by.actor.teamId))
        throw new GatewayError('CLIENT_NOT_FOUND', 'Client not found')
      const { registration } = known
      if (registration === null || known.input === 'tools' || known.input === 'curl_input')
        throw new GatewayError(
          'NOT_REDISCOVERABLE',
          'The tools of this backend were given by hand: register it again with the new definition',
        )
      const planned = await plan(registration, await storedAuth(name))
      const warnings = [...planned.warnings]
      if (!dryRun)
        return result(
          name,
          planned,
          warnings,
          (await store(by, name, registration, planned, 'client.rediscover', warnings)) ?? undefined,
        )
      return result(name, planned, warnings, diffTools(definitions(known), planned.discovery.tools))
    },

    async preview(actor: Actor, payload: Payload, extra: readonly string[] = []): Promise<DiscoveryPreview> {
      const { classify } = await import('../registry/plan.ts')
      const known = checkName(actor, payload.name, classify(payload).kind)
      const planned = await plan(payload, known ? await storedAuth(known.name) : undefined)
      const { tools, skipped } = planned.discovery
      const rows = listed(planned.kind, tools)
      return {
        source: planned.source,
        input: planned.input,
        kind: planned.kind,
        count: tools.length,
        warnings: [...extra, ...planned.warnings],
        ...(known ? { diff: diffTools(definitions(known), tools) } : {}),
        tools: tools.map((tool, at) => {
          const row = rows[at]
          if (row === undefined) throw new Error('every tool has a row')
          const { schemaBytes, estTokens, lint } = previewTool(tool)
          return {
            ...row,
            ...(tool.endpoint === undefined ? {} : { endpoint: tool.endpoint }),
            inputSchema: { ...tool.inputSchema },
            schemaBytes,
            estTokens,
            lint: [...lint],
          }
        }),
        skipped: skipped.map(({ operation, reason }) => ({ operation, reason })),
      }
    },
  }
}

export function authInfo(auth: UpstreamAuthInput, updatedAt: string): string {
  return JSON.stringify({ type: auth.type, headerName: auth.type === 'header' ? auth.headerName : null, updatedAt })
}

const tagsOf = ({ tags = [] }: DiscoveredTool): string[] =>
  [
    ...new Set(
      tags.map((tag) =>
        tag
          .trim()
          .toLowerCase()
          .replace(/[^a-z0-9_-]+/g, '-')
          .replace(/^-+|-+$/g, '')
          .slice(0, 32),
      ),
    ),
  ]
    .filter((tag) => tag !== '')
    .slice(0, 20)

/** A pasted command or collection may hold a secret in its text: what is kept of it is what was learnt from it. */
function withoutSecrets(payload: Payload, { credential }: Plan): Payload {
  if (credential === undefined) return payload
  const { curl_input: _curl, client_collection: _collection, ...rest } = payload
  return rest
}
