// Between two editors, and between an editor and files: graphs, readings of levels. Contract 7.9.
import type { GraphCopyInput, GraphImportInput, GraphPatchInput, LevelReadInput } from '#contract'
import type { CallContext, GraphDocument, LevelReport, PatchReport, TransferReport } from '#pcg-contract'
import type { Base } from '../records/base.ts'
import type { By } from '../records/changes.ts'
import type { Editors } from './editors.ts'
import { apiError } from './present.ts'
import { keepAutomatic } from './snapshots.ts'

type EditorTransfersDeps = Pick<Base, 'database' | 'changes' | 'clock' | 'log'> & { readonly editors: Editors }
type Live = Awaited<ReturnType<Editors['live']>>
export type EditorTransfers = ReturnType<typeof createEditorTransfers>

const contextOf = ({ actor, requestId }: By, label: string): CallContext => ({
  actor: actor.name,
  source: 'ui',
  requestId,
  label: label.slice(0, 120),
  // All graphs of one copy are undone together.
  batchId: requestId.slice(0, 64),
})

function levelTransfers({ changes, editors }: Pick<EditorTransfersDeps, 'changes' | 'editors'>) {
  return {
    async readLevel(by: By, name: string, { from, resolution, replace }: LevelReadInput): Promise<LevelReport> {
      const target = await editors.live(by.actor, name)
      const source = await editors.live(by.actor, from)
      const context = contextOf(by, `Level from ${from}`)
      let report: LevelReport
      try {
        const shapes = await source.hosted.readLevel(resolution, context)
        report = await target.hosted.writeLevel(shapes, replace, context)
      } catch (error) {
        throw apiError(error)
      }
      const { landscapes, splines, volumes, removed } = report
      const facts = { from, level: report.level, landscapes, splines, volumes, removed, replace }
      await changes(by, (_tx, audit) => audit('pcg.level.read', name, facts))
      return report
    },
  }
}

export function createEditorTransfers({ database, changes, editors, clock, log }: EditorTransfersDeps) {
  /** The graph in a snapshot, before it is replaced. */
  async function keepBefore({ hosted, row }: Live, graph: string, label: string): Promise<void> {
    const before = await hosted.snapshot(graph).catch(() => null)
    if (before)
      await keepAutomatic(database, row.id, before, label, clock).catch((error: unknown) =>
        log.warn('a graph was not kept before it was replaced', { editor: row.name, error }),
      )
  }

  return {
    async exportGraph(by: By, name: string, graph: string): Promise<{ documents: readonly GraphDocument[] }> {
      const source = await editors.live(by.actor, name)
      try {
        return { documents: await source.hosted.exportGraph(graph, contextOf(by, `Export of ${graph}`)) }
      } catch (error) {
        throw apiError(error)
      }
    },

    async importGraph(by: By, name: string, { documents, path, replace }: GraphImportInput): Promise<TransferReport> {
      const target = await editors.live(by.actor, name)
      let report: TransferReport
      try {
        if (replace) await keepBefore(target, path ?? documents[0]?.path ?? '', 'Before the import')
        const context = contextOf(by, 'Import from a document')
        report = await target.hosted.importGraph(documents, { path: path ?? null, replace }, context)
      } catch (error) {
        throw apiError(error)
      }
      const facts = { graph: report.graph, graphs: report.graphs.length, lost: report.lost.length, replace }
      await changes(by, (_tx, audit) => audit('pcg.graph.import', name, facts))
      return report
    },

    async patchGraph(
      by: By,
      name: string,
      { graph, steps, dryRun, batchId, label }: GraphPatchInput,
    ): Promise<PatchReport> {
      const { hosted } = await editors.live(by.actor, name)
      let report: PatchReport
      try {
        const context = contextOf(by, label ?? 'Patch')
        report = await hosted.patchGraph(
          graph,
          steps,
          dryRun,
          batchId === undefined ? context : { ...context, batchId },
        )
      } catch (error) {
        throw apiError(error)
      }
      const facts = { graph: report.graph, steps: steps.length, changes: report.changes.length }
      if (report.applied) await changes(by, (_tx, audit) => audit('pcg.graph.patch', name, facts))
      return report
    },

    /** Cancelling would leave the caller without the report: a copy that has begun ends. */
    async copyGraph(by: By, name: string, { graph, to, path, replace }: GraphCopyInput): Promise<TransferReport> {
      const source = await editors.live(by.actor, name)
      const target = await editors.live(by.actor, to)
      const context = contextOf(by, `Copy from ${name}`)
      let report: TransferReport
      try {
        const documents = await source.hosted.exportGraph(graph, context)
        if (replace) await keepBefore(target, path ?? graph, `Before the copy from ${name}`)
        report = await target.hosted.importGraph(documents, { path: path ?? null, replace }, context)
      } catch (error) {
        throw apiError(error)
      }
      const facts = { from: name, graph: report.graph, graphs: report.graphs.length, lost: report.lost.length, replace }
      await changes(by, (_tx, audit) => audit('pcg.graph.copy', to, facts))
      return report
    },

    ...levelTransfers({ changes, editors }),
  }
}
