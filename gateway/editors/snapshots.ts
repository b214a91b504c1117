// Snapshots are kept: those that a person takes up to a limit, those taken without being asked while they say something new.

import type { GraphSnapshot } from '#pcg-contract'
import { GatewayError } from '../contract/error.ts'
import type { Database } from '../storage/database.ts'
import {
  countSnapshots,
  forgetSnapshots,
  insertSnapshot,
  newestSnapshot,
  type SnapshotRow,
} from '../storage/editors.ts'
import { jsonText } from '../storage/json-text.ts'
import type { Tx } from '../storage/schema.ts'

const MOST_SNAPSHOTS = 1000
const MOST_AUTOMATIC = 200
/** Made without a request. */
const AUTHOR = 'system'

type Clock = { now(): number }
type StoredSnapshot = Omit<SnapshotRow, 'state'>

/** Counted and inserted one after another. */
const lockOf = (editorId: number): string => `snapshots of ${editorId}`

async function insert(
  tx: Tx,
  editorId: number,
  { graph, state, nodeCount, edgeCount }: GraphSnapshot,
  { label, author }: { readonly label: string | null; readonly author: string },
  clock: Clock,
): Promise<StoredSnapshot> {
  const values = {
    editor_id: editorId,
    graph,
    label,
    state: jsonText(state),
    node_count: nodeCount,
    edge_count: edgeCount,
    created_at: new Date(clock.now()).toISOString(),
    created_by: author,
  }
  return { ...values, id: await insertSnapshot(tx, values) }
}

export async function keepSnapshot(
  database: Database,
  editorId: number,
  taken: GraphSnapshot,
  as: { readonly label: string | null; readonly author: string },
  clock: Clock,
): Promise<StoredSnapshot> {
  return database.write(async (tx) => {
    if ((await countSnapshots(tx, editorId)) >= MOST_SNAPSHOTS)
      throw new GatewayError('LIMIT_REACHED', `An editor keeps at most ${MOST_SNAPSHOTS} snapshots`)
    return insert(tx, editorId, taken, as, clock)
  }, lockOf(editorId))
}

/** Where nothing changed since the newest, that one is answered. */
export async function keepAutomatic(
  database: Database,
  editorId: number,
  taken: GraphSnapshot,
  label: string | null,
  clock: Clock,
): Promise<StoredSnapshot> {
  return database.write(async (tx) => {
    const newest = await newestSnapshot(tx, editorId, taken.graph)
    if (newest?.state === JSON.stringify(taken.state)) return newest
    // Room is made first: they never take the place of what a person wants kept.
    await forgetSnapshots(tx, editorId, AUTHOR, MOST_AUTOMATIC - 1)
    return insert(tx, editorId, taken, { label, author: AUTHOR }, clock)
  }, lockOf(editorId))
}
