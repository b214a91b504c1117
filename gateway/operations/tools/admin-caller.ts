// An administrator as the caller of a tool: the try-it runner meets the same guards as an agent does. Contract 7.3.
import { personOf } from '../../auth/person.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Caller } from '../../pipeline/call.ts'
import type { LiveRegistry } from '../../registry/registry.ts'

export function adminCaller(actor: Actor, registry: Pick<LiveRegistry, 'known'>): Caller {
  return {
    name: actor.name,
    kind: 'admin',
    keyHash: null,
    keyId: null,
    // The key of the environment is elevated, and so is who needs no credential at all (contract 2.1).
    elevated: actor.kind === 'bearer' || actor.kind === 'disabled',
    consumerId: null,
    teamId: actor.teamId,
    adminRole: actor.role,
    bundles: null,
    person: personOf(actor),
    namesPeople: false,
    onEnd: null,
    mayReach(client) {
      const backend = registry.known(client)
      return backend === undefined || mayTouch(actor, backend)
    },
  }
}
