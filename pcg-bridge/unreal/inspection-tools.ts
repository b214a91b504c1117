// The part of the read-only toolset that a real editor can answer.
import { z } from 'zod'
import { INSPECTION } from '../catalog/index.ts'
import { editHistory } from '../editor/changes.ts'
import type { Inspection } from '../editor/editor.ts'
import { readNodeData } from './node-data.ts'
import { readGraph, type Session } from './session.ts'

export function inspectionTools(session: Session): Partial<Inspection> {
  return {
    list_pcg_graphs: () => session.ask('list_graphs', {}, INSPECTION.list_pcg_graphs.output),

    async list_pcg_actors() {
      const Actors = INSPECTION.list_pcg_actors.output.extend({ level: z.string().nullable() })
      const { level, actors } = await session.ask('list_actors', {}, Actors)
      return { level: level ?? '', actors }
    },

    get_pcg_node_data: (input) => readNodeData(session, input),

    async get_pcg_graph_layout(input) {
      const graph = await readGraph(session, input.pcg_graph_path)
      return {
        asset_path: graph.path,
        nodes: graph.nodes.map(({ name, position: [x = 0, y = 0] }) => ({ node_name: name, x, y })),
        comments: [],
      }
    },

    get_pcg_edit_history: async ({ pcg_graph_path: graph, limit }) =>
      editHistory(session.history({ limit, ...(graph === undefined ? {} : { graph }) })),
  }
}
