// What makes a graph invalid: an editor would refuse it. Merges never bring one in; the linter reports each.
import type { NodePin } from '../catalog/node-types.ts'
import { joinable } from '../catalog/pin-types.ts'
import { edgeText, incoming, isEnd, nameIn, pinKey, type ReviewEdge, type ReviewGraph, sorted } from './graph.ts'
import { type PinsOf, pinsOfGraph } from './pins.ts'

export type Fault = {
  readonly kind: 'end' | 'pin' | 'types' | 'single' | 'twice' | 'cycle' | 'name' | 'parameter'
  readonly node: string | null
  readonly edge: ReviewEdge | null
  readonly message: string
}

/** Pins of the catalogue are the same objects in every graph. */
const joined = new WeakMap<NodePin, WeakMap<NodePin, boolean>>()
function fits(source: NodePin, target: NodePin): boolean {
  const known = joined.get(source) ?? new WeakMap<NodePin, boolean>()
  joined.set(source, known)
  const found = known.get(target) ?? joinable(source, target)
  known.set(target, found)
  return found
}

/** Why an editor would refuse this edge, apart from other edges. */
export function edgeFault(edge: ReviewEdge, pins: PinsOf): Fault | undefined {
  const fault = (kind: Fault['kind'], node: string, message: string): Fault => ({ kind, node, edge, message })
  for (const id of [edge.from, edge.to])
    if (pins.of(id) === undefined) return fault('end', id, `${edgeText(edge)}: the graph has no node ${id}`)
  const [source, target] = [pins.source(edge), pins.target(edge)]
  if (source === undefined) return fault('pin', edge.from, `${edge.from} has no output pin ${edge.fromPin}`)
  if (target === undefined) return fault('pin', edge.to, `${edge.to} has no input pin ${edge.toPin}`)
  if (source !== 'unknown' && target !== 'unknown' && !fits(source, target))
    return fault(
      'types',
      edge.to,
      `${edgeText(edge)}: the source has ${source.types.join('|')}, the target takes ${target.types.join('|')}`,
    )
  return undefined
}

/** Nodes in an order of execution; those of a cycle are missing. */
export function executionOrder(graph: Pick<ReviewGraph, 'nodes' | 'edges'>): string[] {
  const waiting = new Map<string, number>()
  const after = Map.groupBy(graph.edges, ({ from }) => from)
  for (const { from, to } of graph.edges) if (!isEnd(from)) waiting.set(to, (waiting.get(to) ?? 0) + 1)
  const order = [...graph.nodes.keys()].filter((id) => !waiting.has(id))
  for (let at = 0; at < order.length; at++)
    for (const { to } of after.get(order[at] ?? '') ?? []) {
      const left = (waiting.get(to) ?? 0) - 1
      waiting.set(to, left)
      if (left === 0 && graph.nodes.has(to)) order.push(to)
    }
  return order
}

/** Whether `to` leads to `from` already, over `after`. */
export function leadsBack(after: ReadonlyMap<string, readonly ReviewEdge[]>, from: string, to: string): boolean {
  const seen = new Set<string>([to])
  const open = [to]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === from) return true
    for (const edge of after.get(id) ?? [])
      if (!seen.has(edge.to)) {
        seen.add(edge.to)
        open.push(edge.to)
      }
  }
  return false
}

export function faultsOf(graph: ReviewGraph, pins: PinsOf = pinsOfGraph(graph)): Fault[] {
  const found: Fault[] = []
  const add = (kind: Fault['kind'], node: string | null, edge: ReviewEdge | null, message: string) =>
    void found.push({ kind, node, edge, message })
  const seen = new Set<string>()
  for (const edge of graph.edges) {
    const text = edgeText(edge)
    if (seen.has(text)) add('twice', edge.to, edge, `${text} is there twice`)
    seen.add(text)
    const fault = edgeFault(edge, pins)
    if (fault) found.push(fault)
  }
  for (const edges of incoming(graph.edges).values()) {
    const [first, ...more] = edges
    const target = first && pins.target(first)
    if (first && more.length > 0 && target !== undefined && target !== 'unknown' && target.single)
      add('single', first.to, more[0] ?? null, `${pinKey(first)} takes one edge and has ${edges.length}`)
  }
  const order = new Set(executionOrder(graph))
  const nodes = sorted(graph.nodes)
  const after =
    order.size === nodes.length ? new Map<string, ReviewEdge[]>() : Map.groupBy(graph.edges, ({ from }) => from)
  for (const [id] of nodes)
    if (!order.has(id) && (after.get(id) ?? []).some(({ to }) => leadsBack(after, id, to)))
      add('cycle', id, null, `${id} is in a cycle`)
  const names = new Set<string>()
  for (const [id, node] of nodes) {
    const name = nameIn(id, node).toLowerCase()
    if (names.has(name)) add('name', id, null, `two nodes are named ${nameIn(id, node)}`)
    names.add(name)
  }
  const parameters = new Set<string>()
  for (const [name, { type, value }] of sorted(graph.parameters)) {
    if (parameters.has(name.toLowerCase())) add('parameter', null, null, `two parameters are named ${name}`)
    parameters.add(name.toLowerCase())
    const wanted = type === 'bool' ? 'boolean' : type === 'string' ? 'string' : 'number'
    if (typeof value !== wanted || (type === 'int' && !Number.isInteger(value)))
      add('parameter', null, null, `parameter ${name} is ${type} and has ${JSON.stringify(value)}`)
  }
  return found
}
