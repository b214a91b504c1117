// A graph as it stands, read through the tools of any editor; what differs between two; the calls that lead back.
import { z } from 'zod'
import { type CallContext, type GraphDifference, GraphDocument, type NamedCall } from '../contract/index.ts'
import { type Editor, PcgError } from '../editor/editor.ts'

const GraphState = z.object({
  nodes: z.record(z.string(), z.object({ class: z.string(), properties: z.record(z.string(), z.unknown()) })),
  /** From node, from pin, to node, to pin; in the order in which they are read. */
  edges: z.array(z.tuple([z.string(), z.string(), z.string(), z.string()])),
  parameters: z.record(z.string(), z.object({ type: z.string(), value: z.unknown() })),
})
export type GraphState = z.infer<typeof GraphState>
type Difference = GraphDifference['entries'][number]

/** The state of a stored snapshot. */
export function readState(kept: unknown): GraphState {
  const { data } = GraphState.safeParse(kept)
  if (!data) throw new PcgError('EDITOR_ERROR', 'The snapshot is damaged and cannot be compared')
  return data
}

/** As any editor can build it; a snapshot has no titles, positions and added pins. */
export function documentOf(graph: string, { nodes, edges, parameters }: GraphState): GraphDocument {
  const end = (name: string, token: string): string => (Object.hasOwn(nodes, name) ? name : token)
  return GraphDocument.parse({
    path: graph,
    nodes: Object.entries(nodes).map(([name, node]) => ({ name, title: null, ...node })),
    pins: { Input: [], Output: [] },
    edges: edges.map(([from, fromPin, to, toPin]) => [end(from, 'Input'), fromPin, end(to, 'Output'), toPin]),
    parameters: Object.entries(parameters).map(([name, parameter]) => ({ name, ...parameter })),
    layout: { graph, revision: 0, nodes: {}, comments: [], reroutes: [], bookmarks: [] },
  })
}

const READER: CallContext = { actor: 'snapshot', source: 'editor' }

export async function describeGraph(
  { tools }: Editor,
  graph: string,
  signal?: AbortSignal,
): Promise<{ readonly graph: string; readonly state: GraphState }> {
  const info = await tools.get_pcg_graph_info({ pcg_graph_path: graph }, READER)
  const nodes: Record<string, GraphState['nodes'][string]> = {}
  for (const { node_name, settings_class } of info.nodes) {
    signal?.throwIfAborted()
    const { properties } = await tools.get_pcg_node_properties({ pcg_graph_path: graph, node_name }, READER)
    nodes[node_name] = { class: settings_class, properties }
  }
  const { parameters } = await tools.get_pcg_graph_parameters({ pcg_graph_path: graph }, READER)
  return {
    graph: info.asset_path,
    state: {
      nodes,
      edges: info.edges.map(({ from_node, from_pin, to_node, to_pin }) => [from_node, from_pin, to_node, to_pin]),
      parameters: Object.fromEntries(parameters.map(({ name, type, value }) => [name, { type, value }])),
    },
  }
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1')

function differ(
  path: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Difference[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return keys.flatMap((key): Difference[] => {
    const [old, now] = [before[key], after[key]]
    const at = `${path}/${escaped(key)}`
    if (same(old, now)) return []
    if (old === undefined) return [{ path: at, kind: 'added', before: null, after: now }]
    if (now === undefined) return [{ path: at, kind: 'removed', before: old, after: null }]
    return [{ path: at, kind: 'changed', before: old, after: now }]
  })
}

const edgeName = ([from, fromPin, to, toPin]: GraphState['edges'][number]): string =>
  `${from}.${fromPin} > ${to}.${toPin}`
/** The edges of every pin that reads, in the order it reads them. */
function reading(edges: GraphState['edges']): ReadonlyMap<string, GraphState['edges']> {
  return Map.groupBy(edges, ([, , to, toPin]) => `${to}\n${toPin}`)
}

export function compareGraphs(before: GraphState, after: GraphState): Difference[] {
  const kept = Object.keys(before.nodes).filter((name) => before.nodes[name]?.class === after.nodes[name]?.class)
  // A node whose class is another is another node, whole.
  const whole = ({ nodes }: GraphState) =>
    Object.fromEntries(Object.entries(nodes).filter(([name]) => !kept.includes(name)))
  const wires = ({ edges }: GraphState) => Object.fromEntries(edges.map((edge) => [edgeName(edge), true]))
  const [old, now] = [reading(before.edges), reading(after.edges)]
  const reordered = [...old].filter(([pin, edges]) => {
    const others = now.get(pin) ?? []
    return !same(edges, others) && same(edges.map(edgeName).sort(), others.map(edgeName).sort())
  })
  return [
    ...differ('/nodes', whole(before), whole(after)),
    ...kept.flatMap((name) =>
      differ(
        `/nodes/${escaped(name)}/properties`,
        before.nodes[name]?.properties ?? {},
        after.nodes[name]?.properties ?? {},
      ),
    ),
    ...differ('/edges', wires(before), wires(after)),
    ...reordered.map(
      ([pin, edges]): Difference => ({
        path: `/order/${escaped(pin.replace('\n', '.'))}`,
        kind: 'changed',
        before: edges.map(edgeName),
        after: (now.get(pin) ?? []).map(edgeName),
      }),
    ),
    ...differ('/parameters', before.parameters, after.parameters),
  ]
}

/**
 * Calls of the twenty that turn `current` into `wanted`. A node that comes back gets a new name from the editor:
 * `{{n.node_name}}` stands for that of the n-th call's answer.
 */
export function restoreCalls(graph: string, wanted: GraphState, current: GraphState): NamedCall[] {
  const at = { pcg_graph_path: graph }
  const calls: NamedCall[] = []
  const names = new Map<string, string>()
  for (const [name, { class: type }] of Object.entries(current.nodes))
    if (wanted.nodes[name]?.class !== type) calls.push({ tool: 'remove_pcg_node', args: { ...at, node_name: name } })
  for (const [name, { type, value }] of Object.entries(wanted.parameters)) {
    const known = current.parameters[name]
    if (!known) calls.push({ tool: 'add_pcg_graph_parameter', args: { ...at, name, type } })
    if (!known || !same(known.value, value))
      calls.push({ tool: 'set_pcg_graph_parameter', args: { ...at, name, value: String(value) } })
  }
  for (const [name, { class: type, properties }] of Object.entries(wanted.nodes)) {
    const known = current.nodes[name]
    const stays = known?.class === type
    if (!stays) {
      names.set(name, `{{${calls.length}.node_name}}`)
      const inner = properties['SubgraphOverride']
      calls.push(
        type === 'PCGSubgraphSettings' && typeof inner === 'string'
          ? { tool: 'add_pcg_subgraph_node', args: { ...at, subgraph_path: inner } }
          : { tool: 'add_pcg_node', args: { ...at, node_type: type } },
      )
    }
    const changed = Object.entries(properties).filter(
      ([key, value]) => value !== null && (!stays || !same(known.properties[key], value)),
    )
    if (changed.length > 0)
      calls.push({
        tool: 'set_pcg_node_properties',
        args: { ...at, node_name: names.get(name) ?? name, properties: Object.fromEntries(changed) },
      })
  }
  calls.push(...rewire(at, wanted, current, names))
  return calls
}

function rewire(
  at: { readonly pcg_graph_path: string },
  wanted: GraphState,
  current: GraphState,
  names: ReadonlyMap<string, string>,
): NamedCall[] {
  const gone = (name: string): boolean => current.nodes[name] !== undefined && !survives(name, wanted, current)
  const standing = reading(current.edges.filter(([from, , to]) => !gone(from) && !gone(to)))
  const aim = reading(wanted.edges)
  return [...new Set([...standing.keys(), ...aim.keys()])].flatMap((pin) => {
    const [has, should] = [standing.get(pin) ?? [], aim.get(pin) ?? []]
    const reborn = should.some(([from, , to]) => names.has(from) || names.has(to))
    if (!reborn && same(has, should)) return []
    const call = (tool: string, [from, from_pin, to, to_pin]: GraphState['edges'][number]): NamedCall => ({
      tool,
      args: { ...at, from_node: names.get(from) ?? from, from_pin, to_node: names.get(to) ?? to, to_pin },
    })
    // Edges that are in the right order from the start stay.
    let kept = 0
    while (kept < has.length && same(has[kept], should[kept])) kept += 1
    return [
      ...has.slice(kept).map((edge) => call('disconnect_pcg_nodes', edge)),
      ...should.slice(kept).map((edge) => call('connect_pcg_nodes', edge)),
    ]
  })
}

function survives(name: string, wanted: GraphState, current: GraphState): boolean {
  return wanted.nodes[name]?.class === current.nodes[name]?.class
}
