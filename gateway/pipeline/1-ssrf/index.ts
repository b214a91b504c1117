// The pinned addresses are still permitted by today's policy: a row edited in the database, or a setting tightened since, is seen here.
import { mayDial } from '../../net/address.ts'
import type { Backend, Tool } from '../../registry/backend.ts'
import type { Guard } from '../call.ts'

/** Undefined for a backend inside the process, which has no address. The pins of a snapshot never change, so they are judged once. */
export function ssrf({ pins, name }: Backend, { definition }: Tool): Guard | undefined {
  if (pins === null) return undefined
  const own = definition.baseUrl === undefined ? undefined : new URL(definition.baseUrl).origin
  const pin = own === undefined || own === pins.base.origin ? pins.base : pins.servers[own]
  const permitted =
    pin !== undefined && pin.addresses.length > 0 && pin.addresses.every((address) => mayDial(address, pin.reach))
  return () =>
    permitted
      ? undefined
      : {
          kind: 'refused',
          code: 'ssrf_blocked',
          text: `The address of "${name}" is not permitted. An administrator can re-discover the backend to pin it again.`,
        }
}
