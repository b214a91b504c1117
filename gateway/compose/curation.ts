// What people put together of the tools there are: bundles and composites, on the admin API.
import type { MountTable } from '../admin/handlers.ts'
import { CURATION } from '../contract/index.ts'
import type { McpKeys } from '../operations/access/mcp-keys.ts'
import { type BundleDeps, type Bundles, createBundles } from '../operations/curation/bundles.ts'
import { createComposites } from '../operations/curation/composites.ts'
import type { InstallLinks } from '../operations/curation/install-links.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

type CuratedDeps = {
  readonly mount: MountTable
  readonly show: BundleDeps['show']
  readonly countTokens: BundleDeps['countTokens']
  readonly mcpKeys: Pick<McpKeys, 'callerOf' | 'committed'>
  readonly installLinks: Pick<InstallLinks, 'withdraw'>
}

export function mountCurated(
  base: Foundation,
  { registry, curated, runComposite }: Calls,
  { mount, show, countTokens, mcpKeys, installLinks }: CuratedDeps,
): Bundles {
  const bundles = createBundles({
    ...base,
    withdraw: installLinks.withdraw,
    withdrawn: (keys) => mcpKeys.committed(...keys),
    registry,
    curated,
    show,
    countTokens,
    callerOfKey: mcpKeys.callerOf,
    maxTools: base.settings.MAX_TOOLS_PER_BUNDLE,
  })
  mount(CURATION.bundles, bundles)
  mount(CURATION.composites, createComposites({ ...base, registry, curated, runComposite }))
  return bundles
}
