// The embedded editor: a PCG engine over a project folder, nothing to install.
import path from 'node:path'
import type { Editor, EditorEvent } from '../editor.ts'
import { componentTools } from './component-tools.ts'
import { assetKey } from './content-path.ts'
import { edgeTools } from './edge-tools.ts'
import { createGenerations, DEFAULT_MAX_POINTS } from './generations.ts'
import { graphTools } from './graph-tools.ts'
import { createHistory, MOST_ENTRIES } from './history.ts'
import { openHistoryLog } from './history-log.ts'
import { inspectionTools } from './inspection-tools.ts'
import { lockProject } from './lock.ts'
import { nodeTools } from './node-tools.ts'
import { parameterTools } from './parameter-tools.ts'
import { graphAt, type Session } from './session.ts'
import { openStore } from './store.ts'
import { undo } from './undo.ts'
import { volumeTool } from './volume-tool.ts'

export type EmbeddedOptions = {
  /** The project folder; made when it is not there. */
  readonly directory: string
  /** Bound of one data of a generation. */
  readonly maxPoints?: number
  readonly now?: () => number
}

export async function openEmbeddedEditor(options: EmbeddedOptions): Promise<Editor> {
  const unlock = await lockProject(options.directory)
  try {
    return await openLocked(options, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

async function openLocked(options: EmbeddedOptions, unlock: () => void): Promise<Editor> {
  const store = await openStore(options.directory)
  const log = await openHistoryLog(path.join(options.directory, 'Saved', 'history.jsonl'), MOST_ENTRIES)
  const history = createHistory(log, options.now ?? Date.now)
  const listeners = new Set<(event: EditorEvent) => void>()
  const session: Session = {
    store,
    history,
    findGraph(path) {
      const found = store.assets.get(assetKey(path))?.doc
      return found?.kind === 'PCGGraph' ? found : undefined
    },
    emit(event) {
      for (const listener of listeners) listener(event)
      if (event.type === 'graph.changed') tellStale(event.graph)
    },
  }
  /** What was generated from an older graph is dirty: whoever watches the level should know. */
  function tellStale(graph: string): void {
    for (const actor of store.level.actors)
      if (generations.uses(actor, graph) && generations.stale(actor))
        session.emit({
          type: 'generation',
          actorName: actor.name,
          phase: 'dirty',
          taskId: null,
          message: 'The graph changed: clean up with remove_components, then generate',
        })
  }
  const generations = createGenerations(session, options.maxPoints ?? DEFAULT_MAX_POINTS)

  return {
    capabilities: [
      'nodePositions',
      'comments',
      'pinTypes',
      'nodeData',
      'timings',
      'undo',
      'cancel',
      'listGraphs',
      'generate',
    ],
    tools: {
      ...graphTools(session),
      ...nodeTools(session),
      ...edgeTools(session),
      ...parameterTools(session),
      ...componentTools(session, generations),
      ...volumeTool(session),
    },
    inspection: inspectionTools(session, generations),
    status: () => ({
      driver: 'embedded',
      project: store.project.name,
      level: store.levelPath,
      engine: 'Gantry embedded',
    }),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    history({ graph, limit, before }) {
      const path = graph === undefined ? undefined : graphAt(session, graph).path
      return history.entries
        .map(({ change }) => change)
        .filter(
          (change) => (path === undefined || change.graph === path) && (before === undefined || change.id < before),
        )
        .slice(-limit)
        .reverse()
    },
    async undo(selection, context, dryRun = false) {
      const result = await undo(session, selection, context, dryRun)
      const names = new Set(store.level.actors.filter((actor) => actor.component).map((actor) => actor.name))
      for (const name of Object.keys(store.level.generated))
        if (!names.has(name)) {
          generations.forget(name)
          delete store.level.generated[name]
        }
      return result
    },
    async place(graph, layout) {
      const { path, doc } = graphAt(session, graph)
      const known = new Set(doc.nodes.map((node) => node.name))
      const positions = Object.fromEntries(Object.entries(layout.nodes).filter(([name]) => known.has(name)))
      const asset = { path, doc: { ...doc, positions, comments: layout.comments.map((comment) => ({ ...comment })) } }
      store.assets.set(assetKey(path), asset)
      await store.saveAsset(asset)
    },
    cancel: (actorName) => generations.cancel(actorName),
    async close() {
      await generations.close()
      await store.settle()
      await log.settle()
      unlock()
      listeners.clear()
    },
  }
}
