// Catalog templates of administrators, in the database.
import { type OwnedRow, ownedRows } from './owned.ts'

export type CatalogRow = OwnedRow<'catalog_entries'>
export const catalogRows = ownedRows('catalog_entries', 'slug')
