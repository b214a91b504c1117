// Composites in the database.
import { type OwnedRow, ownedRows } from './owned.ts'

export type CompositeRow = OwnedRow<'composites'>
export const compositeRows = ownedRows('composites')
