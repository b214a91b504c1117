// Which pins may be connected (by type, without a cycle), and the best pair of pins of two nodes.
import { joinable, type NodePin } from '#pcg-catalog'
import { type EdgeView, edgeId, type GraphView, type NodeView } from './graph.ts'

export type Side = 'in' | 'out'
export type PinRef = { readonly node: string; readonly side: Side; readonly pin: string }
type Wired = Pick<GraphView, 'edges'>

export const pinKey = ({ node, side, pin }: PinRef): string => `${node}\n${side}\n${pin}`

export function pinOf(view: GraphView, { node, side, pin }: PinRef): NodePin | undefined {
  return view.nodes.get(node)?.[side === 'in' ? 'inputs' : 'outputs'].find(({ label }) => label === pin)
}

/** All nodes downstream or upstream of a node, including itself. */
export function reached(view: Wired, start: string, way: 'down' | 'up'): ReadonlySet<string> {
  const next = Map.groupBy(view.edges, (edge) => (way === 'down' ? edge.from : edge.to))
  const seen = new Set([start])
  for (const name of seen) for (const edge of next.get(name) ?? []) seen.add(way === 'down' ? edge.to : edge.from)
  return seen
}

/** The edge between two pins, given in any order; undefined if both have the same direction. */
export function edgeOf(one: PinRef, other: PinRef): EdgeView | undefined {
  if (one.side === other.side) return undefined
  const [from, to] = one.side === 'out' ? [one, other] : [other, one]
  const ends = { from: from.node, fromPin: from.pin, to: to.node, toPin: to.pin }
  return { id: edgeId(ends.from, ends.fromPin, ends.to, ends.toPin), ...ends }
}

/** Every pin that a pin may be connected to. */
export function fitting(view: GraphView, from: PinRef): ReadonlySet<string> {
  const mine = pinOf(view, from)
  if (!mine) return new Set()
  const closed = reached(view, from.node, from.side === 'out' ? 'up' : 'down')
  const side = from.side === 'out' ? 'in' : 'out'
  const fits = new Set<string>()
  for (const node of view.nodes.values()) {
    if (closed.has(node.name)) continue
    for (const pin of side === 'in' ? node.inputs : node.outputs)
      if (side === 'in' ? joinable(mine, pin) : joinable(pin, mine))
        fits.add(pinKey({ node: node.name, side, pin: pin.label }))
  }
  return fits
}

/** Orders pins: default ones first, exact types before Any, free before connected. */
function rank(from: NodePin, to: NodePin, wired: boolean): number {
  const exact = from.types.some((type) => type !== 'Any' && to.types.includes(type))
  return (
    (exact ? 4 : 0) +
    (to.label === 'In' ? 2 : 0) +
    (from.label === 'Out' ? 2 : 0) +
    (to.required ? 1 : 0) -
    (wired ? 3 : 0)
  )
}

type Pins = Pick<NodeView, 'inputs' | 'outputs'>
/** The best pair of an output of one node and an input of the other. */
export function bestPins(
  from: Pins,
  to: Pins,
  wired: (toPin: string) => boolean = () => false,
): { readonly fromPin: string; readonly toPin: string } | undefined {
  const pairs = from.outputs.flatMap((out) =>
    to.inputs.flatMap((into) =>
      joinable(out, into)
        ? [{ fromPin: out.label, toPin: into.label, rank: rank(out, into, into.single && wired(into.label)) }]
        : [],
    ),
  )
  return pairs.toSorted((a, b) => b.rank - a.rank)[0]
}

/** The best edge between two nodes, in the order of selection, otherwise reversed. */
export function bestEdge(view: GraphView, one: string, other: string): EdgeView | undefined {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    const [source, target] = [view.nodes.get(from), view.nodes.get(to)]
    if (!source || !target || reached(view, to, 'down').has(from)) continue
    const wired = new Set(view.edges.flatMap((edge) => (edge.to === to ? [edge.toPin] : [])))
    const pins = bestPins(source, target, (pin) => wired.has(pin))
    if (pins) return { id: edgeId(from, pins.fromPin, to, pins.toPin), from, to, ...pins }
  }
  return undefined
}

/** The pin of a node that best matches the pin being connected. */
export function bestPinFor(view: GraphView, held: PinRef, node: string): PinRef | undefined {
  const fits = fitting(view, held)
  const target = view.nodes.get(node)
  const mine = pinOf(view, held)
  if (!target || !mine) return undefined
  const side = held.side === 'out' ? 'in' : 'out'
  const only = (pins: readonly NodePin[]) => pins.filter(({ label }) => fits.has(pinKey({ node, side, pin: label })))
  const pair =
    side === 'in'
      ? bestPins({ inputs: [], outputs: [mine] }, { inputs: only(target.inputs), outputs: [] })
      : bestPins({ inputs: [], outputs: only(target.outputs) }, { inputs: [mine], outputs: [] })
  return pair && { node, side, pin: side === 'in' ? pair.toPin : pair.fromPin }
}

/** The edges after inserting a node into an edge; undefined if the types do not match. */
export function insertion(
  view: GraphView,
  edge: EdgeView,
  node: Pins,
): { readonly into: string; readonly out: string } | undefined {
  const from = pinOf(view, { node: edge.from, side: 'out', pin: edge.fromPin })
  const to = pinOf(view, { node: edge.to, side: 'in', pin: edge.toPin })
  if (!from || !to) return undefined
  const before = bestPins({ inputs: [], outputs: [from] }, node)
  const after = bestPins(node, { inputs: [to], outputs: [] })
  return before && after && { into: before.toPin, out: after.fromPin }
}
