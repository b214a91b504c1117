// Builds graphs in a copy of the open project; one change each makes them visible.
import type { CallContext } from '../contract/index.ts'
import { assetKey, contentPath } from '../editor/content-path.ts'
import { emptyGraph, type GraphDoc } from '../editor/document.ts'
import { PcgError } from '../editor/editor.ts'
import type { BuildSite } from '../editor/import-graphs.ts'
import { edgeTools } from './edge-tools.ts'
import { withForeignNodes } from './foreign-nodes.ts'
import { nodeTools, settingsTools } from './node-tools.ts'
import { parameterTools } from './parameter-tools.ts'
import { commitGraph, type EditorSession, graphAt } from './session.ts'

/** A session whose edits stay in memory. */
function scratchOf(session: EditorSession): EditorSession {
  const assets = new Map(session.store.assets)
  return {
    store: { ...session.store, assets, saveAsset: async () => null },
    history: {
      ...session.history,
      record: (call, target) => ({
        id: 1,
        at: new Date(0).toISOString(),
        actor: call.context.actor,
        source: call.context.source,
        batchId: null,
        label: null,
        tool: call.tool,
        args: call.args,
        graph: 'graph' in target ? target.graph : null,
        undoable: false,
        undone: false,
        requestId: null,
      }),
      forgetLast: () => undefined,
    },
    findGraph(path) {
      const found = assets.get(assetKey(path))?.doc
      return found?.kind === 'PCGGraph' ? found : undefined
    },
    emit: () => undefined,
  }
}

/** `/MyPlugin/A` of a real editor is `/Game/MyPlugin/A` here: a project folder has one root. */
function placeOf(source: string): string {
  const bare = (/^\w*'([^']*)'$/.exec(source)?.[1] ?? source).split('.')[0] ?? source
  return contentPath(/^\/game\//i.test(bare) ? bare : `/Game${bare}`)
}

export function importSite(session: EditorSession, context: CallContext): BuildSite {
  const scratch = scratchOf(session)
  const finished: string[] = []
  return {
    pathFor: placeOf,
    has: async (path) => scratch.store.assets.has(assetKey(path)),
    async begin(path) {
      const found = scratch.store.assets.get(assetKey(path))
      if (found && found.doc.kind !== 'PCGGraph')
        throw new PcgError('INVALID_ARGUMENT', `${found.path} is a ${found.doc.kind}: choose another path`)
      scratch.store.assets.set(assetKey(path), { path: found?.path ?? path, doc: emptyGraph() })
      return path
    },
    tools: withForeignNodes(scratch, {
      ...nodeTools(scratch),
      ...settingsTools(scratch),
      ...edgeTools(scratch),
      ...parameterTools(scratch),
    }),
    async finish(built, path, titles) {
      const { doc } = graphAt(scratch, built)
      const nodes = doc.nodes.map((node) => {
        const title = titles[node.name]
        return title === undefined ? node : { ...node, title }
      })
      scratch.store.assets.set(assetKey(path), { path, doc: { ...doc, nodes } })
      finished.push(path)
      return new Map()
    },
    async commit() {
      const before = new Map(finished.map((path) => [path, session.store.assets.get(assetKey(path))]))
      for (const path of finished) {
        const doc: GraphDoc = graphAt(scratch, path).doc
        const call = { tool: 'copy_graph', args: { pcg_graph_path: path }, context }
        const { save_error } = await commitGraph(session, path, doc, call)
        if (save_error === null) continue
        for (const [done, old] of before) {
          if (old) session.store.assets.set(assetKey(done), old)
          else session.store.assets.delete(assetKey(done))
        }
        throw new PcgError('EDITOR_ERROR', `Nothing was copied. ${save_error}`)
      }
    },
    abandon: async () => undefined,
  }
}
