// Edges: connect and disconnect, with the pin defaults of the specification.

import type { Input, Output } from '../catalog/index.ts'
import type { NodePin } from '../catalog/node-types.ts'
import { joinable } from '../catalog/pin-types.ts'
import type { CallContext } from '../contract/index.ts'
import { PcgError, type Tools } from '../editor/editor.ts'
import type { EdgeDoc } from './document.ts'
import { nodeNamed } from './node-index.ts'
import { advancedPin, type Pins, pinsOf, reaches, realName } from './pins.ts'
import { commitGraph, type GraphRef, graphAt, identity, type Session } from './session.ts'

type Ends = Input<'connect_pcg_nodes'>
type Resolved = { readonly edge: EdgeDoc; readonly from: NodePin; readonly to: NodePin }

function pinsAt(session: Session, graph: GraphRef, given: string): { name: string; pins: Pins } {
  const wanted = realName(given)
  const name = nodeNamed(graph.doc, wanted)?.name ?? wanted
  const pins = pinsOf(graph.doc, name, session.findGraph)
  if (!pins)
    throw new PcgError('NODE_NOT_FOUND', `${graph.name} has no node '${given.slice(0, 120)}': see get_pcg_graph_info`)
  return { name, pins }
}

function pick(
  node: string,
  kind: 'input' | 'output',
  pins: readonly NodePin[],
  wanted: string | undefined,
  advanced: (label: string) => NodePin | undefined,
): NodePin {
  const usual = kind === 'output' ? 'Out' : 'In'
  const found =
    wanted === undefined
      ? (pins.find((pin) => pin.label === usual) ?? pins[0])
      : (pins.find((pin) => pin.label.toLowerCase() === wanted.toLowerCase()) ?? advanced(wanted))
  if (found) return found
  const all = pins.map((pin) => pin.label).join(', ')
  throw new PcgError(
    'PIN_NOT_FOUND',
    pins.length === 0
      ? `${node} has no ${kind} pins`
      : `${node} has no ${kind} pin '${(wanted ?? usual).slice(0, 120)}'. It has: ${all}`,
  )
}

function resolve(session: Session, graph: GraphRef, input: Ends): Resolved {
  const source = pinsAt(session, graph, input.from_node)
  const target = pinsAt(session, graph, input.to_node)
  const from = pick(input.from_node, 'output', source.pins.outputs, input.from_pin, () => undefined)
  const to = pick(input.to_node, 'input', target.pins.inputs, input.to_pin, (label) =>
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

function refuse(graph: GraphRef, { edge, from, to }: Resolved): void {
  if (reaches(graph.doc, edge.to, edge.from))
    throw new PcgError('CYCLE', `${edge.to} already leads to ${edge.from}: this edge would close a cycle`)
  if (!joinable(from, to))
    throw new PcgError(
      'TYPE_MISMATCH',
      `${edge.from}.${from.label} gives ${from.types.join('|')}, ${edge.to}.${to.label} takes ${to.types.join('|')}${hint(from, to)}`,
    )
}

export function edgeTools(session: Session): Pick<Tools, 'connect_pcg_nodes' | 'disconnect_pcg_nodes'> {
  return {
    async connect_pcg_nodes(input: Ends, context: CallContext): Promise<Output<'connect_pcg_nodes'>> {
      const graph = graphAt(session, input.pcg_graph_path)
      const found = resolve(session, graph, input)
      const { edge } = found
      const exists = graph.doc.edges.some((item) => same(item, edge))
      if (!exists) refuse(graph, found)
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
