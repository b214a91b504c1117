// Converts a graph and its layout to the canvas library's nodes and edges, with explicit sizes.
import { type Edge, type Node, Position } from '@xyflow/react'
import type { NodePin } from '#pcg-catalog'
import type { Arrangement, Comment, NodePlace, Reroute } from '../model/arrangement.ts'
import type { Box } from '../model/edits.ts'
import { edgeEnds, type GraphView, type NodeView } from '../model/graph.ts'
import { connectionsOf, spokenNode } from '../model/outline.ts'
import type { Overlay } from './overlay.ts'
import { colourOf } from './pin-look.ts'

export type GraphNode = Node<
  {
    readonly node: NodeView
    /** The drawn pins: a collapsed node shows only connected ones. */
    readonly inputs: readonly NodePin[]
    readonly outputs: readonly NodePin[]
    readonly place: NodePlace
    readonly wired: ReadonlySet<string>
    readonly density: Density
  },
  'graph'
>
export type CommentNode = Node<{ readonly comment: Comment }, 'comment'>
export type RerouteNode = Node<{ readonly reroute: Reroute }, 'reroute'>
export type CanvasNode = GraphNode | CommentNode | RerouteNode
export type WireEdge = Edge<{ readonly colour: string; readonly via: readonly string[] }, 'wire'>

/** Nodes are reached by the keys of the canvas; one of them by Tab. */
export const NODE_FOCUS = { tabIndex: -1 } as const
export const NODE_WIDTH = 208
export const PIN_SIZE = 14
/** Heights of a node's header and of each pin. */
export type Density = { readonly head: number; readonly pin: number }
export const ROOMY: Density = { head: 28, pin: 22 }
export const DENSE: Density = { head: 22, pin: 16 }
export const REROUTE_SIZE = 12
const COLUMN_GAP = 72
const ROW_GAP = 24

export const commentId = (id: string): string => `comment\n${id}`
export const rerouteId = (id: string): string => `reroute\n${id}`

/** A pin label is foreign text, and the library uses handle ids in selectors. */
export const handleId = (label: string): string => encodeURIComponent(label.toWellFormed())
export const pinOfHandle = (id: string | null | undefined): string => decodeURIComponent(id ?? '')

/** Offset from the top of the node. */
export const pinTop = ({ head, pin }: Density, index: number): number => head + 4 + index * pin
export const pinMiddle = (density: Density, index: number): number => pinTop(density, index) + density.pin / 2

function heightOf({ head, pin }: Density, inputs: readonly NodePin[], outputs: readonly NodePin[]): number {
  return head + Math.max(1, inputs.length, outputs.length) * pin + 8
}

export function boxesOf(nodes: readonly CanvasNode[]): readonly Box[] {
  return nodes.flatMap(({ type, id, position, width = 0, height = 0 }) =>
    type === 'graph' ? [{ name: id, x: position.x, y: position.y, w: width, h: height }] : [],
  )
}

/** Comments are drawn below; ghosts come last and cannot be moved. */
export function flowNodes(
  view: GraphView,
  layout: Arrangement,
  gone: Overlay['gone'],
  density: Density = ROOMY,
): readonly CanvasNode[] {
  const lost = gone.filter(({ node }) => !view.nodes.has(node.name))
  const ghosts = new Map(lost.map(({ node, place }) => [node.name, place]))
  const wired = wiredPins(view)
  const edges = new Set(view.edges.map(({ id }) => id))
  const joined = connectionsOf(view)
  const nodes = [...view.nodes.values(), ...lost.map(({ node }) => node)].map((node) => ({
    ...graphNode(node, ghosts.get(node.name) ?? layout.nodes[node.name], wired.get(node.name) ?? NONE, ghosts, density),
    ariaLabel: spokenNode(node, joined(node.name)),
  }))
  return [
    ...layout.comments.map(commentNode),
    ...placed(view, nodes, new Set([...Object.keys(layout.nodes), ...ghosts.keys()])),
    // Skips reroutes whose edge was removed.
    ...layout.reroutes.filter(({ edge }) => edges.has(edge)).map(rerouteNode),
  ]
}

const NONE: ReadonlySet<string> = new Set()

function wiredPins(view: GraphView): ReadonlyMap<string, ReadonlySet<string>> {
  const wired = new Map<string, Set<string>>()
  const add = (node: string, pin: string): unknown => wired.get(node)?.add(pin) ?? wired.set(node, new Set([pin]))
  for (const { from, fromPin, to, toPin } of view.edges) {
    add(from, `out\n${fromPin}`)
    add(to, `in\n${toPin}`)
  }
  return wired
}

function graphNode(
  node: NodeView,
  place: NodePlace | undefined,
  wired: ReadonlySet<string>,
  ghosts: ReadonlyMap<string, NodePlace>,
  density: Density,
): GraphNode {
  const shown = (pins: readonly NodePin[], side: 'in' | 'out') =>
    place?.collapsed ? pins.filter(({ label }) => wired.has(`${side}\n${label}`)) : pins
  const [inputs, outputs] = [shown(node.inputs, 'in'), shown(node.outputs, 'out')]
  const [width, height] = [place?.w ?? NODE_WIDTH, heightOf(density, inputs, outputs)]
  const handles = (pins: readonly NodePin[], side: 'in' | 'out') =>
    pins.map(({ label }, index) => ({
      id: handleId(label),
      type: side === 'in' ? ('target' as const) : ('source' as const),
      position: side === 'in' ? Position.Left : Position.Right,
      x: (side === 'in' ? 0 : width) - PIN_SIZE / 2,
      y: pinMiddle(density, index) - PIN_SIZE / 2,
      width: PIN_SIZE,
      height: PIN_SIZE,
    }))
  return {
    id: node.name,
    type: 'graph',
    position: { x: place?.x ?? 0, y: place?.y ?? 0 },
    width,
    height,
    measured: { width, height },
    handles: [...handles(inputs, 'in'), ...handles(outputs, 'out')],
    data: { node, inputs, outputs, place: place ?? { x: 0, y: 0 }, wired, density },
    // Zoomed out, a node has no text: an accessible name needs a role.
    ariaRole: 'group',
    domAttributes: NODE_FOCUS,
    ...(ghosts.has(node.name) ? { draggable: false, selectable: false, connectable: false } : {}),
  }
}

function commentNode(comment: Comment): CommentNode {
  const [width, height] = [comment.w, comment.h]
  return {
    id: commentId(comment.id),
    type: 'comment',
    position: { x: comment.x, y: comment.y },
    width,
    height,
    measured: { width, height },
    data: { comment },
    zIndex: -1,
    dragHandle: '.comment-head',
    ariaRole: 'group',
    ariaLabel: comment.text,
  }
}

function rerouteNode(reroute: Reroute): RerouteNode {
  const size = { width: REROUTE_SIZE, height: REROUTE_SIZE }
  const position = { x: reroute.x - REROUTE_SIZE / 2, y: reroute.y - REROUTE_SIZE / 2 }
  return { id: rerouteId(reroute.id), type: 'reroute', position, ...size, measured: size, data: { reroute }, zIndex: 1 }
}

/** Nodes without a stored position go one column right of their inputs, below all placed nodes. */
function placed(view: GraphView, nodes: readonly GraphNode[], known: ReadonlySet<string>): readonly GraphNode[] {
  const there = nodes.filter(({ id }) => known.has(id))
  const byName = new Map(there.map((node) => [node.id, node]))
  const columns = depths(view)
  const bottom = Math.max(0, ...there.map(({ position, height = 0 }) => position.y + height + ROW_GAP * 2))
  const left = there.length > 0 ? Math.min(...there.map(({ position }) => position.x)) : 0
  const right = Math.max(...there.map(({ position, width = 0 }) => position.x + width))
  const top = Math.min(...there.map(({ position }) => position.y))
  const filled = new Map<number, number>()
  const reads = Map.groupBy(view.edges, ({ to }) => to)
  return nodes.map((node) => {
    if (known.has(node.id)) return node
    const height = node.height ?? 0
    const source = (reads.get(node.id) ?? []).flatMap(({ from }) => byName.get(from) ?? [])[0]
    const beside = source && { x: source.position.x + (source.width ?? 0) + COLUMN_GAP, y: source.position.y }
    if (beside && isFree(beside, height, byName)) {
      const stood = { ...node, position: beside }
      byName.set(node.id, stood)
      return stood
    }
    const end = there.length > 0 ? view.nodes.get(node.id)?.end : null
    // Input and Output without a position go to the left and right of the arranged nodes.
    if (end) {
      const x = end === 'input' ? left - NODE_WIDTH - COLUMN_GAP : right + COLUMN_GAP
      return { ...node, position: { x, y: top } }
    }
    const column = columns.get(node.id) ?? 0
    const y = filled.get(column) ?? bottom
    filled.set(column, y + height + ROW_GAP)
    return { ...node, position: { x: left + column * (NODE_WIDTH + COLUMN_GAP), y } }
  })
}

function isFree(at: { readonly x: number; readonly y: number }, h: number, taken: ReadonlyMap<string, GraphNode>) {
  return taken
    .values()
    .every(
      ({ position: { x, y }, width = 0, height = 0 }) =>
        x >= at.x + NODE_WIDTH || x + width <= at.x || y >= at.y + h || y + height <= at.y,
    )
}

/** Includes ghost edges. */
export function flowEdges(view: GraphView, marks: Overlay['edges'], layout: Arrangement): readonly WireEdge[] {
  const known = new Set(view.edges.map(({ id }) => id))
  const lost = [...marks].flatMap(([id, { ghost }]) => (ghost !== undefined && !known.has(id) ? [edgeEnds(id)] : []))
  const via = Map.groupBy(layout.reroutes, ({ edge }) => edge)
  return [...view.edges, ...lost].map(({ id, from, fromPin, to, toPin }) => {
    const pin = view.nodes.get(from)?.outputs.find(({ label }) => label === fromPin)
    return {
      id,
      type: 'wire',
      source: from,
      sourceHandle: handleId(fromPin),
      target: to,
      targetHandle: handleId(toPin),
      data: { colour: colourOf(pin?.types ?? []), via: (via.get(id) ?? []).map((each) => rerouteId(each.id)) },
    }
  })
}

/** The column of a node is its longest path from a source; Output comes last. */
function depths(view: GraphView): ReadonlyMap<string, number> {
  const depth = new Map<string, number>()
  const reads = Map.groupBy(view.edges, ({ to }) => to)
  const waiting = [...view.nodes.keys()]
  const begun = new Set<string>()
  // Uses an explicit stack: a long chain would overflow the call stack.
  while (waiting.length > 0) {
    const name = waiting.at(-1) ?? ''
    const before = (reads.get(name) ?? []).map(({ from }) => from)
    const open = begun.has(name) ? [] : before.filter((from) => !depth.has(from) && !begun.has(from))
    begun.add(name)
    if (open.length > 0) {
      waiting.push(...open)
      continue
    }
    waiting.pop()
    depth.set(name, Math.max(0, ...before.map((from) => (depth.get(from) ?? 0) + 1)))
  }
  const last = [...view.nodes.values()].find(({ end }) => end === 'output')
  if (last) depth.set(last.name, Math.max(1, ...depth.values()))
  return depth
}
