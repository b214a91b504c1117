// Nodes and their settings: add, remove, embed a graph, read and merge properties.
import { bareClass } from '../catalog/node-type.ts'
import { noNode } from '../editor/arguments.ts'
import { counted } from '../editor/counted.ts'
import type { GraphDoc, NodeDoc } from '../editor/document.ts'
import { type NodeToolName, PcgError, type SettingsToolName, type Tools } from '../editor/editor.ts'
import { nodeNamed } from '../editor/node-index.ts'
import { advancedPin, type FindGraph, INPUT_NODE, OUTPUT_NODE, pinsOf, realName, subgraphPath } from '../editor/pins.ts'
import { effective, embedsItself, merge, nodeType, propertiesOf, unknownClass } from '../editor/settings.ts'
import { endpointProperties, mergeEndpoint } from './endpoint-pins.ts'
import { titleOf } from './graph-tools.ts'
import { commitGraph, type EditorSession, type GraphRef, graphAt, identity } from './session.ts'

/** A bound against runaway loops of an agent; real graphs have tens of nodes. */
const MOST_NODES = 5000

export function withNode(graph: GraphDoc, className: string, properties: NodeDoc['properties']): [GraphDoc, NodeDoc] {
  if (graph.nodes.length >= MOST_NODES)
    throw new PcgError('INVALID_ARGUMENT', `A graph holds at most ${MOST_NODES} nodes: move part of it into a subgraph`)
  const stem = bareClass(className)
  const serial = (graph.serials[stem] ?? -1) + 1
  const node: NodeDoc = { name: `${stem}_${serial}`, class: className, properties }
  return [{ ...graph, serials: { ...graph.serials, [stem]: serial }, nodes: [...graph.nodes, node] }, node]
}

/** Graphs that `start` runs, directly or through others. */
export function embedded(findGraph: FindGraph, start: string): Set<string> {
  const seen = new Set<string>()
  const open = [start]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path.toLowerCase())) continue
    seen.add(path.toLowerCase())
    for (const node of findGraph(path)?.nodes ?? []) {
      const inner = subgraphPath(node)
      if (inner !== undefined) open.push(inner)
    }
  }
  return seen
}

function refuseRecursion(session: EditorSession, host: string, inner: string): void {
  if (embedded(session.findGraph, inner).has(host.toLowerCase())) throw embedsItself(host, inner)
}

function nodeAt(graph: GraphRef, given: string): NodeDoc {
  const found = nodeNamed(graph.doc, given)
  if (!found) throw noNode(graph, given)
  return found
}

/** Edges whose pins are gone are dropped with them. */
export function dropDangling(graph: GraphDoc, findGraph: FindGraph): GraphDoc {
  const edges = graph.edges.filter((edge) => {
    const [from, to] = [pinsOf(graph, edge.from, findGraph), pinsOf(graph, edge.to, findGraph)]
    return (
      from?.outputs.some((pin) => pin.label === edge.fromPin) &&
      (to?.inputs.some((pin) => pin.label === edge.toPin) ||
        advancedPin(graph, edge.to, edge.toPin, findGraph) !== undefined)
    )
  })
  return edges.length === graph.edges.length ? graph : { ...graph, edges }
}

/** A node of any class, whether this editor can run it or only keeps it. */
export async function addNode(
  session: EditorSession,
  settingsClass: string,
  input: Parameters<Tools['add_pcg_node']>[0],
  context: Parameters<Tools['add_pcg_node']>[1],
): ReturnType<Tools['add_pcg_node']> {
  const graph = graphAt(session, input.pcg_graph_path)
  const [doc, node] = withNode(graph.doc, settingsClass, {})
  const saved = await commitGraph(session, graph.path, doc, { tool: 'add_pcg_node', args: input, context })
  return {
    ...identity(graph),
    node_title: titleOf(node),
    node_name: node.name,
    settings_class: node.class,
    node_count: doc.nodes.length,
    ...saved,
  }
}

export function nodeTools(session: EditorSession): Pick<Tools, NodeToolName> {
  return {
    async add_pcg_node(input, context) {
      // A graph that is missing is reported before a class that is unknown.
      graphAt(session, input.pcg_graph_path)
      const type = nodeType(input.node_type)
      if (!type) throw unknownClass(input.node_type)
      return addNode(session, type.name, input, context)
    },

    async remove_pcg_node(input, context) {
      const graph = graphAt(session, input.pcg_graph_path)
      if ([INPUT_NODE, OUTPUT_NODE].map((name) => name.toLowerCase()).includes(realName(input.node_name).toLowerCase()))
        throw new PcgError('IMPLICIT_NODE', 'Input/Output nodes cannot be removed')
      const found = nodeNamed(graph.doc, input.node_name)
      const doc = found
        ? {
            ...graph.doc,
            nodes: graph.doc.nodes.filter((node) => node !== found),
            edges: graph.doc.edges.filter((edge) => edge.from !== found.name && edge.to !== found.name),
          }
        : graph.doc
      const saved = await commitGraph(session, graph.path, doc, { tool: 'remove_pcg_node', args: input, context })
      return {
        ...identity(graph),
        node_name: found?.name ?? input.node_name,
        removed: found !== undefined,
        already_removed: found === undefined,
        node_count: doc.nodes.length,
        ...saved,
      }
    },

    async add_pcg_subgraph_node(input, context) {
      const graph = graphAt(session, input.pcg_graph_path)
      const inner = graphAt(session, input.subgraph_path)
      refuseRecursion(session, graph.path, inner.path)
      const [doc, node] = withNode(graph.doc, 'PCGSubgraphSettings', { SubgraphOverride: inner.path })
      const call = { tool: 'add_pcg_subgraph_node', args: input, context }
      const { saved } = await commitGraph(session, graph.path, doc, call)
      return {
        ...identity(graph),
        node_name: node.name,
        node_title: titleOf(node),
        subgraph_path: inner.path,
        subgraph_set: subgraphPath(node) === inner.path,
        node_count: doc.nodes.length,
        saved,
      }
    },
  }
}

export function settingsTools(session: EditorSession): Pick<Tools, SettingsToolName> {
  return {
    async get_pcg_node_properties(input) {
      const graph = graphAt(session, input.pcg_graph_path)
      const endpoint = endpointProperties(graph.doc, realName(input.node_name))
      if (endpoint) return { ...identity(graph), node_name: realName(input.node_name), ...endpoint }
      const node = nodeAt(graph, input.node_name)
      return {
        ...identity(graph),
        node_name: node.name,
        settings_class: node.class,
        properties: effective(nodeType(node.class), node.properties),
      }
    },

    async set_pcg_node_properties(input, context) {
      const graph = graphAt(session, input.pcg_graph_path)
      const call = { tool: 'set_pcg_node_properties', args: input, context }
      const name = realName(input.node_name)
      if (endpointProperties(graph.doc, name)) {
        const { doc, applied } = mergeEndpoint(session, graph, name, input.properties)
        const saved = await commitGraph(session, graph.path, dropDangling(doc, session.findGraph), call)
        const after = endpointProperties(doc, name) ?? { settings_class: '', properties: {} }
        return { ...identity(graph), node_name: name, ...after, applied_keys: applied, ...saved }
      }
      const node = nodeAt(graph, name)
      const type = nodeType(node.class)
      const { stored, applied } = merge(propertiesOf(type), node.class, node.properties, input.properties)
      const changed: NodeDoc = { ...node, properties: stored }
      const inner = subgraphPath(changed)
      if (inner !== undefined && inner !== subgraphPath(node)) {
        const found = graphAt(session, inner)
        refuseRecursion(session, graph.path, found.path)
        changed.properties = { ...stored, SubgraphOverride: found.path }
      }
      const nodes = graph.doc.nodes.map((item) => (item === node ? changed : item))
      const doc = dropDangling({ ...graph.doc, nodes }, session.findGraph)
      const lost = graph.doc.edges.length - doc.edges.length
      if (lost > 0)
        session.emit({
          type: 'log',
          level: 'warning',
          text: `${node.name} has other pins now: ${counted(lost, 'edge')} dropped`,
        })
      const saved = await commitGraph(session, graph.path, doc, call)
      return {
        ...identity(graph),
        node_name: node.name,
        settings_class: node.class,
        applied_keys: [...applied],
        properties: effective(type, changed.properties),
        ...saved,
      }
    },
  }
}
