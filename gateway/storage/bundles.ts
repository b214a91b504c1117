// Bundles in the database.
import { type OwnedRow, ownedRows } from './owned.ts'

export type BundleRow = OwnedRow<'bundles'>
export const bundleRows = ownedRows('bundles')
