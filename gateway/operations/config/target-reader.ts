// The other servers of a backend that a document names: vetted before the import's transaction, those that are known already left as they were.
import type { ConfigClient } from '../../contract/config-document.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Outbound } from '../../net/outbound.ts'
import type { BackendRow } from '../../storage/backends.ts'
import { type LbTargetRow, lbTargetsOf } from '../../storage/lb-targets.ts'
import type { Query } from '../../storage/schema.ts'
import {
  requireDistinct,
  sameServer,
  storedCanary,
  targetIn,
  type Vetted,
  type VettedPool,
  vetServer,
} from '../backends/target-rows.ts'

/** Null clears it; what is absent stays. */
export type ReadTargets = {
  readonly canary?: Vetted | null
  readonly lb?: VettedPool | null
  /** Why it cannot be had here. */
  readonly skipped?: readonly string[]
}

export function createTargetReader(query: Query, outbound: Pick<Outbound, 'pin'>) {
  async function vettedCanary(
    wanted: NonNullable<ConfigClient['canary']>,
    row: BackendRow | undefined,
  ): Promise<Vetted> {
    const stored = row && storedCanary(row)
    const { secondaryBaseUrl: url } = wanted
    const known = stored && sameServer(stored.secondaryBaseUrl, url) ? stored.addresses : undefined
    return { ...wanted, addresses: known ?? (await vetServer(outbound, url, 'canary.secondaryBaseUrl')) }
  }

  async function vettedPool(
    { upstreams, ...wanted }: NonNullable<ConfigClient['lb']>,
    rows: readonly LbTargetRow[],
  ): Promise<VettedPool> {
    if (upstreams === undefined) return wanted
    const known = rows.map(targetIn)
    requireDistinct(upstreams.map(({ baseUrl }) => baseUrl))
    const vetted = upstreams.map(async (target, index) => ({
      ...target,
      addresses:
        known.find(({ baseUrl }) => sameServer(baseUrl, target.baseUrl))?.addresses ??
        (await vetServer(outbound, target.baseUrl, `lb.upstreams.${index}.baseUrl`)),
    }))
    return { ...wanted, upstreams: await Promise.all(vetted) }
  }

  return async function read({ canary, lb }: ConfigClient, row: BackendRow | undefined): Promise<ReadTargets> {
    const skipped: string[] = []
    const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error
        // An address that may not be dialled from here: the rest of the document is unaffected.
        skipped.push(error.message)
        return undefined
      }
    }
    const second = canary && (await attempt(() => vettedCanary(canary, row)))
    const pool = lb && (await attempt(async () => vettedPool(lb, row ? await lbTargetsOf(query, row.id) : [])))
    return {
      ...(second === undefined ? {} : { canary: second }),
      ...(pool === undefined ? {} : { lb: pool }),
      ...(skipped.length > 0 ? { skipped } : {}),
    }
  }
}
