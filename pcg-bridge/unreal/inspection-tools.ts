// The part of the read-only toolset that a real editor can answer.
import { z } from 'zod'
import { INSPECTION, type InspectionOutput } from '../catalog/index.ts'
import type { CallContext, LevelShapes } from '../contract/index.ts'
import { editHistory } from '../editor/changes.ts'
import type { Inspection } from '../editor/editor.ts'
import { polyline } from '../editor/polyline.ts'
import { readLevel } from './level-read.ts'
import { readNodeData } from './node-data.ts'
import { type EditorSession, readGraph } from './session.ts'

const READER: CallContext = { actor: 'viewer', source: 'editor' }

/** Actors that the reading does not cover have no tags here. */
function shapesShown({ level, landscapes, splines, volumes }: LevelShapes): InspectionOutput<'get_pcg_level_shapes'> {
  return {
    level,
    landscapes: landscapes.map(({ name, min, max, columns, rows, heights }) => ({
      actor_name: name,
      min: min.slice(0, 2),
      max: max.slice(0, 2),
      columns,
      rows,
      heights,
    })),
    splines: splines.map((spline) => ({ actor_name: spline.name, points: polyline(spline) })),
    actors: [...landscapes, ...splines, ...volumes].map(({ name, label, class: actor_class, tags }) => ({
      actor_name: name,
      actor_label: label,
      actor_class,
      tags: [...tags],
    })),
  }
}

export function inspectionTools(session: EditorSession): Partial<Inspection> {
  return {
    list_pcg_graphs: () => session.ask('list_graphs', {}, INSPECTION.list_pcg_graphs.output),

    async list_pcg_actors() {
      const Actors = INSPECTION.list_pcg_actors.output.extend({ level: z.string().nullable() })
      const { level, actors } = await session.ask('list_actors', {}, Actors)
      return { level: level ?? '', actors }
    },

    get_pcg_level_shapes: async ({ resolution }) => shapesShown(await readLevel(session, resolution, READER)),

    get_pcg_node_data: (input) => readNodeData(session, input),

    async get_pcg_graph_layout(input) {
      const graph = await readGraph(session, input.pcg_graph_path)
      return {
        asset_path: graph.path,
        nodes: graph.nodes
          .map(({ name, position: [x = 0, y = 0] }) => ({ node_name: name, x, y }))
          // The editor puts new nodes there, one on the other: the studio finds a place for them.
          .filter(({ x, y }) => x !== 0 || y !== 0),
        comments: [],
      }
    },

    get_pcg_edit_history: async ({ pcg_graph_path: graph, limit }) =>
      editHistory(session.history({ limit, ...(graph === undefined ? {} : { graph }) })),
  }
}
