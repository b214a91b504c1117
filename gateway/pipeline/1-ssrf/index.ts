// The pinned addresses are still permitted by today's policy: a row edited in the database, or a setting tightened since, is seen here.
import { mayDial } from '../../net/address.ts'
import type { Pin } from '../../net/pin.ts'
import type { Refused } from '../../outcome/outcome.ts'
import type { Backend, Tool } from '../../registry/backend.ts'
import { socketOf } from '../../registry/socket-pin.ts'
import type { ServerChoice } from '../6-targets/route.ts'
import type { Guard } from '../call.ts'

export const pinPermitted = ({ addresses, port, reach }: Pin): boolean =>
  addresses.length > 0 && addresses.every((address) => mayDial(address, port, reach))

/** A backend inside the process has no address, and nothing that could be refused. */
export function addressPermitted(backend: Backend, tool: Tool): boolean {
  const { pins } = backend
  const { definition } = tool
  if (pins === null) return true
  const own = definition.baseUrl === undefined ? undefined : new URL(definition.baseUrl).origin
  const http = own === undefined || own === pins.base.origin ? pins.base : pins.servers[own]
  const pin = socketOf(backend, tool)?.pin ?? http
  return pin !== undefined && pinPermitted(pin)
}

export const ssrfBlocked = ({ name }: Pick<Backend, 'name'>): Refused => ({
  kind: 'refused',
  code: 'ssrf_blocked',
  text: `The address of "${name}" is not permitted. An administrator can re-discover the backend to pin it again.`,
})

/**
 * Undefined where there is nothing to judge. The pins of a snapshot never change, so they are judged once. A second
 * server is judged where a call is sent there, a pool here: those of it that may not be dialled are not in it.
 */
export function ssrf(backend: Backend, tool: Tool, route?: ServerChoice): Guard | undefined {
  if (backend.pins === null) return undefined
  const permitted = addressPermitted(backend, tool) && (route?.kind !== 'pool' || route.members.length > 0)
  return () => (permitted ? undefined : ssrfBlocked(backend))
}
