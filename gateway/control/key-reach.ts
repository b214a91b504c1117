// Whether a scoped caller may know of a key or a bundle: only when nothing in it is out of its own reach.
import type { KeyRecord } from '../contract/admin/mcp-keys.ts'
import type { Bundles } from '../operations/curation/bundles.ts'
import { reachesClient, type SystemCaller } from './caller.ts'

export function reachesBundle(caller: SystemCaller, bundles: Pick<Bundles, 'get'>, name: string): boolean {
  return bundles.get(caller.actor, name).tools.every(({ client, tool }) => caller.mayReach(client, tool))
}

/** A bundle that is not there, or not yet, may be anything. */
function mayOpen(caller: SystemCaller, bundles: Pick<Bundles, 'get'>, name: string): boolean {
  try {
    return reachesBundle(caller, bundles, name)
  } catch {
    return false
  }
}

/** A key that reaches everything reaches more than any scoped caller. */
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
