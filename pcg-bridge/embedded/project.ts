// An open project folder: its tools, history, undo and generation, under a lock until it is closed.
import path from 'node:path'
import { type EditorEvent, type EditorState, USUAL_SEED } from '../contract/index.ts'
import { assetKey } from '../editor/content-path.ts'
import type { Editor } from '../editor/editor.ts'
import { componentTools, generationTools } from './component-tools.ts'
import { edgeTools } from './edge-tools.ts'
import { createGenerations, DEFAULT_MAX_POINTS } from './generations.ts'
import { graphTools } from './graph-tools.ts'
import { createHistory, MOST_ENTRIES } from './history.ts'
import { openHistoryLog } from './history-log.ts'
import { importSite } from './import-site.ts'
import { inspectionTools } from './inspection-tools.ts'
import { writeLevel } from './level-write.ts'
import { lockProject } from './lock.ts'
import { nodeTools, settingsTools } from './node-tools.ts'
import { parameterTools } from './parameter-tools.ts'
import { actorAt, changesOf, commitOrRevert, type EditorSession, graphAt } from './session.ts'
import { createSimulate } from './simulate.ts'
import { openStore } from './store.ts'
import { undo } from './undo.ts'
import { volumeTool } from './volume-tool.ts'

export type ProjectOptions = {
  /** Created if it does not exist. */
  readonly directory: string
  /** Bound of one data of a generation. */
  readonly maxPoints?: number
}
export type Project = Pick<
  Editor,
  'tools' | 'inspection' | 'history' | 'undo' | 'place' | 'importSite' | 'writeLevel'
> &
  Required<Pick<Editor, 'settled' | 'simulate' | 'tests'>> & {
    where(): Pick<EditorState, 'project' | 'level' | 'engine'>
    close(): Promise<void>
  }

export async function openProject(options: ProjectOptions, emit: (event: EditorEvent) => void): Promise<Project> {
  const unlock = await lockProject(options.directory)
  try {
    return await openLocked(options, emit, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

function testsDoor(session: EditorSession): Project['tests'] {
  return {
    read: (graph) => graphAt(session, graph).doc.tests ?? null,
    async write(given, tests, context) {
      const { path: graph, doc } = graphAt(session, given)
      const { tests: _before, ...rest } = doc
      const call = { tool: 'patch_pcg_graph', args: { pcg_graph_path: graph, tests }, context }
      await commitOrRevert(session, graph, tests ? { ...rest, tests } : rest, call)
    },
  }
}

async function openLocked(
  options: ProjectOptions,
  emit: (event: EditorEvent) => void,
  unlock: () => void,
): Promise<Project> {
  const store = await openStore(options.directory)
  const log = await openHistoryLog(path.join(options.directory, 'Saved', 'history.jsonl'), MOST_ENTRIES)
  const history = createHistory(log)
  const session: EditorSession = {
    store,
    history,
    findGraph(path) {
      const found = store.assets.get(assetKey(path))?.doc
      return found?.kind === 'PCGGraph' ? found : undefined
    },
    emit(event) {
      emit(event)
      if (event.type === 'graph.changed') announceStale(event.graph)
    },
  }
  /** Announces the components whose output comes from an older graph. */
  function announceStale(graph: string): void {
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
    tools: {
      ...graphTools(session),
      ...nodeTools(session),
      ...settingsTools(session),
      ...edgeTools(session),
      ...parameterTools(session),
      ...componentTools(session, generations),
      ...generationTools(session, generations),
      ...volumeTool(session),
    },
    inspection: inspectionTools(session, generations),
    where: () => ({ project: store.project.name, level: store.levelPath, engine: 'Gantry embedded' }),
    history: (query) => changesOf(session, query),
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
    writeLevel: (shapes, replace, context) => writeLevel(session, shapes, replace, context),
    importSite: (context) => importSite(session, context),
    settled: async (actor) => generations.settled(actorAt(session, actor).name),
    simulate: createSimulate(session, options.maxPoints ?? DEFAULT_MAX_POINTS, USUAL_SEED),
    tests: testsDoor(session),
    async place(graph, layout) {
      const { path, doc } = graphAt(session, graph)
      const known = new Set(doc.nodes.map((node) => node.name))
      const positions = Object.fromEntries(Object.entries(layout.nodes).filter(([name]) => known.has(name)))
      const asset = { path, doc: { ...doc, positions, comments: layout.comments.map((comment) => ({ ...comment })) } }
      store.assets.set(assetKey(path), asset)
      await store.saveAsset(asset)
      return {}
    },
    async close() {
      await generations.close()
      await store.settle()
      await log.settle()
      unlock()
    },
  }
}
