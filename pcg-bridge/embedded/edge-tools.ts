// Edges: connect and disconnect, with the pin defaults of the specification.

import type { Input, Output } from '../catalog/index.ts'
import type { NodePin } from '../catalog/node-types.ts'
import type { CallContext } from '../contract/index.ts'
import { noNode } from '../editor/arguments.ts'
import type { EdgeDoc } from '../editor/document.ts'
import { checkEdge, pinNamed } from '../editor/edge.ts'
import type { EdgeToolName, Tools } from '../editor/editor.ts'
import { nodeNamed } from '../editor/node-index.ts'
import { advancedPin, type Pins, pinsOf, reaches, realName } from '../editor/pins.ts'
import { commitGraph, type EditorSession, type GraphRef, graphAt, identity } from './session.ts'

type Ends = Input<'connect_pcg_nodes'>
type Resolved = { readonly edge: EdgeDoc; readonly from: NodePin; readonly to: NodePin }

function pinsAt(session: EditorSession, graph: GraphRef, given: string): { name: string; pins: Pins } {
  const wanted = realName(given)
  const name = nodeNamed(graph.doc, wanted)?.name ?? wanted
  const pins = pinsOf(graph.doc, name, session.findGraph)
  if (!pins) throw noNode(graph, given)
  return { name, pins }
}

function resolve(session: EditorSession, graph: GraphRef, input: Ends): Resolved {
  const source = pinsAt(session, graph, input.from_node)
  const target = pinsAt(session, graph, input.to_node)
  const from = pinNamed(input.from_node, 'output', source.pins.outputs, input.from_pin)
  const to = pinNamed(input.to_node, 'input', target.pins.inputs, input.to_pin, (label) =>
    advancedPin(graph.doc, target.name, label, session.findGraph),
  )
  return { edge: { from: source.name, fromPin: from.label, to: target.name, toPin: to.label }, from, to }
}

function same(a: EdgeDoc, b: EdgeDoc): boolean {
  return a.from === b.from && a.fromPin === b.fromPin && a.to === b.to && a.toPin === b.toPin
}

function hint(from: NodePin, to: NodePin): string {
  if (to.types.includes('Point') && from.types.includes('Param'))
    return ': put PCGConvertToPointDataSettings between them'
  if (to.types.includes('Point')) return ': put a To Point node (PCGCollapseSettings) between them'
  if (to.types.includes('Param')) return ': put PCGConvertToAttributeSetSettings between them'
  return ''
}

export function edgeTools(session: EditorSession): Pick<Tools, EdgeToolName> {
  return {
    async connect_pcg_nodes(input: Ends, context: CallContext): Promise<Output<'connect_pcg_nodes'>> {
      const graph = graphAt(session, input.pcg_graph_path)
      const found = resolve(session, graph, input)
      const { edge } = found
      const exists = graph.doc.edges.some((item) => same(item, edge))
      if (!exists)
        checkEdge(
          { node: edge.from, pin: found.from },
          { node: edge.to, pin: found.to },
          reaches(graph.doc, edge.to, edge.from),
          hint(found.from, found.to),
        )
      const replaced = (item: EdgeDoc) => found.to.single && item.to === edge.to && item.toPin === edge.toPin
      const edges = exists ? graph.doc.edges : [...graph.doc.edges.filter((item) => !replaced(item)), edge]
      const call = { tool: 'connect_pcg_nodes', args: input, context }
      const saved = await commitGraph(session, graph.path, { ...graph.doc, edges }, call)
      if (!exists && edges.length <= graph.doc.edges.length)
        session.emit({
          type: 'log',
          level: 'info',
          text: `${edge.to}.${edge.toPin} takes one edge: the one it had is gone`,
        })
      return {
        ...identity(graph),
        from_node: input.from_node,
        from_pin: edge.fromPin,
        to_node: input.to_node,
        to_pin: edge.toPin,
        already_connected: exists,
        connected: true,
        edge_count: edges.length,
        ...saved,
      }
    },

    async disconnect_pcg_nodes(input, context) {
      const graph = graphAt(session, input.pcg_graph_path)
      const { edge } = resolve(session, graph, input)
      const edges = graph.doc.edges.filter((item) => !same(item, edge))
      const removed = edges.length < graph.doc.edges.length
      const call = { tool: 'disconnect_pcg_nodes', args: input, context }
      const saved = await commitGraph(session, graph.path, { ...graph.doc, edges }, call)
      return {
        ...identity(graph),
        from_node: input.from_node,
        from_pin: edge.fromPin,
        to_node: input.to_node,
        to_pin: edge.toPin,
        already_disconnected: !removed,
        removed,
        disconnected: true,
        edge_count: edges.length,
        ...saved,
      }
    },
  }
}
