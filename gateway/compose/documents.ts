// The configuration as a document: exported, imported, and as it was.
import { configDocumentHandlers } from '../admin/config-documents.ts'
import type { MountTable } from '../admin/handlers.ts'
import { CONFIGURATION } from '../contract/index.ts'
import type { Http } from '../http/server.ts'
import type { McpKeys } from '../operations/access/mcp-keys.ts'
import type { Registration } from '../operations/backends/registration.ts'
import { createConfigDocuments } from '../operations/config/index.ts'
import type { InstallLinks } from '../operations/curation/install-links.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

type DocumentDeps = {
  readonly mount: MountTable
  readonly registration: Registration
  readonly mcpKeys: Pick<McpKeys, 'committed'>
  readonly installLinks: Pick<InstallLinks, 'withdraw'>
}

export function mountDocuments(
  base: Foundation,
  { limits: { spend } }: Http,
  calls: Calls,
  { mount, registration, mcpKeys, installLinks }: DocumentDeps,
): void {
  const documents = createConfigDocuments({
    ...base,
    ...calls,
    registration,
    envSecrets: base.loaded.envSecrets,
    access: { quota: calls.quota, budgets: calls.budgets, keys: calls.managedKeys },
    monitors: calls.monitorStates,
    revoke: calls.identity.vault.revoke,
    curation: { withdraw: installLinks.withdraw, withdrawn: (keys) => mcpKeys.committed(...keys) },
  })
  mount(CONFIGURATION.configDocuments, documents, configDocumentHandlers(documents, { spend }))
}
