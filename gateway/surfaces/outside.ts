// Whether a name that was not found lies outside a caller's scope: judged by the name, never by what is there. Contract 2.4.

import type { ListKind } from '../mcp/connection.ts'
import type { Caller } from '../pipeline/call.ts'
import type { Backend } from '../registry/backend.ts'
import type { Surface } from './surface.ts'

/** A caller that may reach everything is outside of nothing; to all others an unreachable target reads the same, existing or not. */
export function isOutside(
  { kind, client }: Pick<Surface, 'kind' | 'client'>,
  { mayReach }: Caller,
  name: string,
): boolean {
  if (kind === 'control') return false
  const at = name.indexOf('__')
  if (client !== null) return !mayReach(client, name.startsWith(`${client}__`) ? name.slice(client.length + 2) : name)
  return !(at > 0 ? mayReach(name.slice(0, at), name.slice(at + 2)) : mayReach('', name))
}

/** No tool has this name, so no list of tools holds it. */
const EVERY_TOOL = '*'

/** A scope of some tools is no way to what its backend has beside them: resources and prompts are for who reaches all of it. */
export const reachesAllOf = ({ name }: Pick<Backend, 'name'>, { mayReach }: Pick<Caller, 'mayReach'>): boolean =>
  mayReach(name, EVERY_TOOL)

/** Methods by which an upstream announces what it has beside tools. */
const BESIDE_TOOLS = /^notifications\/(?:resources|prompts)\//

type Reacher = Pick<Caller, 'mayReach'>
const reachesAllAt = ({ client }: Pick<Surface, 'client'>, caller: Reacher): boolean =>
  client !== null && reachesAllOf({ name: client }, caller)

/** Whether what an upstream sends during a call is for this caller: news of resources and prompts are no part of a call. */
export const isForCaller = (method: string, surface: Pick<Surface, 'client'>, caller: Reacher): boolean =>
  !BESIDE_TOOLS.test(method) || reachesAllAt(surface, caller)

/** Whether a caller may be notified that a list of the surface changed; a change of tools is sent to all that have it open. */
export const mayHear = (kind: ListKind, surface: Pick<Surface, 'client'>, caller: Reacher): boolean =>
  kind === 'tools' || reachesAllAt(surface, caller)
