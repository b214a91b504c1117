// Nodes of classes that the catalogue does not have (plugins, Blueprints, HLSL of a project): they keep what they came with.
import { bareClass } from '../catalog/node-type.ts'
import type { EdgeDoc, GraphDoc } from '../editor/document.ts'
import { PcgError } from '../editor/editor.ts'
import type { BuildSite } from '../editor/import-graphs.ts'
import { nodeNamed } from '../editor/node-index.ts'
import { pinsOf, realName } from '../editor/pins.ts'
import { nodeType } from '../editor/settings.ts'
import { addNode } from './node-tools.ts'
import { commitGraph, type EditorSession, graphAt, identity } from './session.ts'

type Tools = BuildSite['tools']
const CLASS = /^[\w./]{1,256}$/

/** In an import: a class that is unknown becomes a node with the settings and wires of its description, unchecked. */
export function withForeignNodes(session: EditorSession, tools: Tools): Tools {
  const isForeign = (doc: GraphDoc, name: string): boolean => {
    const node = nodeNamed(doc, realName(name))
    return node !== undefined && nodeType(node.class) === undefined
  }
  return {
    ...tools,
    async add_pcg_node(input, context) {
      if (nodeType(input.node_type) || !CLASS.test(input.node_type) || bareClass(input.node_type) === '')
        return tools.add_pcg_node(input, context)
      return addNode(session, input.node_type, input, context)
    },
    async set_pcg_node_properties(input, context) {
      const graph = graphAt(session, input.pcg_graph_path)
      const node = nodeNamed(graph.doc, input.node_name)
      if (!node || nodeType(node.class)) return tools.set_pcg_node_properties(input, context)
      const properties = { ...node.properties, ...input.properties }
      const nodes = graph.doc.nodes.map((item) => (item === node ? { ...node, properties } : item))
      const call = { tool: 'set_pcg_node_properties', args: input, context }
      const saved = await commitGraph(session, graph.path, { ...graph.doc, nodes }, call)
      const applied_keys = Object.keys(input.properties)
      return {
        ...identity(graph),
        node_name: node.name,
        settings_class: node.class,
        applied_keys,
        properties,
        ...saved,
      }
    },
    async connect_pcg_nodes(input, context) {
      const graph = graphAt(session, input.pcg_graph_path)
      const { from_pin: fromPin, to_pin: toPin } = input
      const ends = [isForeign(graph.doc, input.from_node), isForeign(graph.doc, input.to_node)] as const
      if (!ends.includes(true) || fromPin === undefined || toPin === undefined)
        return tools.connect_pcg_nodes(input, context)
      const nameOf = (given: string) => nodeNamed(graph.doc, realName(given))?.name ?? realName(given)
      const edge: EdgeDoc = { from: nameOf(input.from_node), fromPin, to: nameOf(input.to_node), toPin }
      for (const [foreign, name, pin, side] of [
        [ends[0], edge.from, fromPin, 'outputs'],
        [ends[1], edge.to, toPin, 'inputs'],
      ] as const)
        if (!foreign && !pinsOf(graph.doc, name, session.findGraph)?.[side].some(({ label }) => label === pin))
          throw new PcgError('PIN_NOT_FOUND', `${name} has no pin '${pin}'`)
      const doc = { ...graph.doc, edges: [...graph.doc.edges, edge] }
      const saved = await commitGraph(session, graph.path, doc, { tool: 'connect_pcg_nodes', args: input, context })
      return {
        ...identity(graph),
        from_node: input.from_node,
        from_pin: fromPin,
        to_node: input.to_node,
        to_pin: toPin,
        already_connected: false,
        connected: true,
        edge_count: doc.edges.length,
        ...saved,
      }
    },
  }
}
