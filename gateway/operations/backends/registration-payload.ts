// What of a registration payload is stored, and whether its source can be read again.
import type { RegistrationPayload, SourceInput } from '../../contract/registration.ts'
import type { Payload, Plan } from '../../registry/plan.ts'

/** Tools and commands given by hand have no source to fetch; a collection with a secret in it was not stored. */
export function isRereadable(registration: RegistrationPayload, input: SourceInput): boolean {
  return input !== 'tools' && input !== 'curl_input' && registration[input] !== undefined
}

/** A pasted command or collection may hold a secret in its text: only what was read from it is stored. */
export function withoutSecrets(payload: Payload, { credential }: Plan): Payload {
  if (credential === undefined) return payload
  const { curl_input: _curl, client_collection: _collection, ...rest } = payload
  return rest
}
