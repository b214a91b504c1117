// Guard policies in the database.
import { type OwnedRow, ownedRows } from './owned.ts'

export type PolicyRow = OwnedRow<'guard_policies'>
export const policyRows = ownedRows('guard_policies')
