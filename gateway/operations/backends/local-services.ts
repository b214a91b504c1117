// Local services: one address and port that an admin allows for one backend, stored with its pins. Nothing else opens.

import type { LocalService } from '../../contract/admin/local-services.ts'
import { GatewayError } from '../../contract/error.ts'
import { isSuperadmin } from '../../contract/role.ts'
import { isLocalAddress } from '../../net/address.ts'
import type { Base } from '../../records/base.ts'
import type { Audit, By } from '../../records/changes.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { localIn, withLocal } from '../../registry/snapshot.ts'
import { type BackendRow, backendByName, updateBackend } from '../../storage/backends.ts'
import type { JsonText } from '../../storage/json-text.ts'
import type { Tx } from '../../storage/schema.ts'
import type { AllowedService, StoredPins } from '../../storage/stored.ts'

type LocalServicesDeps = Pick<Base, 'changes' | 'outbound' | 'clock'> & {
  readonly registry: LiveRegistry
  readonly upstreams: { close(name: string): Promise<void> }
}

export type LocalServices = ReturnType<typeof createLocalServices>

/** A change of address may end the permission of a backend; its end is audited. */
export async function auditEnd(
  audit: Audit,
  name: string,
  before: BackendRow['pins'],
  after: JsonText<StoredPins>,
): Promise<void> {
  const was = localIn(before)
  if (was && !localIn(after)) await audit('client.local_service.revoke', name, serviceOf(was))
}

const serviceOf = ({ address, port }: LocalService): LocalService => ({ address, port })

export function createLocalServices({ changes, registry, outbound, clock, upstreams }: LocalServicesDeps) {
  const at = (): string => new Date(clock.now()).toISOString()

  async function rowOf(tx: Tx, name: string): Promise<BackendRow> {
    const row = await backendByName(tx, name)
    if (row === undefined) throw new GatewayError('CLIENT_NOT_FOUND', 'Client not found')
    return row
  }

  function allowedBy({ actor }: By, service: LocalService): AllowedService {
    if (!isSuperadmin(actor))
      throw new GatewayError('FORBIDDEN', 'Only an admin without a team may allow a local service')
    if (isLocalAddress(service.address)) return { ...serviceOf(service), by: actor.name, at: at() }
    const message = 'is not a local address that can be allowed, or is spelled differently'
    throw new GatewayError('VALIDATION_ERROR', `address ${message}`, { fields: [{ path: 'address', message }] })
  }

  return {
    async find(_by: By, { url }: { readonly url: string }): Promise<{ services: LocalService[] }> {
      return { services: [...(await outbound.localServices(url))] }
    },

    /** For a registration or preview. Audited before anything is sent, because the request itself is the access. */
    async forRequest(by: By, name: string | undefined, given: LocalService | undefined, request: string) {
      if (given === undefined) return undefined
      const allowed = allowedBy(by, given)
      await changes(by, (_tx, audit) =>
        audit('client.local_service.allow', name ?? '', { ...serviceOf(given), request }),
      )
      return allowed
    },

    async allow(by: By, name: string, given: LocalService): Promise<AllowedService> {
      const local = allowedBy(by, given)
      await changes(by, async (tx, audit) => {
        const { id, pins: before } = await rowOf(tx, name)
        const pins = before && withLocal(before, local)
        if (pins === null || !localIn(pins))
          throw new GatewayError('NOT_APPLICABLE', `"${name}" is not pinned to ${local.address} and port ${local.port}`)
        await updateBackend(tx, id, { pins, updated_at: local.at })
        await audit('client.local_service.allow', name, serviceOf(local))
      })
      await registry.reload(name, 'changed')
      return local
    },

    async revoke(by: By, name: string): Promise<void> {
      await changes(by, async (tx, audit) => {
        const { id, pins } = await rowOf(tx, name)
        const local = localIn(pins)
        if (pins === null || !local)
          throw new GatewayError('NOT_CONFIGURED', `No local service is allowed for "${name}"`)
        await updateBackend(tx, id, { pins: withLocal(pins, undefined), updated_at: at() })
        await audit('client.local_service.revoke', name, serviceOf(local))
      })
      await registry.reload(name, 'changed')
      // Connections that are open, and calls on them, end now.
      await Promise.all([outbound.drop(name), upstreams.close(name)])
    },
  }
}
