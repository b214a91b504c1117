// Geometry of pins and edges, for drawing and hit tests. Pure.
import type { Reroute } from '../model/arrangement.ts'
import type { EdgeView } from '../model/graph.ts'
import { type CanvasNode, type GraphNode, pinMiddle } from './flow.ts'

export type Point = { readonly x: number; readonly y: number }

function pinPoint({ position, width = 0, data }: GraphNode, side: 'in' | 'out', label: string): Point {
  const index = (side === 'in' ? data.inputs : data.outputs).findIndex((pin) => pin.label === label)
  return {
    x: position.x + (side === 'in' ? 0 : width),
    y: position.y + pinMiddle(data.density, Math.max(0, index)),
  }
}

/** Reroutes in order along the edge. */
export function inOrder(via: readonly Point[], from: Point, to: Point): readonly Point[] {
  const along = ({ x, y }: Point): number => (x - from.x) * (to.x - from.x) + (y - from.y) * (to.y - from.y)
  return via.toSorted((a, b) => along(a) - along(b))
}

export function curve(points: readonly Point[]): string {
  return pairs(points)
    .map(([a, b]) => {
      const [c, d] = bend(a, b)
      return `M${a.x},${a.y} C${c.x},${c.y} ${d.x},${d.y} ${b.x},${b.y}`
    })
    .join(' ')
}

const STEPS = 16
/** Points along an edge, dense enough for hit tests. */
export function samples(points: readonly Point[]): readonly Point[] {
  return pairs(points).flatMap(([a, b]) => {
    const [c, d] = bend(a, b)
    return Array.from({ length: STEPS + 1 }, (_, step) => {
      const t = step / STEPS
      const at = (p: number, q: number, r: number, s: number): number =>
        (1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * q + 3 * (1 - t) * t ** 2 * r + t ** 3 * s
      return { x: at(a.x, c.x, d.x, b.x), y: at(a.y, c.y, d.y, b.y) }
    })
  })
}

function bend(a: Point, b: Point): readonly [Point, Point] {
  const reach = Math.min(160, Math.max(24, Math.abs(b.x - a.x) / 2, Math.abs(b.y - a.y) / 4))
  return [
    { x: a.x + reach, y: a.y },
    { x: b.x - reach, y: b.y },
  ]
}

const pairs = (points: readonly Point[]): readonly (readonly [Point, Point])[] =>
  points.slice(1).flatMap((point, index) => {
    const before = points[index]
    return before ? [[before, point] as const] : []
  })

type Led = { readonly edge: EdgeView; readonly points: readonly Point[] }
/** The path of each edge, from pin to pin. */
export function pathsOf(
  edges: readonly EdgeView[],
  nodes: readonly CanvasNode[],
  reroutes: readonly Reroute[],
): readonly Led[] {
  const byName = new Map(nodes.flatMap((node) => (node.type === 'graph' ? [[node.id, node] as const] : [])))
  const via = Map.groupBy(reroutes, ({ edge }) => edge)
  return edges.flatMap((edge) => {
    const [source, target] = [byName.get(edge.from), byName.get(edge.to)]
    if (!source || !target) return []
    const [from, to] = [pinPoint(source, 'out', edge.fromPin), pinPoint(target, 'in', edge.toPin)]
    return [{ edge, points: [from, ...inOrder(via.get(edge.id) ?? [], from, to), to] }]
  })
}

type Wired = { readonly edge: EdgeView; readonly path: readonly Point[] }
export function wiresOf(...given: Parameters<typeof pathsOf>): readonly Wired[] {
  return pathsOf(...given).map(({ edge, points }) => ({ edge, path: samples(points) }))
}

/** The edges that a stroke crosses. */
export function crossed(wires: readonly Wired[], stroke: readonly Point[]): readonly EdgeView[] {
  const cuts = pairs(stroke)
  return wires.flatMap(({ edge, path }) =>
    pairs(path).some(([a, b]) => cuts.some(([c, d]) => meet(a, b, c, d))) ? [edge] : [],
  )
}

function meet(a: Point, b: Point, c: Point, d: Point): boolean {
  const turn = (p: Point, q: Point, r: Point): number =>
    Math.sign((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x))
  return turn(a, b, c) !== turn(a, b, d) && turn(c, d, a) !== turn(c, d, b)
}

/** The edge through a box, nearest to its centre. */
export function wireUnder(
  wires: readonly Wired[],
  box: { readonly x: number; readonly y: number; readonly w: number; readonly h: number },
): EdgeView | undefined {
  const middle = { x: box.x + box.w / 2, y: box.y + box.h / 2 }
  const near = wires
    .map(({ edge, path }) => ({
      edge,
      away: Math.min(...path.map(({ x, y }) => Math.hypot(x - middle.x, y - middle.y))),
    }))
    .toSorted((a, b) => a.away - b.away)[0]
  return near && near.away <= box.h / 2 ? near.edge : undefined
}
