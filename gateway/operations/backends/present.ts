// Live records become the records of the admin API: backends and tools as contract 10.1 and 10.2 show them.

import type { ClientDetail, ClientSummary } from '../../contract/admin/clients.ts'
import type { LocalService } from '../../contract/admin/local-services.ts'
import type { Canary, Lb } from '../../contract/admin/targets.ts'
import type { ToolDetail, ToolRow } from '../../contract/admin/tools.ts'
import type { Annotations, Kind } from '../../contract/registration.ts'
import { listedName } from '../../discovery/names.ts'
import type { DiscoveredTool } from '../../discovery/tool.ts'
import type { MonitorStates } from '../../live/monitor-states.ts'
import type { LiveQuarantines } from '../../live/quarantines.ts'
import { isLocalAddress, mayDial } from '../../net/address.ts'
import type { Breakers } from '../../pipeline/5-breaker/breakers.ts'
import type { Targets } from '../../pipeline/6-targets/index.ts'
import { isApprovalAsked, isSensitive } from '../../pipeline/chain.ts'
import { annotationsOf, titleOf } from '../../registry/annotations.ts'
import type { Backend, Tool } from '../../registry/backend.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import type { BackendRow } from '../../storage/backends.ts'
import { fromText } from '../../storage/json-text.ts'
import { shownFeatures } from '../tools/tool-features.ts'

export type Presenter = ReturnType<typeof createPresenter>

type PresenterDeps = {
  readonly registry: LiveRegistry
  readonly breakers: Breakers
  readonly quarantines: Pick<LiveQuarantines, 'stateOf'>
  readonly monitors: Pick<MonitorStates, 'recordOf'>
  readonly targets: Pick<Targets, 'healthOf' | 'statsOf'>
  readonly autoGateWriteMethods: boolean
}

/** A discovered tool has no configuration yet, so its hints are its source's. */
const bare = (definition: DiscoveredTool): Tool => ({
  id: 0,
  client: '',
  name: definition.name,
  sourceName: definition.sourceName,
  definition,
  config: {},
  tags: [],
  schemaHash: '',
  missingSince: null,
  revision: 1,
  updatedAt: '',
})

export function discoveredTitle(definition: DiscoveredTool): string {
  return titleOf(bare(definition))
}

export function discoveredAnnotations(kind: Kind, definition: DiscoveredTool): Annotations {
  return annotationsOf(kind, bare(definition), false)
}

export function createPresenter({
  registry,
  breakers,
  quarantines,
  monitors,
  targets,
  autoGateWriteMethods,
}: PresenterDeps) {
  function toolRow(backend: Backend, tool: Tool): ToolRow {
    const { config, definition } = tool
    const sensitive = isSensitive(tool, autoGateWriteMethods)
    const alias = config.overrides?.displayName ?? null
    return {
      client: backend.name,
      tool: tool.name,
      sourceName: tool.sourceName,
      listedName: listedName(alias ?? tool.name, backend.name, tool.name),
      alias,
      title: titleOf(tool),
      description: config.overrides?.description ?? definition.description,
      method: definition.method ?? null,
      kind: backend.kind,
      enabled: config.enabled !== false,
      clientEnabled: backend.enabled,
      live: registry.isLive(backend.name) && !registry.isEvicted(backend.name) && tool.missingSince === null,
      missing: tool.missingSince !== null,
      tags: [...tool.tags],
      annotations: annotationsOf(backend.kind, tool, sensitive || isApprovalAsked(tool)),
      sensitive,
      sensitiveSource: config.sensitive !== undefined ? 'explicit' : sensitive ? 'auto' : 'none',
      requiresApproval: isApprovalAsked(tool),
      features: Object.keys(config).filter((key) => key !== 'enabled'),
    }
  }

  function toolDetail(backend: Backend, tool: Tool): ToolDetail {
    const { config, definition } = tool
    const guards = config.guards ?? null
    const { action: _action, ...quarantine } = quarantines.stateOf(tool)
    return {
      ...toolRow(backend, tool),
      endpoint: definition.endpoint ?? null,
      inputSchema: { ...definition.inputSchema },
      outputSchema: declaredOutput(definition),
      upstreamDescription: definition.description,
      paramLocations: Object.fromEntries(Object.entries(definition.places).map(([name, place]) => [name, place.in])),
      headersSent: Object.keys(definition.staticHeaders ?? {}),
      schemaHash: tool.schemaHash,
      guards,
      overrides: config.overrides ? { ...config.overrides } : null,
      config: {
        enabled: config.enabled !== false,
        guards,
        overrides: config.overrides ?? null,
        sensitive: config.sensitive ?? null,
        redactPaths: config.redactPaths ?? null,
        guardrails: config.guardrails ?? null,
        approval: config.approval ?? null,
        requiresApproval: null,
        approvalLevels: null,
        listOutputSchema: config.listOutputSchema ?? null,
        ...shownFeatures(config),
      },
      quarantine,
      monitor: monitors.recordOf(backend, tool),
      revision: tool.revision,
      updatedAt: tool.updatedAt,
    }
  }

  function summary(backend: Backend): ClientSummary {
    const health = registry.health(backend.name)
    const tools = [...backend.tools.values()].filter(({ missingSince }) => missingSince === null)
    return {
      name: backend.name,
      kind: backend.kind,
      enabled: backend.enabled,
      live: registry.isLive(backend.name),
      status: health?.status ?? null,
      toolsCount: tools.length,
      enabledToolsCount: tools.filter(({ config }) => config.enabled !== false).length,
      circuitBreakerState: registry.isLive(backend.name) ? (breakers.find(backend.name)?.current() ?? 'closed') : null,
      baseUrl: backend.baseUrl,
      healthUrl: backend.healthUrl,
      description: backend.description,
      tags: [...backend.tags],
      teamId: backend.teamId,
      lastSeenAt: health?.lastSeenAt ?? null,
    }
  }

  function detail(backend: Backend, row: BackendRow | undefined): ClientDetail {
    const health = registry.health(backend.name)
    const breaker = breakers.of(backend)
    const registration = backend.registration
    const addresses = [...(backend.pins?.base.addresses ?? [])]
    return {
      ...summary(backend),
      source: backend.source,
      input: backend.input,
      mcpUrl: registration?.mcp_url ?? null,
      mcpTransport: backend.kind === 'mcp' ? (registration?.mcp_transport ?? null) : null,
      mcpEra: backend.kind === 'mcp' ? (registration?.mcp_era ?? 'auto') : null,
      graphqlUrl: registration?.graphql_url ?? null,
      openapiUrl: registration?.openapi_url ?? null,
      includeTags: registration?.include_tags ?? [],
      excludeOperations: registration?.exclude_operations ?? [],
      includeMutations: registration?.include_mutations ?? true,
      retryNonSafeMethods: registration?.retry_non_safe_methods ?? false,
      resolvedIp: addresses[0] ?? null,
      resolvedIps: addresses,
      pinnedAt: backend.pinnedAt,
      localService: backend.pins?.local ?? null,
      refusedLocalService: refusedLocalOf(backend),
      consecutiveFailures: health?.consecutiveFailures ?? 0,
      lastCheckedAt: health?.lastCheckedAt ?? null,
      lastError: health?.lastError ?? null,
      evictedAt: health?.evictedAt ?? null,
      guards: backend.guards,
      breaker: {
        state: breaker.current(),
        failuresInWindow: breaker.failuresInWindow(),
        halfOpenInMs: breaker.halfOpenInMs(),
      },
      canary: canary(backend),
      lb: lb(backend),
      oauthConfigured: row?.oauth_info != null,
      upstreamAuth: upstreamAuthInfo(row),
      credentialOrigins: backend.credentialOrigins && [...backend.credentialOrigins],
      credentialDetached: detachedOf(backend),
      discoveredAt: backend.discoveredAt,
      mcpPath: `/mcp/${backend.name}`,
      tools: [...backend.tools.values()].map((tool) => toolDetail(backend, tool)),
      revision: backend.revision,
      createdAt: backend.createdAt,
      updatedAt: backend.updatedAt,
      createdBy: backend.createdBy,
    }
  }

  function canary(backend: Backend): Canary | null {
    if (backend.canary === null) return null
    const { baseUrl, pin, mode, weight, enabled, updatedAt, revision } = backend.canary
    return {
      secondaryBaseUrl: baseUrl,
      secondaryResolvedIp: pin.addresses[0] ?? '',
      mode,
      weight,
      enabled,
      stats: targets.statsOf(backend),
      updatedAt,
      revision,
    }
  }

  function lb({ name, lb }: Backend): Lb | null {
    return (
      lb && {
        strategy: lb.strategy,
        primaryWeight: lb.primaryWeight,
        enabled: lb.enabled,
        targets: lb.targets.map(({ id, baseUrl, pin, weight, enabled }) => ({
          id,
          baseUrl,
          resolvedIp: pin.addresses[0] ?? '',
          weight,
          enabled,
          ...targets.healthOf(name, `pool:${id}`),
        })),
        revision: lb.revision,
      }
    )
  }

  return { toolRow, toolDetail, summary, detail, canary, lb }
}

function refusedLocalOf({ pins }: Backend): LocalService | null {
  const found = [pins?.base, pins?.health, pins?.source].flatMap((pin) =>
    (pin?.addresses ?? []).flatMap((address) =>
      pin && !mayDial(address, pin.port, pin.reach) ? [{ address, port: pin.port }] : [],
    ),
  )
  return found.find(({ address }) => isLocalAddress(address)) ?? null
}

function detachedOf({ credentialOrigins, pins, canary, lb }: Backend): string[] {
  if (credentialOrigins === null || pins === null) return []
  const served = [pins.base, ...(canary ? [canary.pin] : []), ...(lb?.targets ?? []).map(({ pin }) => pin)]
  return [...new Set(served.map(({ origin }) => origin))].filter((origin) => !credentialOrigins.includes(origin))
}

export function upstreamAuthInfo(
  row: Pick<BackendRow, 'upstream_auth_info'> | undefined,
): ClientDetail['upstreamAuth'] {
  const info = fromText(row?.upstream_auth_info)
  return info === null ? { configured: false } : { configured: true, ...info }
}

/** Whether or not it is listed. */
function declaredOutput({ outputSchema, resultSchema }: DiscoveredTool): ToolDetail['outputSchema'] {
  if (resultSchema !== undefined) return JSON.parse(resultSchema) as ToolDetail['outputSchema'] // written by discovery
  return outputSchema === undefined ? null : { ...outputSchema }
}
