// The routes of bundles and composites on the admin API.
import type { FastifyInstance } from 'fastify'
import { CURATION } from '../contract/index.ts'
import type { Bundles } from '../operations/curation/bundles.ts'
import type { Composites } from '../operations/curation/composites.ts'
import { bundleHandlers } from './bundles.ts'
import { compositeHandlers } from './composites.ts'
import { type MountParts, mount } from './mount.ts'

export type CurationParts = MountParts & { readonly bundles: Bundles; readonly composites: Composites }

export function mountCuration(app: FastifyInstance, parts: CurationParts): void {
  mount(app, CURATION.bundles, bundleHandlers(parts), parts)
  mount(app, CURATION.composites, compositeHandlers(parts), parts)
}
