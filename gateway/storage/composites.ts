// Composites in the database, and the versions of their scripts: a new text is a new version, in the transaction that stores it.
import type { Selectable } from 'kysely'
import { fromText, type JsonText, jsonText } from './json-text.ts'
import { type OwnedRow, type OwnedRows, ownedRows } from './owned.ts'
import type { Query, Schema, Tx } from './schema.ts'
import type { StoredScript } from './stored.ts'

export type CompositeRow = OwnedRow<'composites'>
export type ScriptVersionRow = Selectable<Schema['script_versions']>

const MOST_VERSIONS = 20
const rows = ownedRows('composites')

/** Newest first. */
export const scriptVersions = (query: Query, compositeId: number): Promise<ScriptVersionRow[]> =>
  query
    .selectFrom('script_versions')
    .selectAll()
    .where('composite_id', '=', compositeId)
    .orderBy('version', 'desc')
    .limit(MOST_VERSIONS)
    .execute()

async function addVersion(tx: Tx, id: number, script: JsonText<StoredScript>): Promise<void> {
  const [latest] = await scriptVersions(tx, id)
  const { hash, author, source, outputSchema } = fromText(script)
  if (latest?.hash === hash) return
  const row = await rows.byId(tx, id)
  if (row === undefined) return
  const steps = fromText(row.steps)
  const version = (latest?.version ?? 0) + 1
  // A text that was approved once is approved when it comes back.
  const approved = row.approved_hash === hash ? { approved_by: row.approved_by, approved_at: row.approved_at } : {}
  await tx
    .insertInto('script_versions')
    .values({
      composite_id: id,
      version,
      hash,
      definition: jsonText({
        source,
        outputSchema,
        inputSchema: fromText(row.input_schema),
        tools: [...new Set(steps.map(({ targetClient, targetTool }) => `${targetClient}__${targetTool}`))].sort(),
      }),
      author,
      created_at: row.updated_at,
      ...approved,
    })
    .execute()
  await tx
    .deleteFrom('script_versions')
    .where('composite_id', '=', id)
    .where('version', '<=', version - MOST_VERSIONS)
    .execute()
}

export const compositeRows: OwnedRows<'composites'> = {
  ...rows,
  async insert(tx, row) {
    const id = await rows.insert(tx, row)
    if (row.script != null) await addVersion(tx, id, row.script)
    return id
  },
  async update(tx, id, change) {
    await rows.update(tx, id, change)
    if (change.script != null) await addVersion(tx, id, change.script)
  },
  async delete(tx, id) {
    await tx.deleteFrom('script_versions').where('composite_id', '=', id).execute()
    await rows.delete(tx, id)
  },
}

/** Of the text with this hash, and of no other. */
export async function approveScript(
  tx: Tx,
  id: number,
  approval: { readonly hash: string; readonly by: string; readonly at: string },
): Promise<void> {
  const { hash, by, at } = approval
  await rows.update(tx, id, { approved_hash: hash, approved_by: by, approved_at: at, updated_at: at })
  await tx
    .updateTable('script_versions')
    .set({ approved_by: by, approved_at: at })
    .where('composite_id', '=', id)
    .where('hash', '=', hash)
    .execute()
}
