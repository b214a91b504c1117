// What an approval is for: this call by this caller, of the tool as it was when a person looked at it. Contract 8.7.
import { createHash } from 'node:crypto'
import type { Backend, Tool } from '../../registry/backend.ts'
import { routeOf, type ServerChoice } from '../6-targets/route.ts'
import { argsHash, canonical } from '../args-hash.ts'
import type { ToolCall } from '../call.ts'

export type TicketBinding = {
  readonly backendId: number
  readonly tool: string
  readonly argsHash: string
  readonly definitionHash: string
  readonly principal: string
  /** Empty where the caller acts for itself. */
  readonly actor: string
}

/** Snapshots are replaced, never changed. */
const hashes = new WeakMap<Tool, { readonly backend: Backend; readonly hash: string }>()

/** What the call would do and where, but not how the tool is presented or who has to agree. */
export function definitionHash(backend: Backend, tool: Tool): string {
  const known = hashes.get(tool)
  if (known?.backend === backend) return known.hash
  const { approval: _approval, overrides: _overrides, enabled: _enabled, contextBudget: _text, ...config } = tool.config
  const { baseUrl, pins } = backend
  const others = otherServers(routeOf(backend, tool))
  const hash = createHash('sha256')
    .update(
      canonical([
        tool.id,
        baseUrl,
        Object.keys(pins?.servers ?? {}).sort(),
        tool.definition,
        config,
        ...(others.length > 0 ? [others] : []),
      ]),
    )
    .digest('hex')
  hashes.set(tool, { backend, hash })
  return hash
}

/** Where calls of the tool may go beside the backend's own server. */
function otherServers(route: ServerChoice | undefined): readonly string[] {
  if (route === undefined) return []
  const targets = route.kind === 'pool' ? route.members.flatMap(({ target }) => target ?? []) : [route.target]
  return targets.map(({ baseUrl }) => baseUrl).sort()
}

export function bindingOf({ backend, tool, args, caller, actor = '' }: ToolCall): TicketBinding {
  return {
    backendId: backend.id,
    tool: tool.name,
    argsHash: argsHash(backend.name, tool.name, args),
    definitionHash: definitionHash(backend, tool),
    principal: caller.name,
    actor,
  }
}
