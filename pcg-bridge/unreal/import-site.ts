// Builds graphs in assets that nothing uses yet, so that no component regenerates under way.
import { z } from 'zod'
import type { CallContext } from '../contract/index.ts'
import { PcgError } from '../editor/editor.ts'
import type { BuildSite } from '../editor/import-graphs.ts'
import { graphPath, newAsset } from './asset-path.ts'
import { graphTools } from './graph-tools.ts'
import { nodeTools, settingsTools } from './node-tools.ts'
import { parameterTools } from './parameter-tools.ts'
import { type EditorSession, readGraph, SaveShown } from './session.ts'

const Adopted = z.object({ names: z.record(z.string(), z.string()), ...SaveShown })
const INCOMING = '_Incoming'

/** Folder and name of a path. */
function splitPath(path: string): readonly [string, string] {
  const cut = path.lastIndexOf('/')
  return [path.slice(0, cut), path.slice(cut + 1)]
}

export function importSite(session: EditorSession, context: CallContext): BuildSite {
  // The whole import is one entry of the journal.
  const quiet: EditorSession = { ...session, record: () => undefined, emit: () => undefined }
  const graphs = graphTools(quiet)
  const parameters = parameterTools(quiet)
  const begun: string[] = []
  const finished: string[] = []
  const remove = (graph: string) => session.ask('delete_graph', { graph }, z.object({ deleted: z.boolean() }))

  async function has(path: string): Promise<boolean> {
    try {
      await readGraph(session, path, context.signal)
      return true
    } catch (error) {
      if (error instanceof PcgError && error.code === 'GRAPH_NOT_FOUND') return false
      throw error
    }
  }

  /** A graph that is replaced keeps its parameters: components may set them. */
  async function copyParameters(from: string, to: string): Promise<void> {
    const built = await parameters.get_pcg_graph_parameters({ pcg_graph_path: from }, context)
    for (const { name, type, value } of built.parameters) {
      const at = { pcg_graph_path: to, name }
      await parameters.add_pcg_graph_parameter({ ...at, type }, context)
      await parameters.set_pcg_graph_parameter({ ...at, value: String(value) }, context)
    }
  }

  return {
    pathFor(source) {
      const path = graphPath(source)
      newAsset(...splitPath(path))
      return path
    },
    has,
    async begin(path, replaces) {
      const building = replaces ? `${path}${INCOMING}` : path
      const [package_path, name] = splitPath(building)
      const made = await graphs.create_pcg_graph({ package_path, name }, context)
      if (!made.created)
        throw new PcgError('INVALID_ARGUMENT', `${building} exists in the target editor: delete or rename it first`)
      begun.push(building)
      if (made.save_error !== null) throw new PcgError('EDITOR_ERROR', `Nothing was copied. ${made.save_error}`)
      return building
    },
    tools: { ...nodeTools(quiet), ...settingsTools(quiet), ...graphs, ...parameters },
    async finish(built, path, titles) {
      if (Object.keys(titles).length > 0)
        await session.ask('title_nodes', { graph: built, titles }, z.object(SaveShown))
      finished.push(path)
      if (built === path) return new Map()
      await copyParameters(built, path)
      const { names, saved, save_error } = await session.ask('adopt_graph', { built, graph: path }, Adopted)
      await remove(built)
      begun.splice(begun.indexOf(built), 1)
      if (!saved) throw new PcgError('EDITOR_ERROR', `${path} was replaced but not saved: ${save_error}`)
      return new Map(Object.entries(names))
    },
    async commit() {
      for (const graph of finished) session.record('copy_graph', { pcg_graph_path: graph }, context, { graph })
    },
    async abandon() {
      for (const path of begun.reverse())
        await remove(path).catch((error: unknown) =>
          session.emit({ type: 'log', level: 'error', text: `${path} was left behind: ${String(error)}` }),
        )
    },
  }
}
