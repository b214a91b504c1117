// Snapshots: the configuration as it was, kept inside the gateway, bounded in number. Contract 7.8, 10.10.

import type { SnapshotSummary } from '../../contract/admin/config-documents.ts'
import { type ConfigDoc, configText } from '../../contract/config-document.ts'
import { GatewayError } from '../../contract/error.ts'
import { idIn } from '../../contract/page.ts'
import type { By } from '../../records/changes.ts'
import {
  countSnapshots,
  deleteSnapshot,
  insertSnapshot,
  oldestAutomatic,
  type SnapshotHead,
  type SnapshotRow,
  snapshotById,
} from '../../storage/config-snapshots.ts'
import { fromText, type JsonText } from '../../storage/json-text.ts'
import type { Query, Tx } from '../../storage/schema.ts'
import { hashOf } from './applying.ts'

export type SnapshotKind = SnapshotSummary['kind']

const MOST = 200

export const summaryOf = (row: SnapshotHead): SnapshotSummary => ({
  id: row.id,
  label: row.label,
  kind: row.kind as SnapshotKind, // written below
  configHash: row.config_hash,
  createdAt: row.created_at,
  createdBy: row.created_by,
})

// Written below, from such a document.
export const docOf = (row: SnapshotRow): ConfigDoc => fromText(row.config)

export async function requiredSnapshot(query: Query, given: string): Promise<SnapshotRow> {
  const id = idIn(given)
  const row = id === undefined ? undefined : await snapshotById(query, id)
  if (row === undefined) throw new GatewayError('SNAPSHOT_NOT_FOUND', 'There is no such snapshot')
  return row
}

type Keeping = {
  readonly kind: SnapshotKind
  readonly label: string
  readonly doc: ConfigDoc
  readonly at: string
  readonly by: By
}

/** One that is taken before an import removes the oldest; one that a person takes is refused at the limit. */
export async function keepSnapshot(tx: Tx, { kind, label, doc, at, by }: Keeping): Promise<number> {
  if ((await countSnapshots(tx)) >= MOST) {
    const oldest = kind === 'manual' ? undefined : await oldestAutomatic(tx)
    if (oldest === undefined)
      throw new GatewayError('LIMIT_REACHED', `There are ${MOST} snapshots already: delete some first`)
    await deleteSnapshot(tx, oldest)
  }
  return insertSnapshot(tx, {
    label,
    kind,
    config: configText(doc) as JsonText<ConfigDoc>, // the text that its hash is of
    config_hash: hashOf(doc),
    created_at: at,
    created_by: by.actor.name,
  })
}
