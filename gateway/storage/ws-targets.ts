// WebSocket targets in the database.
import { type OwnedRow, ownedRows } from './owned.ts'

export type WsTargetRow = OwnedRow<'ws_targets'>
export const wsTargetRows = ownedRows('ws_targets')
