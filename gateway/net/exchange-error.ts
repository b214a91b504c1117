// Why an exchange came to nothing: apart from the exchange itself, for what reads answers and makes no requests.
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
