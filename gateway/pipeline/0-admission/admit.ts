// Who may knock at all: the tool is there and on, the caller is on its list and within its own scope. Contract 5.8 stage 0.
import type { Guards } from '../../contract/admin/tools.ts'
import type { Registry } from '../../registry/backend.ts'
import type { Guard, Refused } from '../call.ts'

export function availability(registry: Pick<Registry, 'isLive' | 'isEvicted' | 'isLeaving'>): Guard {
  return ({ backend, tool, calledAs }) => {
    if (!backend.enabled || tool.config.enabled === false)
      return {
        kind: 'refused',
        code: 'disabled',
        text: `Tool '${calledAs}' is disabled. An administrator can enable it.`,
      }
    if (registry.isLeaving(backend.name))
      return {
        kind: 'refused',
        code: 'unregistering',
        text: `Tool '${calledAs}' is going: its backend is being deleted.`,
      }
    if (!registry.isLive(backend.name) || registry.isEvicted(backend.name))
      return {
        kind: 'refused',
        code: 'unreachable',
        text: `The backend of '${calledAs}' does not answer its health checks. It returns by itself when it does.`,
      }
    return undefined
  }
}

/** Undefined when no list is in force. Matching is on the presented Bearer, whatever its kind. */
export function keyAllowlist(guards: Guards | undefined): Guard | undefined {
  if (!guards || (guards.allowedKeyHashes.length === 0 && guards.allowedKeyIds.length === 0)) return undefined
  const hashes = new Set(guards.allowedKeyHashes)
  const ids = new Set(guards.allowedKeyIds)
  return ({ caller, calledAs }) => {
    const listed =
      (caller.keyHash !== null && hashes.has(caller.keyHash)) || (caller.keyId !== null && ids.has(caller.keyId))
    return listed
      ? undefined
      : { kind: 'refused', code: 'allowed_key', text: `Tool '${calledAs}' does not accept this credential.` }
  }
}

/** Says nothing about whether there is such a tool. */
export const outOfScope = (calledAs: string): Refused => ({
  kind: 'refused',
  code: 'key_scope',
  text: `Tool '${calledAs}' is outside the scope of this key.`,
})

export const keyScope: Guard = ({ caller, backend, tool, calledAs }) =>
  caller.mayReach(backend.name, tool.name) ? undefined : outOfScope(calledAs)
