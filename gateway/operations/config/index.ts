// What an administrator does with configuration documents: take one out, bring one in, keep one, go back to one. Contract 7.8.

import { stringify } from 'yaml'
import type { SnapshotSummary } from '../../contract/admin/config-documents.ts'
import { type DiffEntry, diffConfigs } from '../../contract/config-diff.ts'
import {
  type ConfigDoc,
  configText,
  type DocumentSection,
  sortedKeys,
  sortedLists,
} from '../../contract/config-document.ts'
import { parseConfig } from '../../contract/config-parse.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Page } from '../../contract/page.ts'
import type { Actor } from '../../contract/role.ts'
import { parseText } from '../../discovery/parse.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { deleteSnapshot, snapshotsBefore } from '../../storage/config-snapshots.ts'
import { beforeId, type Paging, pageById } from '../../storage/page.ts'
import { hashOf } from './applying.ts'
import { createBudgetReader } from './budgets.ts'
import { createCredentialReader } from './credentials.ts'
import { createIdentityReader } from './identity.ts'
import { createImport, type Imported, type ImportOptions, type ImportResult } from './import.ts'
import { readConfig } from './read.ts'
import { createReadying } from './ready.ts'
import { docOf, keepSnapshot, requiredSnapshot, summaryOf } from './snapshots.ts'
import { createTargetReader } from './target-reader.ts'

type ConfigDocumentsDeps = Omit<Parameters<typeof createImport>[0], 'ready'> &
  Omit<Parameters<typeof createReadying>[0], 'credentials' | 'identities' | 'targets' | 'budgets'> &
  Parameters<typeof createBudgetReader>[0] &
  Parameters<typeof createCredentialReader>[0] &
  Pick<Base, 'database' | 'changes'>

export type ConfigDocuments = ReturnType<typeof createConfigDocuments>
export type Exported = {
  readonly text: string
  readonly format: 'json' | 'yaml'
  readonly hash: string
  readonly at: string
}
type Importing = Omit<ImportOptions, 'as' | 'snapshot'>

const NEVER_REGISTERED = { registerClients: false } as const

export function createConfigDocuments(parts: ConfigDocumentsDeps) {
  const { database, changes, clock } = parts
  const at = (): string => new Date(clock.now()).toISOString()
  const ready = createReadying({
    ...parts,
    credentials: createCredentialReader(parts),
    identities: createIdentityReader(parts),
    targets: createTargetReader(parts.database.query, parts.outbound),
    budgets: createBudgetReader(parts),
  })
  const run = createImport({ ...parts, ready })

  return {
    async export(
      by: By,
      {
        format,
        sections,
      }: { readonly format: 'json' | 'yaml'; readonly sections?: readonly DocumentSection[] | undefined },
    ): Promise<Exported> {
      const doc = only(await readConfig(database.query), sections)
      const text = format === 'json' ? configText(doc) : yamlOf(doc)
      await changes(by, (_tx, audit) => audit('config.export', format, { sections: sections ?? 'all' }))
      return { text, format, hash: hashOf(doc), at: at() }
    },

    async import(by: By, given: unknown, wanted: Importing): Promise<ImportResult> {
      const { snapshotId: _kept, ...result } = await run(by, parseConfig(documentOf(given)), {
        ...wanted,
        as: { action: 'config.import', target: wanted.mode },
        snapshot: { kind: 'pre_import', label: 'Before an import' },
      })
      return result
    },

    async snapshots(_actor: Actor, { limit, cursor }: Paging): Promise<Page<SnapshotSummary>> {
      const rows = await snapshotsBefore(database.query, { before: beforeId(cursor), limit: limit + 1 })
      return pageById(rows.map(summaryOf), limit)
    },

    async takeSnapshot(by: By, { label }: { readonly label: string }): Promise<SnapshotSummary> {
      const id = await changes(by, async (tx, audit) => {
        const doc = await readConfig(tx)
        const made = await keepSnapshot(tx, { kind: 'manual', label, doc, at: at(), by })
        await audit('config.snapshot.create', String(made), { label, hash: hashOf(doc) })
        return made
      })
      return summaryOf(await requiredSnapshot(database.query, String(id)))
    },

    async snapshot(_actor: Actor, id: string): Promise<SnapshotSummary & { config: Record<string, unknown> }> {
      const row = await requiredSnapshot(database.query, id)
      return { ...summaryOf(row), config: docOf(row) }
    },

    deleteSnapshot: (by: By, id: string): Promise<void> =>
      changes(by, async (tx, audit) => {
        const row = await requiredSnapshot(tx, id)
        await deleteSnapshot(tx, row.id)
        await audit('config.snapshot.delete', String(row.id), { label: row.label })
      }),

    async diff(
      _actor: Actor,
      id: string,
      { against }: { readonly against: string },
    ): Promise<{ from: SnapshotSummary; to: 'current' | SnapshotSummary; entries: DiffEntry[] }> {
      const from = await requiredSnapshot(database.query, id)
      const to = against === 'current' ? undefined : await requiredSnapshot(database.query, against)
      const other = to ? docOf(to) : await readConfig(database.query)
      return {
        from: summaryOf(from),
        to: to ? summaryOf(to) : 'current',
        entries: diffConfigs(docOf(from), other),
      }
    },

    async rollback(
      by: By,
      id: string,
      { dryRun = false, confirm }: { readonly dryRun?: boolean; readonly confirm?: boolean | undefined },
    ): Promise<Imported> {
      const row = await requiredSnapshot(database.query, id)
      return run(by, parseConfig(docOf(row)), {
        ...NEVER_REGISTERED,
        mode: 'replace',
        dryRun,
        confirm,
        as: { action: 'config.snapshot.rollback', target: String(row.id) },
        snapshot: { kind: 'pre_rollback', label: `Before going back to "${row.label}"`.slice(0, 120) },
      })
    },
  }
}

/** YAML text is read here; anything else is a document already. */
function documentOf(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return parseText(given).value
  } catch (error) {
    if (error instanceof GatewayError) throw new GatewayError('IMPORT_ERROR', error.message)
    throw error
  }
}

function only(doc: ConfigDoc, sections: readonly DocumentSection[] | undefined): ConfigDoc {
  if (sections === undefined) return doc
  const kept = Object.fromEntries(sections.map((section) => [section, doc[section]]))
  return { kind: doc.kind, version: doc.version, ...kept }
}

const yamlOf = (doc: ConfigDoc): string =>
  stringify(sortedKeys(sortedLists(doc)), { lineWidth: 0, aliasDuplicateObjects: false })
