// The routes of bundles on the admin API.
import type { FastifyInstance } from 'fastify'
import { CURATION } from '../contract/index.ts'
import type { Bundles } from '../operations/bundles.ts'
import { bundleHandlers } from './bundles.ts'
import { type MountParts, mount } from './mount.ts'

export type CurationParts = MountParts & { readonly bundles: Bundles }

export function mountCuration(app: FastifyInstance, parts: CurationParts): void {
  mount(app, CURATION.bundles, bundleHandlers(parts), parts)
}
