// The credential a call is sent with. A backend that is called as people never receives another one than that of the call's person.
import type { Backend, Registry, UpstreamCredential } from '../registry/backend.ts'
import { TokenUnavailable } from '../registry/credentials.ts'
import { type Acting, isPersonal } from './acting.ts'

export type Identified = { readonly backend: Backend; readonly acting?: Acting | undefined }
type Found = UpstreamCredential | undefined | Promise<UpstreamCredential | undefined>

const withoutPerson = (): TokenUnavailable =>
  new TokenUnavailable('upstream_error', 'was not asked, because this call is not made as a person')

export function credentialOf({ backend, acting }: Identified, shared: Registry['credential']): Found {
  if (acting) return acting.current()
  return isPersonal(backend) ? Promise.reject(withoutPerson()) : shared(backend.name)
}

export const elsewhere = (): TokenUnavailable =>
  new TokenUnavailable('upstream_error', 'was not asked, because the token of a person is for another address')

/** Of a server that receives no credential: where calls are made as people it receives no call either. */
export const withoutCredential = ({ backend }: Identified): Found =>
  isPersonal(backend) ? Promise.reject(elsewhere()) : undefined

/** After a 401. True when another token is there now. */
export const renewed = ({ backend, acting }: Identified, refresh: Registry['refreshCredential']): Promise<boolean> =>
  acting ? acting.renew() : refresh(backend.name)
