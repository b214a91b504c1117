// Whether a scoped caller may see a key or bundle: only if its scope covers all of it.
import type { KeyRecord } from '../contract/admin/mcp-keys.ts'
import type { Bundles } from '../operations/curation/bundles.ts'
import { reachesClient, type SystemCaller } from './caller.ts'

export function reachesBundle(caller: SystemCaller, bundles: Pick<Bundles, 'get'>, name: string): boolean {
  return bundles.get(caller.actor, name).tools.every(({ client, tool }) => caller.mayReach(client, tool))
}

/** A missing bundle could contain anything. */
function mayOpen(caller: SystemCaller, bundles: Pick<Bundles, 'get'>, name: string): boolean {
  try {
    return reachesBundle(caller, bundles, name)
  } catch {
    return false
  }
}

/** An unlimited key exceeds every scope. */
export function reachesKey(
  caller: SystemCaller,
  bundles: Pick<Bundles, 'get'>,
  { scopes, allowedTools }: Pick<KeyRecord, 'scopes' | 'allowedTools'>,
): boolean {
  if (!caller.scoped) return true
  if (scopes === null) return false
  const pair = (name: string): boolean => {
    const at = name.indexOf('__')
    return caller.mayReach(name.slice(0, at), name.slice(at + 2))
  }
  return (
    (scopes.clients ?? []).every((client) => reachesClient(caller, client)) &&
    (scopes.tools ?? []).every(pair) &&
    (allowedTools ?? []).every(pair) &&
    (scopes.bundles ?? []).every((name) => mayOpen(caller, bundles, name))
  )
}
