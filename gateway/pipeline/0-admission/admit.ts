// Which calls are admitted: the tool exists and is on, the caller is on its list and within its own scope. Contract 5.8 stage 0.
import type { Guards } from '../../contract/admin/tool-guards.ts'
import type { Refused } from '../../outcome/outcome.ts'
import type { Registry } from '../../registry/backend.ts'
import { type Guard, subjectOf, type ToolCall } from '../call.ts'

type Sync = (call: ToolCall) => Refused | undefined

export function switchedOn(registry: Pick<Registry, 'isLeaving'>): Sync {
  return (call) => {
    const { backend, tool } = call
    if (!backend.enabled || tool.config.enabled === false)
      return {
        kind: 'refused',
        code: 'disabled',
        text: `${subjectOf(call)} is disabled. An administrator can enable it.`,
      }
    if (registry.isLeaving(backend.name))
      return {
        kind: 'refused',
        code: 'unregistering',
        text: `${subjectOf(call)} is going: its backend is being deleted.`,
      }
    return undefined
  }
}

/** On, staying, and there. */
export function availability(registry: Pick<Registry, 'isLive' | 'isEvicted' | 'isLeaving'>): Guard {
  const [on, there] = [switchedOn(registry), reachable(registry)]
  return (call) => on(call) ?? there(call)
}

/** Asked at the door, or, where something else may answer in its place, not before the backend would be. */
export function reachable(registry: Pick<Registry, 'isLive' | 'isEvicted'>): Sync {
  return ({ backend, calledAs }) =>
    registry.isLive(backend.name) && !registry.isEvicted(backend.name)
      ? undefined
      : {
          kind: 'refused',
          code: 'unreachable',
          text: `The backend of '${calledAs}' does not answer its health checks. It returns automatically when it does.`,
        }
}

/** Undefined when no list is in force. Matching is on the presented Bearer, of any kind. */
export function keyAllowlist(guards: Guards | undefined): Guard | undefined {
  if (!guards || (guards.allowedKeyHashes.length === 0 && guards.allowedKeyIds.length === 0)) return undefined
  const hashes = new Set(guards.allowedKeyHashes)
  const ids = new Set(guards.allowedKeyIds)
  return (call) => {
    const { caller } = call
    const listed =
      (caller.keyHash !== null && hashes.has(caller.keyHash)) || (caller.keyId !== null && ids.has(caller.keyId))
    return listed
      ? undefined
      : { kind: 'refused', code: 'allowed_key', text: `${subjectOf(call)} does not accept this credential.` }
  }
}

/** Says nothing about whether there is such a tool. */
export const outOfScope = (call: Pick<ToolCall, 'calledAs' | 'relayed'>): Refused => ({
  kind: 'refused',
  code: 'key_scope',
  text: `${subjectOf(call)} is outside the scope of this key.`,
})

export const keyScope: Guard = (call) =>
  call.caller.mayReach(call.backend.name, call.tool.name) ? undefined : outOfScope(call)
