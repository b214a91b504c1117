// Collapses nodes to a subgraph, and expands a subgraph back to its nodes. Each is one gesture, undone as one.

import { t } from '../../language/language.ts'
import { counted } from '../../ui/format.ts'
import type { Edit, Gesture } from '../editor/gestures.ts'
import type { NodePlace, Rearrangement } from './arrangement.ts'
import type { Clip } from './clipboard.ts'
import { nameOf } from './edits.ts'
import type { EdgeView, GraphView } from './graph.ts'

type Call = Parameters<Edit>[0]
type End = Pick<EdgeView, 'from' | 'fromPin'>
type Wire = Omit<EdgeView, 'id'>

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))
const sourceKey = ({ from, fromPin }: End): string => `${from}\n${fromPin}`

const connect = (call: Call, path: string, { from, fromPin, to, toPin }: Wire) =>
  call('connect_pcg_nodes', { pcg_graph_path: path, from_node: from, from_pin: fromPin, to_node: to, to_pin: toPin })

/** The pins of the new graph: one for each output that crosses its border; the first is the pin that every graph has. */
function borderPins(edges: readonly EdgeView[], first: string): ReadonlyMap<string, string> {
  const sources = [...new Set(edges.map(sourceKey))]
  return new Map(sources.map((source, at) => [source, at === 0 ? first : `${first} ${at + 1}`]))
}

async function newGraph(call: Call, path: string): Promise<string> {
  for (let at = 1; at <= 100; at += 1) {
    const made = await call('create_pcg_graph', { name: `${nameOf(path)}_Part${at}`, package_path: folderOf(path) })
    if (made.created) return made.asset_path
  }
  throw new Error(t('The folder has a hundred subgraphs of this graph. Rename or remove some.'))
}

/** Adds the nodes of a clip with their settings and inner edges; returns their new names. */
async function added(call: Call, path: string, { nodes, edges }: Pick<Clip, 'nodes' | 'edges'>) {
  const at = { pcg_graph_path: path }
  const names = new Map<string, string>()
  for (const { id, type, subgraph, properties } of nodes) {
    const { node_name } =
      subgraph === undefined
        ? await call('add_pcg_node', { ...at, node_type: type })
        : await call('add_pcg_subgraph_node', { ...at, subgraph_path: subgraph })
    names.set(id, node_name)
    if (Object.keys(properties).length > 0) await call('set_pcg_node_properties', { ...at, node_name, properties })
  }
  const nameIn = (name: string): string => names.get(name) ?? name
  for (const { from, fromPin, to, toPin } of edges)
    await connect(call, path, { from: nameIn(from), fromPin, to: nameIn(to), toPin })
  return nameIn
}

async function withPins(call: Call, path: string, node: 'Input' | 'Output', pins: ReadonlyMap<string, string>) {
  const more = [...pins.values()].slice(1)
  if (more.length > 0)
    await call('set_pcg_node_properties', {
      pcg_graph_path: path,
      node_name: node,
      properties: { Pins: more.map((Label) => ({ Label, AllowedTypes: 'Any' })) },
    })
}

export function collapsing(
  view: GraphView,
  clip: Pick<Clip, 'nodes' | 'edges'>,
  made: (names: readonly string[]) => void,
): Gesture {
  const inside = new Set(clip.nodes.map(({ id }) => id))
  const inbound = view.edges.filter(({ from, to }) => !inside.has(from) && inside.has(to))
  const outbound = view.edges.filter(({ from, to }) => inside.has(from) && !inside.has(to))
  const [ins, outs] = [borderPins(inbound, 'In'), borderPins(outbound, 'Out')]
  const middle = (axis: 'x' | 'y'): number => {
    const all = clip.nodes.map((node) => node[axis])
    return Math.round((Math.min(...all) + Math.max(...all)) / 2)
  }
  return {
    label: t('Collapse {nodes} to a subgraph', { nodes: counted(clip.nodes.length, 'node') }),
    async edit(call) {
      const path = await newGraph(call, view.path)
      const nameIn = await added(call, path, clip)
      await withPins(call, path, 'Input', ins)
      await withPins(call, path, 'Output', outs)
      for (const edge of inbound)
        await connect(call, path, {
          from: 'Input',
          fromPin: ins.get(sourceKey(edge)) ?? 'In',
          to: nameIn(edge.to),
          toPin: edge.toPin,
        })
      for (const [source, toPin] of outs) {
        const [from = '', fromPin = ''] = source.split('\n')
        await connect(call, path, { from: nameIn(from), fromPin, to: 'Output', toPin })
      }
      const host = { pcg_graph_path: view.path }
      const { node_name: name } = await call('add_pcg_subgraph_node', { ...host, subgraph_path: path })
      for (const node_name of inside) await call('remove_pcg_node', { ...host, node_name })
      for (const [source, toPin] of ins) {
        const [from = '', fromPin = ''] = source.split('\n')
        await connect(call, view.path, { from, fromPin, to: name, toPin })
      }
      for (const edge of outbound)
        await connect(call, view.path, { ...edge, from: name, fromPin: outs.get(sourceKey(edge)) ?? 'Out' })
      made([name])
      const gone = Object.fromEntries([...inside].map((id) => [id, null]))
      return { nodes: { ...gone, [name]: { x: middle('x'), y: middle('y') } } }
    },
  }
}

type Inner = {
  readonly view: GraphView
  readonly clip: Pick<Clip, 'nodes' | 'edges'>
}

export function expanding(
  host: GraphView,
  node: string,
  inner: Inner,
  place: NodePlace,
  made: (names: readonly string[]) => void,
): Gesture {
  const end = (which: 'input' | 'output') =>
    [...inner.view.nodes.values()].find((each) => each.end === which)?.name ?? ''
  const [input, output] = [end('input'), end('output')]
  return {
    label: t('Expand {value}', { value: host.nodes.get(node)?.title ?? t('the subgraph') }),
    async edit(call) {
      const nameIn = await added(call, host.path, inner.clip)
      await call('remove_pcg_node', { pcg_graph_path: host.path, node_name: node })
      for (const edge of host.edges.filter(({ to }) => to === node))
        for (const into of inner.view.edges.filter(({ from, fromPin }) => from === input && fromPin === edge.toPin))
          if (into.to !== output) await connect(call, host.path, { ...edge, to: nameIn(into.to), toPin: into.toPin })
      for (const edge of host.edges.filter(({ from }) => from === node))
        for (const out of inner.view.edges.filter(({ to, toPin }) => to === output && toPin === edge.fromPin))
          if (out.from !== input)
            await connect(call, host.path, { ...edge, from: nameIn(out.from), fromPin: out.fromPin })
      made(inner.clip.nodes.map(({ id }) => nameIn(id)))
      return spread(inner, nameIn, node, place)
    },
  }
}

/** The nodes keep their arrangement, with its corner at the place of the subgraph. */
function spread(
  { clip: { nodes } }: Inner,
  nameIn: (name: string) => string,
  node: string,
  place: NodePlace,
): Rearrangement {
  const [left, top] = [Math.min(...nodes.map(({ x }) => x)), Math.min(...nodes.map(({ y }) => y))]
  const spots = nodes.map(({ id, x, y }) => [nameIn(id), { x: place.x + x - left, y: place.y + y - top }] as const)
  return { nodes: { [node]: null, ...Object.fromEntries(spots) } }
}
