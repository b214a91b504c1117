// The pinned addresses are still permitted by today's policy: a row edited in the database, or a setting tightened since, is seen here.
import { mayDial } from '../../net/address.ts'
import type { Backend, Tool } from '../../registry/backend.ts'
import type { Guard } from '../call.ts'

/** A backend inside the process has no address, and nothing that could be refused. */
export function addressPermitted({ pins }: Backend, { definition }: Tool): boolean {
  if (pins === null) return true
  const own = definition.baseUrl === undefined ? undefined : new URL(definition.baseUrl).origin
  const pin = own === undefined || own === pins.base.origin ? pins.base : pins.servers[own]
  return (
    pin !== undefined &&
    pin.addresses.length > 0 &&
    pin.addresses.every((address) => mayDial(address, pin.port, pin.reach))
  )
}

/** Undefined where there is nothing to judge. The pins of a snapshot never change, so they are judged once. */
export function ssrf(backend: Backend, tool: Tool): Guard | undefined {
  if (backend.pins === null) return undefined
  const permitted = addressPermitted(backend, tool)
  const { name } = backend
  return () =>
    permitted
      ? undefined
      : {
          kind: 'refused',
          code: 'ssrf_blocked',
          text: `The address of "${name}" is not permitted. An administrator can re-discover the backend to pin it again.`,
        }
}
