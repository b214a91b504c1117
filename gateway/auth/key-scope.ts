// The compiled scope of a managed key, in constant time for any list length. Contract 2.4, 10.4.
import type { KeyScopes } from '../contract/admin/mcp-keys.ts'
import { mayTouch } from '../contract/role.ts'

export type Reach = {
  readonly mayReach: (client: string, tool: string) => boolean
  /** The bundles the key is bound to; null if it may use any surface. */
  readonly bundles: ReadonlySet<string> | null
  /** The number of names in it. */
  readonly size: number
}

type StoredScope = {
  readonly scopes: KeyScopes
  readonly allowedTools: readonly string[] | null
  /** A team's key is limited to its team's backends, independent of its scopes. */
  readonly teamId: number | null
}

/** One function for all unlimited keys, so that they share the surfaces' per-scope caches. */
export const everything = (): boolean => true
const nothing = (): boolean => false

/** By backend, then by tool: joined names could collide. */
function pairs(names: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byClient = new Map<string, Set<string>>()
  for (const name of names) {
    const at = name.indexOf('__')
    const client = name.slice(0, at)
    const tools = byClient.get(client)
    if (tools) tools.add(name.slice(at + 2))
    else byClient.set(client, new Set([name.slice(at + 2)]))
  }
  return byClient
}

function within(scopes: KeyScopes): Reach['mayReach'] {
  if (scopes === null) return everything
  const clients = new Set(scopes.clients)
  const tools = pairs(scopes.tools ?? [])
  if (clients.size === 0 && tools.size === 0) return (scopes.bundles ?? []).length > 0 ? everything : nothing
  return (client, tool) => clients.has(client) || tools.get(client)?.has(tool) === true
}

export function compileReach(
  { scopes, allowedTools, teamId }: StoredScope,
  teamOf: (client: string) => number | null | undefined,
): Reach {
  const bundles = scopes?.bundles && scopes.bundles.length > 0 ? new Set(scopes.bundles) : null
  const inScope = within(scopes)
  const allowed = allowedTools === null ? null : pairs(allowedTools)
  const size =
    (scopes?.clients?.length ?? 0) +
    (scopes?.tools?.length ?? 0) +
    (scopes?.bundles?.length ?? 0) +
    (allowedTools?.length ?? 0)
  const unlimited = inScope === everything && allowed === null && teamId === null
  const mayReach: Reach['mayReach'] = (client, tool) =>
    inScope(client, tool) &&
    (allowed === null || allowed.get(client)?.has(tool) === true) &&
    mayTouch({ teamId }, { teamId: teamOf(client) ?? null })
  return { mayReach: unlimited ? everything : mayReach, bundles, size }
}
