// Between two editors: copies of graphs, readings of levels. Contract 7.9.
import type { GraphCopyInput, LevelReadInput } from '#contract'
import type { CallContext, LevelReport, TransferReport } from '#pcg-contract'
import type { Base } from '../records/base.ts'
import type { By } from '../records/changes.ts'
import type { Editors } from './editors.ts'
import { apiError } from './present.ts'
import { keepAutomatic } from './snapshots.ts'

type EditorTransfersDeps = Pick<Base, 'database' | 'changes' | 'clock' | 'log'> & { readonly editors: Editors }
export type EditorTransfers = ReturnType<typeof createEditorTransfers>

export function createEditorTransfers({ database, changes, editors, clock, log }: EditorTransfersDeps) {
  const contextOf = ({ actor, requestId }: By, label: string): CallContext => ({
    actor: actor.name,
    source: 'ui',
    requestId,
    label: label.slice(0, 120),
    // All graphs of one copy are undone together.
    batchId: requestId.slice(0, 64),
  })

  return {
    /** Cancelling would leave the caller without the report: a copy that has begun ends. */
    async copyGraph(by: By, name: string, { graph, to, path, replace }: GraphCopyInput): Promise<TransferReport> {
      const source = await editors.live(by.actor, name)
      const target = await editors.live(by.actor, to)
      const context = contextOf(by, `Copy from ${name}`)
      let report: TransferReport
      try {
        const documents = await source.hosted.exportGraph(graph, context)
        if (replace) {
          const before = await target.hosted.snapshot(path ?? graph).catch(() => null)
          if (before)
            await keepAutomatic(database, target.row.id, before, `Before the copy from ${name}`, clock).catch(
              (error: unknown) => log.warn('a graph was not kept before it was replaced', { editor: to, error }),
            )
        }
        report = await target.hosted.importGraph(documents, { path: path ?? null, replace }, context)
      } catch (error) {
        throw apiError(error)
      }
      const facts = { from: name, graph: report.graph, graphs: report.graphs.length, lost: report.lost.length, replace }
      await changes(by, (_tx, audit) => audit('pcg.graph.copy', to, facts))
      return report
    },

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
