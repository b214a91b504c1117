// The addresses of a registration's URLs: resolved and checked now, or taken from stored pins. Contract 4.3.
import { discoveryError } from '../discovery/failure.ts'
import type { Discovery } from '../discovery/tool.ts'
import type { LocalService } from '../net/address.ts'
import type { Outbound } from '../net/outbound.ts'
import { type Pin, parseHttpUrl } from '../net/pin.ts'
import type { Pins } from './backend.ts'
import { pinOtherServers } from './other-servers.ts'

type Purpose = 'base' | 'health' | 'source'

export type Addresses = {
  pin(url: string, field: string, purpose: Purpose): Promise<Pin>
  /** Pins of operations on servers other than the base. */
  others(discovery: Discovery, base: Pin, warnings: string[]): Promise<Readonly<Record<string, Pin>>>
}

/** Resolves every name: for registration and re-discovery by a person. */
export function resolvedAddresses(outbound: Outbound, local: LocalService | undefined): Addresses {
  return {
    pin: (url, field) => outbound.pin(url, field, local),
    others: (discovery, base, warnings) => pinOtherServers(outbound, discovery, base, warnings),
  }
}

/** Resolves nothing: for automatic reads. Rejects an origin without a pin. */
export function storedAddresses(pins: Pins): Addresses {
  return {
    async pin(url, field, purpose) {
      const { origin } = parseHttpUrl(url, field)
      const found = [pins[purpose], pins.base, pins.health, pins.source].find((pin) => pin?.origin === origin)
      if (found) return found
      throw discoveryError(
        'fetch',
        `${field} leads to ${origin}, which has no pinned address: an administrator can re-discover the backend`,
      )
    },
    others: async () => pins.servers,
  }
}
