// The context of an import while it writes, and its writes to tables of owned records.
import { createHash } from 'node:crypto'
import type { Insertable, Updateable } from 'kysely'
import type { Items } from '../../contract/config-diff.ts'
import { type ConfigDoc, configText, type DocumentSection, itemText, nameOf } from '../../contract/config-document.ts'
import type { ErrorCode } from '../../contract/error.ts'
import { GatewayError } from '../../contract/error.ts'
import { type Audit, type By, difference } from '../../records/changes.ts'
import type { OwnedRow, OwnedRows, OwnedTable } from '../../storage/owned.ts'
import type { Schema, Tx } from '../../storage/schema.ts'
import type { Granted } from '../../storage/upstream-grants.ts'

export type Mode = 'merge' | 'replace'

export type Applying = {
  readonly tx: Tx
  /** For changes that follow from others, such as revoked keys of a deleted bundle. */
  readonly audit: Audit
  readonly by: By
  readonly at: string
  readonly mode: Mode
  /** Every item as it was. */
  readonly present: Items
  readonly skip: (type: string, id: string, reason: string) => void
  /** Ends the connection of a person, at its provider as well. */
  readonly revoke: (by: By, backend: string, granted: Granted) => Promise<void>
  /** Done once it is committed. */
  readonly later: (work: () => Promise<void> | void) => void
}

/** The SHA-256 of a document's bytes: its ETag. */
export const hashOf = (doc: ConfigDoc): string => createHash('sha256').update(configText(doc)).digest('hex')

/** The columns of a new record that no document states. */
export const fresh = ({ by, at }: Applying) =>
  ({ team_id: by.actor.teamId, revision: 1, created_at: at, updated_at: at, created_by: by.actor.name }) as const

/** Writes an item over the record of its name, or as a new one. Returns its id, undefined where nothing changed. */
export async function put<T extends OwnedTable, Row>(
  applying: Applying,
  rows: OwnedRows<T, Row>,
  named: { readonly name: string } | { readonly slug: string },
  columns: Updateable<Schema[T]>,
): Promise<number | undefined> {
  const { tx, at } = applying
  const row = await rows.byName(tx, 'name' in named ? named.name : named.slug)
  const { id } = (row ?? {}) as { readonly id?: number } // every table has ids
  if (row === undefined || id === undefined)
    return rows.insert(tx, { ...fresh(applying), ...named, ...columns } as unknown as Insertable<Schema[T]>) // all its columns
  if (!difference(row, columns)) return undefined // a plain record
  await rows.update(tx, id, { ...columns, updated_at: at }) // every table has this column
  return id
}

export const namesOf = (items: readonly { readonly name: string }[]): ReadonlySet<string> =>
  new Set(items.map(({ name }) => name))

/** Deletes the records that a document does not name. */
export async function dropOthers<T extends OwnedTable, Row>(
  { tx }: Applying,
  rows: OwnedRows<T, Row>,
  named: ReadonlySet<string>,
  before: (row: OwnedRow<T> & { readonly id: number; readonly name: string }) => Promise<boolean | void> = async () =>
    undefined,
): Promise<void> {
  for (const each of await rows.all(tx)) {
    const { slug, ...record } = each as unknown as {
      readonly id: number
      readonly name: string
      readonly slug?: string
    } // see `put`
    const row = { ...each, ...record, name: slug ?? record.name }
    if (!named.has(row.name) && (await before(row)) !== false) await rows.delete(tx, row.id)
  }
}

/** Whether the item exists with these very values. */
export function isPresent({ present }: Applying, section: DocumentSection, wanted: Readonly<Record<string, unknown>>) {
  const before = present[section].get(nameOf(section, wanted))
  return before !== undefined && itemText(section, before) === itemText(section, wanted)
}

/** A skippable error is reported in the result; any other one stops the import. */
export async function attempt(
  work: () => Promise<void> | void,
  place: string,
  skippable: readonly ErrorCode[],
  skip: (reason: string) => void,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    if (skippable.includes(error.code)) return skip(error.message)
    throw new GatewayError('IMPORT_ERROR', `${place}: ${error.message}`, {
      fields: [{ path: place, message: error.message }],
    })
  }
}
