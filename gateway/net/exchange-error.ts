// The errors of an exchange, in a file of their own for code that reads answers but makes no requests.
export type ExchangeFailure =
  | 'timeout'
  | 'network'
  | 'too_large'
  | 'no_room'
  | 'no_socket'
  | 'bad_response'
  | 'cancelled'
  | 'blocked'

export class ExchangeError extends Error {
  readonly kind: ExchangeFailure
  constructor(kind: ExchangeFailure, message: string) {
    super(message)
    this.name = 'ExchangeError'
    this.kind = kind
  }
}
