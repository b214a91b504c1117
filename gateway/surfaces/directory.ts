// The surfaces by path: built when first asked for, rebuilt when what they show changed.
import { GatewayError } from '../contract/error.ts'
import type { Caller } from '../pipeline/call.ts'
import { isSensitive } from '../pipeline/chain.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { SEARCH_LISTED } from './search-tools.ts'
import { createSurface, type Surface } from './surface.ts'

export type BundleMembers = {
  readonly name: string
  readonly enabled: boolean
  readonly tools: readonly { readonly client: string; readonly tool: string }[]
}

export type Directory = {
  shard(name: string, caller: Caller): Surface
  bundle(name: string, caller: Caller): Surface
  /** Forgets what was built; the next request builds anew. Ids of the surfaces that may look different now. */
  changed(client: string | undefined): readonly string[]
}

type Parts = {
  readonly registry: LiveRegistry
  readonly bundle: (name: string) => BundleMembers | undefined
  readonly bundlesWith: (client: string) => readonly string[]
  readonly autoGateWriteMethods: boolean
  readonly searchEnabled: boolean
  /** 403 for a caller bound to another surface, before existence is looked at. */
  readonly checkScope: (caller: Caller, surface: string) => void
}

export function createDirectory({
  registry,
  bundle,
  bundlesWith,
  autoGateWriteMethods,
  searchEnabled,
  checkScope,
}: Parts): Directory {
  const built = new Map<string, Surface>()
  const searchJson = searchEnabled ? JSON.stringify(SEARCH_LISTED) : undefined
  const available = (backend: Backend, tool: Tool): boolean =>
    backend.enabled &&
    tool.config.enabled !== false &&
    registry.isLive(backend.name) &&
    !registry.isEvicted(backend.name)
  const common = { sensitive: (tool: Tool) => isSensitive(tool, autoGateWriteMethods), available, searchJson }

  const kept = (id: string, make: () => Surface): Surface => {
    const known = built.get(id)
    if (known) return known
    const surface = make()
    built.set(id, surface)
    return surface
  }

  return {
    shard(name, caller) {
      const id = `client:${name}`
      checkScope(caller, id)
      const backend = registry.get(name)
      if (backend === undefined) throw new GatewayError('CLIENT_NOT_FOUND', 'Client not found')
      return kept(id, () =>
        createSurface({
          kind: 'shard',
          id,
          members: [...backend.tools.values()].map((tool) => ({ backend, tool })),
          ...common,
        }),
      )
    },
    bundle(name, caller) {
      const id = `bundle:${name}`
      checkScope(caller, id)
      const found = bundle(name)
      if (found === undefined || !found.enabled) throw new GatewayError('BUNDLE_NOT_FOUND', 'Bundle not found')
      return kept(id, () => {
        const members = found.tools.flatMap(({ client, tool }) => {
          const backend = registry.get(client)
          const member = backend?.tools.get(tool)
          return backend && member ? [{ backend, tool: member }] : []
        })
        return createSurface({ kind: 'bundle', id, bundle: name, members, ...common })
      })
    },
    changed(client) {
      const ids =
        client === undefined
          ? [...built.keys()]
          : [`client:${client}`, ...bundlesWith(client).map((name) => `bundle:${name}`)]
      for (const id of ids) built.delete(id)
      return ids
    },
  }
}
