// Whole graphs: create one, describe one, list the node classes.
import { titleOfClass } from '../catalog/node-type.ts'
import { NODE_TYPES } from '../catalog/node-types.ts'
import { assetKey, assetName, contentPath, joinContentPath } from '../editor/content-path.ts'
import { emptyGraph, type GraphDoc, type NodeDoc } from '../editor/document.ts'
import { type GraphToolName, PcgError, type Tools } from '../editor/editor.ts'
import { type FindGraph, INPUT_NODE, OUTPUT_NODE, type Pins, pinsOf, pinsOfNode, subgraphPath } from '../editor/pins.ts'
import { nodeType } from '../editor/settings.ts'
import { commitGraph, type EditorSession, graphAt, identity } from './session.ts'

/** A node that embeds a graph has the name of that graph. */
export function titleOf(node: NodeDoc): string {
  const inner = subgraphPath(node)
  if (node.title === undefined && inner !== undefined)
    return node.class === 'PCGLoopSettings' ? `Loop: ${assetName(inner)}` : assetName(inner)
  return node.title ?? nodeType(node.class)?.title ?? titleOfClass(node.class)
}

type Wired = { readonly inputs: string[]; readonly outputs: string[] }

/** The pins edges name, by node: looked up once for a graph, because a node would look through all of them. */
function wiredPins(graph: GraphDoc): ReadonlyMap<string, Wired> {
  const found = new Map<string, Wired>()
  const of = (node: string): Wired => {
    const known = found.get(node) ?? { inputs: [], outputs: [] }
    found.set(node, known)
    return known
  }
  for (const { from, fromPin, to, toPin } of graph.edges) {
    of(from).outputs.push(fromPin)
    of(to).inputs.push(toPin)
  }
  return found
}

function describeNodes(graph: GraphDoc, findGraph: FindGraph) {
  const wired = wiredPins(graph)
  return graph.nodes.map((node) => {
    const pins: Pins = pinsOf(graph, node.name, findGraph) ?? pinsOfNode(node, findGraph)
    const { inputs, outputs } = wired.get(node.name) ?? { inputs: [], outputs: [] }
    return {
      node_name: node.name,
      title: titleOf(node),
      settings_class: node.class,
      input_pins: [...new Set([...pins.inputs.map((pin) => pin.label), ...inputs])],
      output_pins: [...new Set([...pins.outputs.map((pin) => pin.label), ...outputs])],
    }
  })
}

export function graphTools(session: EditorSession): Pick<Tools, GraphToolName> {
  return {
    async create_pcg_graph(input, context) {
      if (!session.store.project.plugins.PCG)
        throw new PcgError(
          'PLUGIN_DISABLED',
          'The PCG plugin is disabled in project.json: set plugins.PCG to true and reopen',
        )
      const wanted = joinContentPath(input.package_path, input.name)
      const found = session.store.assets.get(assetKey(wanted))
      if (found && found.doc.kind !== 'PCGGraph')
        throw new PcgError('INVALID_ARGUMENT', `${found.path} is a ${found.doc.kind}: choose another name`)
      const path = found?.path ?? contentPath(wanted)
      const doc = found?.doc ?? emptyGraph()
      const call = { tool: 'create_pcg_graph', args: input, context }
      // A graph that is there is saved again: an earlier save may have failed.
      const error = found
        ? await session.store.saveAsset(found)
        : (await commitGraph(session, path, doc, call)).save_error
      return {
        ...identity({ path, name: assetName(path) }),
        created: !found,
        already_exists: found !== undefined,
        node_count: doc.kind === 'PCGGraph' ? doc.nodes.length : 0,
        saved: error === null,
        save_error: error,
      }
    },

    async get_pcg_graph_info(input) {
      const graph = graphAt(session, input.pcg_graph_path)
      const { nodes, edges } = graph.doc
      return {
        ...identity(graph),
        node_count: nodes.length,
        nodes: describeNodes(graph.doc, session.findGraph),
        has_input_node: true,
        has_output_node: true,
        input_node_name: INPUT_NODE,
        output_node_name: OUTPUT_NODE,
        edges: edges.map((edge) => ({
          from_node: edge.from,
          from_pin: edge.fromPin,
          to_node: edge.to,
          to_pin: edge.toPin,
        })),
        edge_count: edges.length,
      }
    },

    async list_pcg_node_types() {
      const types = NODE_TYPES.map((type) => ({ name: type.name, path: type.path }))
      return { base_class: 'PCGSettings', count: types.length, types }
    },
  }
}
