// What people put together of the tools there are: bundles and composites, on the admin API.
import { bundleHandlers, compositeHandlers } from '../admin/curation.ts'
import { type MountParts, mountAll } from '../admin/mount.ts'
import { CURATION } from '../contract/index.ts'
import type { Http } from '../http/server.ts'
import type { McpKeys } from '../operations/access/mcp-keys.ts'
import { type BundleParts, type Bundles, createBundles } from '../operations/curation/bundles.ts'
import { createComposites } from '../operations/curation/composites.ts'
import type { InstallLinks } from '../operations/curation/install-links.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

type Parts = {
  readonly shared: MountParts
  readonly show: BundleParts['show']
  readonly mcpKeys: Pick<McpKeys, 'callerOf' | 'committed'>
  readonly installLinks: Pick<InstallLinks, 'withdraw'>
}

export function mountCurated(
  { changes, clock }: Foundation,
  http: Http,
  { registry, curated, runComposite }: Calls,
  { shared, show, mcpKeys, installLinks }: Parts,
): Bundles {
  const bundles = createBundles({
    withdraw: installLinks.withdraw,
    withdrawn: (keys) => mcpKeys.committed(...keys),
    changes,
    registry,
    curated,
    show,
    callerOfKey: mcpKeys.callerOf,
    clock,
  })
  const composites = createComposites({ changes, registry, curated, runComposite, clock })
  const handlers = { bundles: bundleHandlers(bundles), composites: compositeHandlers(composites) }
  mountAll(http.app, CURATION, handlers, shared)
  return bundles
}
