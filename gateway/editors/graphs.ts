// What is known of an editor's graphs beside calling tools: history, undo, layouts, snapshots. Contract 7.9.

import type {
  Change,
  EditorHost,
  GraphDifference,
  GraphDocument,
  GraphLayout,
  StoredLayout,
  UndoResult,
} from '#pcg-contract'
import type { PcgSnapshot } from '../contract/admin/pcg-records.ts'
import { GatewayError } from '../contract/error.ts'
import type { Page } from '../contract/page.ts'
import type { Actor } from '../contract/role.ts'
import type { Base } from '../records/base.ts'
import type { By } from '../records/changes.ts'
import { type Revision, requireRevision } from '../records/changes.ts'
import { type SnapshotRow, snapshotById, snapshotsOf } from '../storage/editors.ts'
import { beforeId, type Paging, pageById } from '../storage/page.ts'
import type { Editors } from './editors.ts'
import { apiError } from './present.ts'
import { keepAutomatic, keepSnapshot } from './snapshots.ts'

type EditorGraphsDeps = Pick<Base, 'database' | 'changes' | 'clock'> & {
  readonly editors: Editors
  readonly host: Pick<EditorHost, 'compare' | 'document'>
}
export type EditorGraphs = ReturnType<typeof createEditorGraphs>

const MOST_LAYOUT_BYTES = 1_048_576

/** Every refusal of an editor is an answer of this API. */
async function asked<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw apiError(error)
  }
}

const snapshotOf = (row: Omit<SnapshotRow, 'state'>): PcgSnapshot => ({
  id: row.id,
  graph: row.graph,
  label: row.label,
  createdAt: row.created_at,
  createdBy: row.created_by,
  nodeCount: row.node_count,
  edgeCount: row.edge_count,
})

/** One spelling of a path: without the asset suffix. The editor judges the rest. */
const bare = (graph: string): string => graph.replace(/\.[^./]*$/, '')

export function createEditorGraphs({ database, changes, editors, host, clock }: EditorGraphsDeps) {
  async function stored(actor: Actor, name: string, id: number): Promise<SnapshotRow> {
    const row = await editors.required(actor, name)
    const snapshot = await snapshotById(database.query, row.id, id)
    if (!snapshot) throw new GatewayError('SNAPSHOT_NOT_FOUND', 'Snapshot not found')
    return snapshot
  }

  return {
    async history(
      actor: Actor,
      name: string,
      { graph, limit, cursor }: Paging & { readonly graph?: string | undefined },
    ): Promise<Page<Change>> {
      const { hosted } = await editors.live(actor, name)
      const before = beforeId(cursor)
      const rows = await asked(() =>
        hosted.history({
          limit: limit + 1,
          ...(graph === undefined ? {} : { graph }),
          ...(before === undefined ? {} : { before }),
        }),
      )
      return pageById(rows, limit)
    },

    async undo(
      by: By,
      name: string,
      selection: { readonly batchId: string } | { readonly changeId: number },
      dryRun: boolean,
    ): Promise<UndoResult> {
      const { hosted } = await editors.live(by.actor, name)
      let done: UndoResult
      try {
        done = await hosted.undo(selection, { actor: by.actor.name, source: 'ui', requestId: by.requestId }, dryRun)
      } catch (error) {
        const text = apiError(error)
        // Not there, not of a kind that can be taken back, or an editor that keeps its own history.
        throw text instanceof GatewayError && text.code === 'VALIDATION_ERROR'
          ? new GatewayError('NOT_UNDOABLE', text.message)
          : text
      }
      if (done.applied > 0)
        await changes(by, (_tx, audit) => audit('pcg.undo', name, { ...selection, applied: done.applied }))
      return done
    },

    async layout(actor: Actor, name: string, { graph }: { readonly graph: string }): Promise<StoredLayout> {
      const { hosted } = await editors.live(actor, name)
      return asked(() => hosted.layout(graph))
    },

    async saveLayout(
      actor: Actor,
      name: string,
      graph: string,
      layout: GraphLayout,
      expected: readonly Revision[],
    ): Promise<StoredLayout> {
      if (Buffer.byteLength(JSON.stringify(layout)) > MOST_LAYOUT_BYTES)
        throw new GatewayError('PAYLOAD_TOO_LARGE', 'A layout holds at most 1 MiB')
      const { hosted } = await editors.live(actor, name)
      const wanted = expected.filter((each) => typeof each === 'number')
      // Two that differ cannot both be right: the editor is not asked which.
      if (wanted[0] !== undefined) requireRevision(wanted[0], wanted)
      const saved = await asked(() => hosted.saveLayout(graph, layout, wanted[0]))
      if ('currentRevision' in saved) {
        requireRevision(saved.currentRevision, wanted)
        throw new GatewayError('PRECONDITION_FAILED', 'This record has changed since you read it; read it again')
      }
      return saved
    },

    async snapshots(
      actor: Actor,
      name: string,
      { graph, limit, cursor }: Paging & { readonly graph?: string | undefined },
    ): Promise<Page<PcgSnapshot>> {
      const row = await editors.required(actor, name)
      const rows = await snapshotsOf(database.query, row.id, {
        limit: limit + 1,
        before: beforeId(cursor),
        ...(graph === undefined ? {} : { graph: bare(graph) }),
      })
      return pageById(rows.map(snapshotOf), limit)
    },

    async takeSnapshot(
      by: By,
      name: string,
      { graph, label = null, automatic }: { graph: string; label?: string | null | undefined; automatic: boolean },
    ): Promise<PcgSnapshot> {
      const { row, hosted } = await editors.live(by.actor, name)
      const taken = await asked(() => hosted.snapshot(graph))
      const kept = automatic
        ? await keepAutomatic(database, row.id, taken, label, clock)
        : await keepSnapshot(database, row.id, taken, { label, author: by.actor.name }, clock)
      return snapshotOf(kept)
    },

    async snapshotDocument(actor: Actor, name: string, id: number): Promise<{ documents: readonly GraphDocument[] }> {
      const { graph, state } = await stored(actor, name, id)
      // Our own JSON; the host reads it again.
      const kept: unknown = JSON.parse(state)
      return { documents: [await asked(() => host.document(graph, kept))] }
    },

    async compare(actor: Actor, name: string, id: number, against: string): Promise<GraphDifference> {
      const before = await stored(actor, name, id)
      // Our own JSON; the host reads it again before it compares.
      const then: unknown = JSON.parse(before.state)
      if (against !== 'current') {
        const other: unknown = JSON.parse((await stored(actor, name, Number(against))).state)
        return asked(() => host.compare(before.graph, then, other))
      }
      const { hosted } = await editors.live(actor, name)
      const { state } = await asked(() => hosted.snapshot(before.graph))
      return asked(() => host.compare(before.graph, then, state))
    },
  }
}
