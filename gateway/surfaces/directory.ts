// The surfaces by path: built when first asked for, rebuilt when what they show changed.

import { GatewayError } from '../contract/error.ts'
import { mayTouch } from '../contract/role.ts'
import type { JsonSchema } from '../discovery/tool.ts'
import type { Caller } from '../pipeline/call.ts'
import { isSensitive, isStoodInFor } from '../pipeline/chain.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import type { Bundle, Curated } from '../registry/curated.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import type { ToolConfig } from '../storage/stored.ts'
import { SEARCH_LISTED } from './search-tools.ts'
import { createSurface, type Surface } from './surface.ts'

/** Features that make another result of an answer. */
const CHANGING = ['mock', 'contextBudget', 'pagination', 'streaming', 'graphql', 'ws'] as const

function changesResults({ redactPaths, transform, guardrails, ...config }: ToolConfig): boolean {
  // A scan that finds something drops `structuredContent`.
  if ((redactPaths?.length ?? 0) > 0 || guardrails?.scanResponses) return true
  if (transform?.enabled && (transform.response?.length ?? 0) > 0) return true
  return CHANGING.some((name) => {
    const feature = config[name]
    return feature !== undefined && (!('enabled' in feature) || feature.enabled)
  })
}

/** `structured`: results of HTTP backends hold `structuredContent`. */
function outputSchemaOf({ definition, config }: Tool, structured: boolean): JsonSchema | undefined {
  if (changesResults(config)) return undefined
  const { outputSchema, resultSchema } = definition
  if (resultSchema === undefined || !structured || config.listOutputSchema !== true) return outputSchema
  return JSON.parse(resultSchema) as JsonSchema // written by discovery
}

export type Directory = ReturnType<typeof createDirectory>

type Parts = {
  readonly registry: LiveRegistry
  readonly curated: Pick<Curated, 'bundle' | 'composite' | 'bundlesWith'>
  readonly autoGateWriteMethods: boolean
  /** As of now: a quarantine may ask for an approval as well as a configuration. */
  readonly needsApproval: (tool: Tool) => boolean
  readonly driftSince: (tool: Tool) => string | undefined
  /** Whether a budget has large answers of the tool kept for some caller. */
  readonly mayKeep: (backend: Backend, tool: Tool) => boolean
  /** Results of HTTP backends hold `structuredContent`. */
  readonly structuredOutput: boolean
  readonly searchEnabled: boolean
  readonly pcgEnabled: boolean
  /** 403 for a caller bound to another surface, before existence is looked at. */
  readonly checkScope: (caller: Caller, surface: string) => void
}

const PCG_IS_OFF =
  'Client not found: the PCG editor bridge is off. Start the gateway with PCG_ENABLED=true; `npm start` and the desktop app set it.'
const bundleId = (name: string): string => `bundle:${name}`

export function createDirectory({
  registry,
  curated,
  autoGateWriteMethods,
  needsApproval,
  driftSince,
  mayKeep,
  structuredOutput,
  searchEnabled,
  pcgEnabled,
  checkScope,
}: Parts) {
  const built = new Map<string, Surface>()
  const searchJson = searchEnabled ? JSON.stringify(SEARCH_LISTED) : undefined
  const available = (backend: Backend, tool: Tool): boolean =>
    backend.enabled &&
    tool.config.enabled !== false &&
    registry.isLive(backend.name) &&
    (!registry.isEvicted(backend.name) || isStoodInFor(backend, tool))
  const common = {
    gates: (tool: Tool, backend: Backend) => {
      const keeps = mayKeep(backend, tool)
      return {
        sensitive: isSensitive(tool, autoGateWriteMethods),
        approval: needsApproval(tool),
        driftSince: driftSince(tool),
        // What is kept is no longer the structure that was listed.
        outputSchema: keeps ? undefined : outputSchemaOf(tool, structuredOutput),
        keeps,
      }
    },
    available,
    searchJson,
  }

  const kept = (id: string, make: () => Surface): Surface => {
    const known = built.get(id)
    if (known) return known
    const surface = make()
    built.set(id, surface)
    return surface
  }

  const memberOf = (client: string, name: string): { backend: Backend; tool: Tool } | undefined => {
    // Torn down is not gone: a call says that the backend is unreachable.
    const backend = registry.known(client)
    const tool = backend?.tools.get(name)
    return backend && tool && { backend, tool }
  }

  const bundleSurface = (found: Bundle): Surface =>
    createSurface({
      kind: 'bundle',
      id: bundleId(found.name),
      bundle: found.name,
      listMode: found.listMode,
      members: found.tools.flatMap(({ client, tool }) => memberOf(client, tool) ?? []),
      composites: found.composites.flatMap((name) => {
        const composite = curated.composite(name)
        if (!composite?.enabled) return []
        const steps = composite.steps.map(({ targetClient, targetTool }) => memberOf(targetClient, targetTool))
        return [{ composite, steps }]
      }),
      ...common,
    })

  return {
    shard(name: string, caller: Caller): Surface {
      const id = `client:${name}`
      checkScope(caller, id)
      const backend = registry.get(name)
      if (backend === undefined || !mayTouch(caller, backend))
        throw new GatewayError('CLIENT_NOT_FOUND', name === 'pcg' && !pcgEnabled ? PCG_IS_OFF : 'Client not found')
      return kept(id, () =>
        createSurface({
          kind: 'shard',
          id,
          members: [...backend.tools.values()].map((tool) => ({ backend, tool })),
          ...common,
        }),
      )
    },
    /** A disabled bundle is empty to the sessions it has, and unknown to all others. */
    bundle(name: string, caller: Caller, inSession: (id: string) => boolean): Surface {
      const id = bundleId(name)
      checkScope(caller, id)
      const known = curated.bundle(name)
      const found = known && mayTouch(caller, known) ? known : undefined
      if (found?.enabled) return kept(id, () => bundleSurface(found))
      if (found && inSession(id)) return createSurface({ kind: 'bundle', id, bundle: name, members: [], ...common })
      throw new GatewayError('BUNDLE_NOT_FOUND', 'Bundle not found')
    },
    /** The bundle as it is or would be when it is enabled. */
    draft(name: string): Surface | undefined {
      const found = curated.bundle(name)
      if (found === undefined) return undefined
      return found.enabled ? kept(bundleId(name), () => bundleSurface(found)) : bundleSurface(found)
    },
    /** Forgets what was built; the next request builds again. Ids of the surfaces that may look different now. */
    changed(client: string): readonly string[] {
      const ids = [`client:${client}`, ...curated.bundlesWith(client).map(bundleId)]
      for (const id of ids) built.delete(id)
      return ids
    },
    allChanged(): readonly string[] {
      const ids = [...built.keys()]
      built.clear()
      return ids
    },
    bundleChanged(name: string): readonly string[] {
      built.delete(bundleId(name))
      return [bundleId(name)]
    },
  }
}
