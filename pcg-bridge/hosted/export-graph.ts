// Reads a graph and every graph that it embeds from an editor, as another editor can build them.
import type { CallContext, GraphDocument, StoredLayout } from '../contract/index.ts'
import { ownTitle, subgraphsOf } from '../editor/build-graph.ts'
import { counted } from '../editor/counted.ts'
import { type Editor, PcgError } from '../editor/editor.ts'
import type { GraphTestStore } from './graph-tests.ts'

/** What reading a graph needs beside its editor. */
export type ReadSite = {
  readonly editor: Editor
  readonly layoutOf: (graph: string) => Promise<StoredLayout>
  readonly tests: GraphTestStore
}

const MOST_GRAPHS = 100
const MOST_NODES = 2000

export async function exportGraphs(site: ReadSite, graph: string, context: CallContext): Promise<GraphDocument[]> {
  const found = new Map<string, GraphDocument>()
  const open = [graph]
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    if (found.has(path.toLowerCase())) continue
    const document = await readGraph(site, path, context).catch((error: unknown) => {
      // An embedded instance, or a graph that is gone: the node keeps its path, the target decides.
      if (found.size > 0 && error instanceof PcgError && error.code === 'GRAPH_NOT_FOUND') return null
      throw error
    })
    if (document === null) continue
    found.set(document.path.toLowerCase(), document)
    if (found.size > MOST_GRAPHS)
      throw new PcgError('INVALID_ARGUMENT', `${graph} embeds more than ${MOST_GRAPHS} graphs: copy them one by one`)
    open.push(...subgraphsOf(document))
  }
  return [...found.values()]
}

export async function readGraph(site: ReadSite, path: string, context: CallContext): Promise<GraphDocument> {
  const { tools } = site.editor
  const at = { pcg_graph_path: path }
  const info = await tools.get_pcg_graph_info(at, context)
  if (info.node_count > MOST_NODES)
    throw new PcgError('INVALID_ARGUMENT', `${info.asset_path} has more than ${MOST_NODES} nodes: split it first`)
  const nodes: GraphDocument['nodes'][number][] = []
  for (const { node_name: name, settings_class, title } of info.nodes) {
    context.signal?.throwIfAborted()
    context.onProgress?.({
      progress: nodes.length,
      total: info.node_count,
      message: `Reading ${info.asset_path}: ${nodes.length + 1} of ${counted(info.node_count, 'node')}`,
    })
    const { properties } = await tools.get_pcg_node_properties({ ...at, node_name: name }, context)
    nodes.push({ name, class: settings_class, title: ownTitle(settings_class, title), properties })
  }
  const pinsOf = async (node_name: 'Input' | 'Output'): Promise<readonly unknown[]> => {
    const shown = await tools.get_pcg_node_properties({ ...at, node_name }, context).catch(() => null)
    const pins: unknown = shown?.properties['Pins']
    return Array.isArray(pins) ? pins : []
  }
  const token = (name: string): string =>
    name === info.input_node_name ? 'Input' : name === info.output_node_name ? 'Output' : name
  const { parameters } = await tools.get_pcg_graph_parameters(at, context)
  const tests = await site.tests.read(info.asset_path)
  return {
    path: info.asset_path,
    nodes,
    pins: { Input: await pinsOf('Input'), Output: await pinsOf('Output') },
    edges: info.edges.map(({ from_node, from_pin, to_node, to_pin }) => [
      token(from_node),
      from_pin,
      token(to_node),
      to_pin,
    ]),
    parameters,
    ...(tests && { tests }),
    layout: await site.layoutOf(info.asset_path),
  }
}

/** The layout under the names that the nodes have in another editor. */
export function renamedLayout(
  { graph: _graph, revision: _revision, ...layout }: StoredLayout,
  names: ReadonlyMap<string, string>,
): Omit<StoredLayout, 'graph' | 'revision'> {
  const nodes = Object.fromEntries(
    Object.entries(layout.nodes).flatMap(([name, place]) => {
      const made = names.get(name)
      return made === undefined || name === 'Input' || name === 'Output' ? [] : [[made, place] as const]
    }),
  )
  return {
    ...layout,
    nodes,
    comments: layout.comments.map((comment) => ({
      ...comment,
      nodes: comment.nodes.flatMap((name) => names.get(name) ?? []),
    })),
    // A reroute names its edge by the nodes of the source.
    reroutes: [],
  }
}
