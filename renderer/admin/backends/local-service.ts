// A local service as it is shown: address and port.
import type { ClientDetail } from '#contract'

export type LocalService = Pick<NonNullable<ClientDetail['localService']>, 'address' | 'port'>

export const formatService = ({ address, port }: LocalService): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
