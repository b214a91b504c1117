// The pinned addresses are still permitted by today's policy: a row edited in the database, or a setting tightened since, is seen here.
import { mayDial } from '../../net/address.ts'
import type { Guard } from '../call.ts'

export const ssrf: Guard = ({ backend }) => {
  // A backend inside the process has no address.
  if (backend.pins === null) return undefined
  const { addresses, reach } = backend.pins.base
  if (addresses.length > 0 && addresses.every((address) => mayDial(address, reach))) return undefined
  return {
    kind: 'refused',
    code: 'ssrf_blocked',
    text: `The address of "${backend.name}" is not permitted. An administrator can re-discover the backend to pin it again.`,
  }
}
