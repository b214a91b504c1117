// What every part of an import has at hand while it writes.
import { createHash } from 'node:crypto'
import type { Items } from '../../contract/config-diff.ts'
import { type ConfigDoc, configText, type DocumentSection, itemText, nameOf } from '../../contract/config-document.ts'
import type { ErrorCode } from '../../contract/error.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Audit, ByActor } from '../../records/changes.ts'
import type { Tx } from '../../storage/schema.ts'

export type Mode = 'merge' | 'replace'

export type Applying = {
  readonly tx: Tx
  /** For what a change takes along, such as the keys of a bundle that goes. */
  readonly audit: Audit
  readonly by: ByActor
  readonly at: string
  readonly mode: Mode
  /** Every item as it was. */
  readonly present: Items
  readonly skip: (type: string, id: string, reason: string) => void
  /** Done once it is committed. */
  readonly later: (work: () => Promise<void> | void) => void
}

/** The SHA-256 of a document's bytes: its ETag. */
export const hashOf = (doc: ConfigDoc): string => createHash('sha256').update(configText(doc)).digest('hex')

/** What the parts of a record that are of no document begin as. */
export const fresh = ({ by, at }: Applying) =>
  ({ team_id: by.actor.teamId, revision: 1, created_at: at, updated_at: at, created_by: by.actor.name }) as const

/** Whether an item is there as it is wanted; then nothing is written. */
export function isPresent({ present }: Applying, section: DocumentSection, wanted: Readonly<Record<string, unknown>>) {
  const before = present[section].get(nameOf(section, wanted))
  return before !== undefined && itemText(section, before) === itemText(section, wanted)
}

/** What cannot be done here is told; what is wrong in the document stops the import. */
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
