// The record of an edit, and what history shows of many: the same in every editor.
import type { InspectionOutput } from '../catalog/index.ts'
import type { CallContext, Change, HostedEditor } from '../contract/index.ts'
import { assetKey } from './content-path.ts'
import type { Turns } from './turns.ts'

type Edit = Pick<Change, 'id' | 'tool' | 'args' | 'graph' | 'undoable'>
export function changeOf(edit: Edit, context: CallContext, turns: Turns, atMs: number): Change {
  return {
    ...edit,
    at: new Date(atMs).toISOString(),
    actor: context.actor,
    ...(context.program === undefined ? {} : { program: context.program }),
    source: context.source,
    batchId: turns.batchOf(context, edit.id),
    label: context.label ?? null,
    undone: false,
    requestId: context.requestId ?? null,
  }
}

/** Newest first; `graph` is a content path. */
export function newest(
  changes: readonly Change[],
  { graph, limit, before }: Parameters<HostedEditor['history']>[0],
): readonly Change[] {
  const fits = (change: Change): boolean =>
    (graph === undefined || (change.graph !== null && assetKey(change.graph) === assetKey(graph))) &&
    (before === undefined || change.id < before)
  return changes.filter(fits).slice(-limit).reverse()
}

export function editHistory(changes: readonly Change[]): InspectionOutput<'get_pcg_edit_history'> {
  return {
    changes: changes.map(({ id, at, actor, batchId, label, tool, graph, undoable, undone }) => ({
      id,
      at,
      actor,
      batch_id: batchId,
      label,
      tool,
      graph,
      undoable,
      undone,
    })),
  }
}
