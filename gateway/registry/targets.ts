// Additional servers of a backend, stored and in memory.
import type { CanaryInput, LbInput } from '../contract/admin/targets.ts'
import type { Outbound } from '../net/outbound.ts'
import type { Pin } from '../net/pin.ts'
import type { LbTargetRow } from '../storage/lb-targets.ts'

export type BackendServer = { readonly baseUrl: string; readonly pin: Pin }

export type CanaryTarget = BackendServer & Omit<StoredCanary, 'secondaryBaseUrl' | 'addresses'>
export type PoolTarget = BackendServer & { readonly id: number; readonly weight: number; readonly enabled: boolean }
export type Pool = StoredLb & { readonly targets: readonly PoolTarget[] }

/** The content of the column `canary`. */
export type StoredCanary = CanaryInput & {
  readonly addresses: readonly string[]
  readonly updatedAt: string
  readonly revision: number
}
/** The content of the column `lb`; the servers have their own table. */
export type StoredLb = Omit<LbInput, 'upstreams'> & { readonly revision: number }

// Written by the gateway in these shapes.
export const canaryIn = (text: string): StoredCanary => JSON.parse(text) as StoredCanary
export const lbIn = (text: string): StoredLb => JSON.parse(text) as StoredLb
export const addressesIn = ({ addresses }: Pick<LbTargetRow, 'addresses'>): string[] =>
  JSON.parse(addresses) as string[]

export function openCanary(text: string, outbound: Pick<Outbound, 'repin'>): CanaryTarget {
  const { secondaryBaseUrl: baseUrl, addresses, ...rest } = canaryIn(text)
  return { ...rest, baseUrl, pin: outbound.repin(baseUrl, addresses) }
}

export function openPool(text: string, rows: readonly LbTargetRow[], outbound: Pick<Outbound, 'repin'>): Pool {
  return {
    ...lbIn(text),
    targets: rows.map((row) => ({
      id: row.id,
      baseUrl: row.base_url,
      pin: outbound.repin(row.base_url, addressesIn(row)),
      weight: row.weight,
      enabled: row.enabled === 1,
    })),
  }
}
