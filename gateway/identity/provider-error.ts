// Why an authorization server gave no token, in our own words: its answers could repeat a secret.

/** `invalid_grant`: the grant has ended. `refused`: asking again gives the same. `unavailable`: it may give one later. */
export type ProviderFailure = 'invalid_grant' | 'refused' | 'unavailable'

export class ProviderError extends Error {
  readonly failure: ProviderFailure
  constructor(failure: ProviderFailure, message: string) {
    super(message)
    this.name = 'ProviderError'
    this.failure = failure
  }
}
