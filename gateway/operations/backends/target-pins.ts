// A re-discovery vets the other servers of a backend again, as it does the backend's own.

import { GatewayError } from '../../contract/error.ts'
import type { Outbound } from '../../net/outbound.ts'
import { type BackendRow, backendByName } from '../../storage/backends.ts'
import { jsonText } from '../../storage/json-text.ts'
import { lbTargetsOf, updateLbTarget } from '../../storage/lb-targets.ts'
import type { Query, Tx } from '../../storage/schema.ts'
import type { StoredCanary } from '../../storage/stored.ts'
import { storedCanary, vetServer } from './target-rows.ts'

export type Revetted = {
  /** Servers that are vetted as they were. */
  readonly warnings: readonly string[]
  /** Where each is by now, for those that are still there; what the row of the backend says of it then. */
  write(tx: Tx, row: BackendRow): Promise<{ readonly canary?: BackendRow['canary'] }>
}

export async function revetted(query: Query, outbound: Pick<Outbound, 'pin'>, name: string): Promise<Revetted> {
  const row = await backendByName(query, name)
  const pool = row && row.lb !== null ? await lbTargetsOf(query, row.id) : []
  const second = row && storedCanary(row)
  const urls = [...(second ? [second.secondaryBaseUrl] : []), ...pool.map(({ base_url }) => base_url)]
  const found = new Map<string, readonly string[]>()
  const warnings: string[] = []
  const vet = async (url: string): Promise<void> => {
    try {
      found.set(url, await vetServer(outbound, url, 'baseUrl'))
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      warnings.push(`${url}, another server of this backend, no longer has a permitted address; its pin is unchanged.`)
    }
  }
  await Promise.all([...new Set(urls)].map(vet))
  return {
    warnings,
    async write(tx, now) {
      for (const { id, base_url } of now.lb === null ? [] : await lbTargetsOf(tx, now.id)) {
        const addresses = found.get(base_url)
        if (addresses) await updateLbTarget(tx, id, { addresses: jsonText(addresses) })
      }
      const stored = storedCanary(now)
      const addresses = stored && found.get(stored.secondaryBaseUrl)
      return stored && addresses ? { canary: jsonText({ ...stored, addresses } satisfies StoredCanary) } : {}
    },
  }
}
