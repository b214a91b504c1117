// Gestures as values: the edits of each, and the resulting layout. Nothing is executed here.

import { t } from '../../language/language.ts'
import type { Gesture } from '../editor/gestures.ts'
import type { Arrangement, Comment, NodePlace, Rearrangement } from './arrangement.ts'
import { bestPins, edgeOf, insertion, type PinRef, pinOf } from './connect.ts'
import { type EdgeView, type GraphView, type NodeView, typeOf } from './graph.ts'

type Edit = NonNullable<Gesture['edit']>
type Call = Parameters<Edit>[0]
/** Receives the names of created nodes, so that they can be selected. */
type Made = (names: readonly string[]) => void

const counted = (count: number, noun: string): string => (count === 1 ? noun : `${count} ${noun}s`)

function wire(call: Call, graph: string, { from, fromPin, to, toPin }: Omit<EdgeView, 'id'>, made: boolean) {
  return call(made ? 'connect_pcg_nodes' : 'disconnect_pcg_nodes', {
    pcg_graph_path: graph,
    from_node: from,
    from_pin: fromPin,
    to_node: to,
    to_pin: toPin,
  })
}

export function connecting(view: GraphView, layout: Arrangement, edges: readonly EdgeView[]): Gesture {
  return {
    label: edges.length === 1 ? t('Connect') : t('Connect {count} pins', { count: edges.length }),
    async edit(call) {
      for (const edge of edges) await wire(call, view.path, edge, true)
      return withoutReroutes(layout, displacedBy(view, edges))
    },
  }
}

/** The edges that the editor removes because their pin accepts only one. */
function displacedBy(view: GraphView, made: readonly EdgeView[]): ReadonlySet<string> {
  const taken = (edge: EdgeView): boolean =>
    made.some(({ id, to, toPin }) => id !== edge.id && to === edge.to && toPin === edge.toPin) &&
    pinOf(view, { node: edge.to, side: 'in', pin: edge.toPin })?.single === true
  return new Set(view.edges.filter(taken).map(({ id }) => id))
}

/** Moves the end of an edge to another pin; the old reroutes do not apply to the new edge. */
export function rewiring(view: GraphView, layout: Arrangement, old: EdgeView, edge: EdgeView): Gesture {
  return {
    label: t('Move a wire'),
    async edit(call) {
      await wire(call, view.path, old, false)
      await wire(call, view.path, edge, true)
      return withoutReroutes(layout, new Set([old.id, ...displacedBy(view, [edge])]))
    },
  }
}

export function cutting(view: GraphView, edges: readonly EdgeView[], layout: Arrangement): Gesture {
  return {
    label: t('Cut {wires}', { wires: counted(edges.length, 'wire') }),
    async edit(call) {
      for (const edge of edges) await wire(call, view.path, edge, false)
      return withoutReroutes(layout, new Set(edges.map(({ id }) => id)))
    },
  }
}

/** Keeps Input and Output; removes selected comments and reroutes with the nodes. */
export function deleting(
  view: GraphView,
  layout: Arrangement,
  chosen: {
    readonly nodes: ReadonlySet<string>
    readonly edges: ReadonlySet<string>
    readonly comments: ReadonlySet<string>
    readonly reroutes: ReadonlySet<string>
  },
): Gesture | undefined {
  const nodes = [...view.nodes.values()].filter(({ name, end }) => chosen.nodes.has(name) && end === null)
  const names = new Set(nodes.map(({ name }) => name))
  const touched = view.edges.filter((edge) => names.has(edge.from) || names.has(edge.to))
  const edges = view.edges.filter((edge) => chosen.edges.has(edge.id) && !touched.includes(edge))
  const lost = new Set([...edges, ...touched].map(({ id }) => id))
  const parts = [
    ...(nodes.length > 0 ? [counted(nodes.length, 'node')] : []),
    ...(edges.length > 0 ? [counted(edges.length, 'wire')] : []),
    ...(chosen.comments.size > 0 ? [counted(chosen.comments.size, 'comment')] : []),
    ...(chosen.reroutes.size > 0 ? [counted(chosen.reroutes.size, 'reroute')] : []),
  ]
  if (parts.length === 0) return undefined
  const arrange: Rearrangement = {
    nodes: nothing(names),
    comments: Object.fromEntries([...chosen.comments].map((id) => [id, null])),
    reroutes: { ...withoutReroutes(layout, lost)?.reroutes, ...nothing(chosen.reroutes) },
  }
  const label = t('Delete {value}', { value: parts.join(', ') })
  if (nodes.length === 0 && edges.length === 0) return { label, arrange }
  return {
    label,
    async edit(call) {
      for (const edge of edges) await wire(call, view.path, edge, false)
      for (const { name } of nodes) await call('remove_pcg_node', { pcg_graph_path: view.path, node_name: name })
      return arrange
    },
  }
}

const nothing = (ids: Iterable<string>) => Object.fromEntries([...ids].map((id) => [id, null]))
function withoutReroutes(layout: Arrangement, edges: ReadonlySet<string>): Rearrangement | undefined {
  const lost = layout.reroutes.filter(({ edge }) => edges.has(edge)).map(({ id }) => id)
  return lost.length > 0 ? { reroutes: nothing(lost) } : undefined
}

/**
 * Extends a gesture: removes reroutes of edges that another author removed, and keeps every node in place, because one
 * without a stored position would otherwise move when a neighbour is placed or connected.
 */
export function tidied(gesture: Gesture, view: GraphView, layout: Arrangement, boxes: readonly Box[]): Gesture {
  const known = new Set(view.edges.map(({ id }) => id))
  const gone = new Set(layout.reroutes.flatMap(({ edge }) => (known.has(edge) ? [] : [edge])))
  const lost = withoutReroutes(layout, gone)
  const loose = boxes.filter(({ name }) => view.nodes.has(name) && !Object.hasOwn(layout.nodes, name))
  if (!lost && loose.length === 0) return gesture
  const also = (change: Rearrangement = {}): Rearrangement => {
    const placed = loose.filter(({ name }) => change.places?.[name] === undefined)
    return {
      ...change,
      nodes: { ...Object.fromEntries(placed.map(({ name, x, y }) => [name, { x, y }])), ...change.nodes },
      reroutes: { ...lost?.reroutes, ...change.reroutes },
    }
  }
  const { label, edit, arrange } = gesture
  return edit
    ? { label, edit: async (call, patch) => also((await edit(call, patch)) ?? arrange) }
    : { label, arrange: also(arrange) }
}

/** What to add: a class of the catalogue, or a graph as a subgraph node. */
export type Addition = { readonly type: string } | { readonly subgraph: string }
type Join = { readonly pin: PinRef } | { readonly edge: EdgeView }

export function adding(
  view: GraphView,
  layout: Arrangement,
  what: Addition,
  place: NodePlace,
  join: Join | undefined,
  made: Made,
): Gesture {
  const title = 'type' in what ? (typeOf(what.type)?.title ?? what.type) : nameOf(what.subgraph)
  return {
    label: join && 'edge' in join ? t('Insert {title}', { title }) : t('Add {title}', { title }),
    async edit(call) {
      const at = { pcg_graph_path: view.path }
      const { node_name: name } =
        'type' in what
          ? await call('add_pcg_node', { ...at, node_type: what.type })
          : await call('add_pcg_subgraph_node', { ...at, subgraph_path: what.subgraph })
      const pins = 'type' in what ? typeOf(what.type) : SUBGRAPH_PINS
      const lost = join && pins ? await joined(call, view, join, name, pins) : NOTHING
      made([name])
      return { nodes: { [name]: place }, ...withoutReroutes(layout, lost) }
    },
  }
}

const anyPin = (label: string) => ({ label, types: ['Any'], single: false, required: false })
/** Every graph has these two nodes. */
export const SUBGRAPH_PINS = { inputs: [anyPin('In')], outputs: [anyPin('Out')] }
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Returns the edges that it removes. */
async function joined(
  call: Call,
  view: GraphView,
  join: Join,
  name: string,
  pins: Pick<NodeView, 'inputs' | 'outputs'>,
): Promise<ReadonlySet<string>> {
  if ('edge' in join) {
    const where = insertion(view, join.edge, pins)
    if (!where) return NOTHING
    await between(call, view, join.edge, name, where)
    return new Set([join.edge.id])
  }
  const { pin: held } = join
  const node = view.nodes.get(held.node)
  const mine = [...(held.side === 'out' ? (node?.outputs ?? []) : (node?.inputs ?? []))].filter(
    ({ label }) => label === held.pin,
  )
  const pair =
    held.side === 'out' ? bestPins({ inputs: [], outputs: mine }, pins) : bestPins(pins, { inputs: mine, outputs: [] })
  const edge = pair && edgeOf(held, { node: name, ...(held.side === 'out' ? into(pair.toPin) : out(pair.fromPin)) })
  if (!edge) return NOTHING
  await wire(call, view.path, edge, true)
  return displacedBy(view, [edge])
}
const NOTHING: ReadonlySet<string> = new Set()
const into = (pin: string) => ({ side: 'in', pin }) as const
const out = (pin: string) => ({ side: 'out', pin }) as const

async function between(
  call: Call,
  view: GraphView,
  edge: EdgeView,
  name: string,
  where: { readonly into: string; readonly out: string },
) {
  await wire(call, view.path, edge, false)
  await wire(call, view.path, { ...edge, to: name, toPin: where.into }, true)
  await wire(call, view.path, { ...edge, from: name, fromPin: where.out }, true)
}

/** Inserts an existing node into an edge. */
export function inserting(
  view: GraphView,
  layout: Arrangement,
  edge: EdgeView,
  node: NodeView,
  moved: Rearrangement,
): Gesture | undefined {
  const where = insertion(view, edge, node)
  if (!where) return undefined
  return {
    label: t('Insert {title}', { title: node.title }),
    async edit(call) {
      await between(call, view, edge, node.name, where)
      return { ...moved, ...withoutReroutes(layout, new Set([edge.id])) }
    },
  }
}

/** A comment around nodes, or at the pointer. */
export function commentAround(
  id: string,
  boxes: readonly Box[],
  at: { readonly x: number; readonly y: number },
): Comment {
  if (boxes.length === 0) return { id, x: at.x, y: at.y, w: 320, h: 160, text: t('Comment'), nodes: [] }
  const left = Math.min(...boxes.map(({ x }) => x)) - 24
  const top = Math.min(...boxes.map(({ y }) => y)) - 56
  const right = Math.max(...boxes.map(({ x, w }) => x + w)) + 24
  const bottom = Math.max(...boxes.map(({ y, h }) => y + h)) + 24
  return {
    id,
    x: left,
    y: top,
    w: right - left,
    h: bottom - top,
    text: t('Comment'),
    nodes: boxes.map(({ name }) => name),
  }
}

export type Box = {
  readonly name: string
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/** The nodes that move with a comment: those whose centre lies in it. */
export function carriedBy(comment: Pick<Comment, 'x' | 'y' | 'w' | 'h'>, boxes: readonly Box[]): readonly string[] {
  return boxes
    .filter(({ x, y, w, h }) => {
      const [middleX, middleY] = [x + w / 2, y + h / 2]
      return (
        middleX >= comment.x &&
        middleX <= comment.x + comment.w &&
        middleY >= comment.y &&
        middleY <= comment.y + comment.h
      )
    })
    .map(({ name }) => name)
}
