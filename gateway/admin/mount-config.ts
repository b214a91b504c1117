// The routes of configuration documents on the admin API.
import type { FastifyInstance } from 'fastify'
import { CONFIGURATION } from '../contract/index.ts'
import { type ConfigDocumentParts, configDocumentHandlers } from './config-documents.ts'
import { type MountParts, mount } from './mount.ts'

export function mountConfiguration(app: FastifyInstance, parts: MountParts & ConfigDocumentParts): void {
  mount(app, CONFIGURATION.configDocuments, configDocumentHandlers(parts), parts)
}
