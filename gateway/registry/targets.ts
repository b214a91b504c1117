// Additional servers of a backend, stored and in memory.

import type { Outbound } from '../net/outbound.ts'
import type { Pin } from '../net/pin.ts'
import { fromText, type JsonText } from '../storage/json-text.ts'
import type { LbTargetRow } from '../storage/lb-targets.ts'
import type { StoredCanary, StoredLb } from '../storage/stored.ts'

export type BackendServer = { readonly baseUrl: string; readonly pin: Pin }

export type CanaryTarget = BackendServer & Omit<StoredCanary, 'secondaryBaseUrl' | 'addresses'>
export type PoolTarget = BackendServer & { readonly id: number; readonly weight: number; readonly enabled: boolean }
export type Pool = StoredLb & { readonly targets: readonly PoolTarget[] }

export function openCanary(text: JsonText<StoredCanary>, outbound: Pick<Outbound, 'repin'>): CanaryTarget {
  const { secondaryBaseUrl: baseUrl, addresses, ...rest } = fromText(text)
  return { ...rest, baseUrl, pin: outbound.repin(baseUrl, addresses) }
}

export function openPool(
  text: JsonText<StoredLb>,
  rows: readonly LbTargetRow[],
  outbound: Pick<Outbound, 'repin'>,
): Pool {
  return {
    ...fromText(text),
    targets: rows.map((row) => ({
      id: row.id,
      baseUrl: row.base_url,
      pin: outbound.repin(row.base_url, fromText(row.addresses)),
      weight: row.weight,
      enabled: row.enabled === 1,
    })),
  }
}
