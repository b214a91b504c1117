// Graphs, node classes and edges of a real editor. What is decided here is decided on a snapshot; the editor then acts.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Input } from '../catalog/index.ts'
import type { NodePin } from '../catalog/node-types.ts'
import type { CallContext } from '../contract/index.ts'
import { leadsTo, noNode } from '../editor/arguments.ts'
import { checkEdge, pinNamed } from '../editor/edge.ts'
import {
  type EdgeToolName,
  type GraphToolName,
  PcgError,
  type PlacedComments,
  type PlacedLayout,
  type Tools,
} from '../editor/editor.ts'
import { newAsset } from './asset-path.ts'
import { placeComments } from './comment-boxes.ts'
import {
  catalogType,
  type EditorSession,
  type GraphShown,
  type NodeShown,
  nodeNamed,
  readGraph,
  SaveShown,
  titleOf,
} from './session.ts'
import { edgeStep } from './undo.ts'

const Created = z.object({ name: z.string(), path: z.string(), created: z.boolean(), count: z.number(), ...SaveShown })
const EdgeSet = z.object({ before: z.boolean(), after: z.boolean(), count: z.number(), ...SaveShown })
export const TypesShown = z.array(z.object({ name: z.string(), path: z.string() }))

type Ends = Input<'connect_pcg_nodes'>

/** A pin in the catalogue; an unknown one takes everything, and the editor decides. */
function pinOf(node: NodeShown, kind: 'inputs' | 'outputs', label: string): NodePin {
  const known = catalogType(node.class)?.[kind].find((pin) => pin.label === label)
  return known ?? { label, types: ['Any'], single: false, required: false }
}

type Resolved = {
  readonly from: NodeShown
  readonly to: NodeShown
  readonly edge: GraphShown['edges'][number]
}

function resolve(graph: GraphShown, input: Ends): Resolved {
  const from = nodeNamed(graph, input.from_node)
  const to = nodeNamed(graph, input.to_node)
  if (!from) throw noNode(graph, input.from_node)
  if (!to) throw noNode(graph, input.to_node)
  const pins = (labels: readonly string[]) => labels.map((label) => ({ label }))
  const fromPin = pinNamed(input.from_node, 'output', pins(from.outputs), input.from_pin).label
  const toPin = pinNamed(input.to_node, 'input', pins(to.inputs), input.to_pin).label
  return { from, to, edge: [from.name, fromPin, to.name, toPin] }
}

function refuse(graph: GraphShown, { from, to, edge }: Resolved): void {
  checkEdge(
    { node: from.name, pin: pinOf(from, 'outputs', edge[1]) },
    { node: to.name, pin: pinOf(to, 'inputs', edge[3]) },
    leadsTo(graph.edges, ([source, , target]) => [source, target], to.name, from.name),
    ': put a conversion node between them',
  )
}

function identity(graph: { readonly name: string; readonly path: string }) {
  return { graph_name: graph.name, asset_path: graph.path }
}

function edgeTools(session: EditorSession): Pick<Tools, EdgeToolName> {
  async function setEdge(tool: EdgeToolName, input: Ends, context: CallContext) {
    const connect = tool === 'connect_pcg_nodes'
    const graph = await readGraph(session, input.pcg_graph_path, context.signal)
    const found = resolve(graph, input)
    const [from, from_pin, to, to_pin] = found.edge
    const exists = graph.edges.some((edge) => edge.every((part, at) => part === found.edge[at]))
    if (connect && !exists) refuse(graph, found)
    const done =
      exists === connect
        ? { before: exists, after: exists, count: graph.edges.length, saved: false, save_error: null }
        : await session.ask('set_edge', { graph: graph.path, from, from_pin, to, to_pin, connect }, EdgeSet)
    if (done.after !== connect)
      throw connect
        ? new PcgError(
            'TYPE_MISMATCH',
            `The editor did not wire ${from}.${from_pin} to ${to}.${to_pin}: it takes other data`,
          )
        : new PcgError('EDITOR_ERROR', `The editor kept the edge ${from}.${from_pin} → ${to}.${to_pin}`)
    if (done.before !== connect) {
      // A pin that takes one edge loses its previous one.
      const lost = connect && done.count <= graph.edges.length
      const replaced = lost ? graph.edges.filter(([, , node, pin]) => node === to && pin === to_pin) : []
      const back = [
        edgeStep(graph.path, found.edge, !connect),
        ...replaced.map((edge) => edgeStep(graph.path, edge, true)),
      ]
      session.record(tool, input, context, { graph: graph.path }, back)
    }
    return {
      ends: { ...identity(graph), from_node: input.from_node, from_pin, to_node: input.to_node, to_pin },
      before: done.before,
      rest: { edge_count: done.count, saved: done.saved, save_error: done.save_error },
    }
  }

  return {
    async connect_pcg_nodes(input, context) {
      const { ends, before, rest } = await setEdge('connect_pcg_nodes', input, context)
      return { ...ends, already_connected: before, connected: true, ...rest }
    },

    async disconnect_pcg_nodes(input, context) {
      const { ends, before, rest } = await setEdge('disconnect_pcg_nodes', input, context)
      return { ...ends, already_disconnected: !before, removed: before, disconnected: true, ...rest }
    },
  }
}

export function graphTools(session: EditorSession): Pick<Tools, GraphToolName | EdgeToolName> {
  return {
    ...edgeTools(session),
    async create_pcg_graph(input, context) {
      const wanted = newAsset(input.package_path, input.name)
      const made = await session.ask('create_graph', wanted, Created, context.signal)
      if (made.created) session.record('create_pcg_graph', input, context, { graph: made.path })
      return {
        ...identity(made),
        created: made.created,
        already_exists: !made.created,
        node_count: made.count,
        saved: made.saved,
        save_error: made.save_error,
      }
    },

    async get_pcg_graph_info(input, context) {
      const graph = await readGraph(session, input.pcg_graph_path, context.signal)
      return {
        ...identity(graph),
        node_count: graph.nodes.length,
        nodes: graph.nodes.map((node) => ({
          node_name: node.name,
          title: titleOf(node),
          settings_class: node.class,
          input_pins: node.inputs,
          output_pins: node.outputs,
        })),
        has_input_node: graph.input !== null,
        has_output_node: graph.output !== null,
        input_node_name: graph.input?.name ?? '',
        output_node_name: graph.output?.name ?? '',
        edges: graph.edges.map(([from_node, from_pin, to_node, to_pin]) => ({ from_node, from_pin, to_node, to_pin })),
        edge_count: graph.edges.length,
      }
    },

    async list_pcg_node_types(_input, context) {
      const types = await session.ask('list_types', {}, TypesShown, context.signal)
      return { base_class: 'PCGSettings', count: types.length, types }
    },
  }
}

export async function placeLayout(
  session: EditorSession,
  given: string,
  layout: PlacedLayout,
  known: PlacedComments,
): Promise<PlacedComments> {
  const { path } = await readGraph(session, given)
  const rounded = Object.entries(layout.nodes).map(([name, { x, y }]) => [name, [Math.round(x), Math.round(y)]])
  const args = { graph: path, nodes: Object.fromEntries(rounded) }
  const { saved, save_error } = await session.ask('place', args, z.object(SaveShown))
  if (!saved) throw new PcgError('EDITOR_ERROR', `The nodes were placed but not saved: ${save_error}`)
  const boxes = await placeComments(session, path, layout, known)
  if (!isDeepStrictEqual(boxes, known)) await session.ask('save_graph', { graph: path }, z.object(SaveShown))
  return boxes
}
