// The way of the keyboard through a graph: along wires, and to what stands above and below.
import type { Box } from './edits.ts'
import { type GraphView, HIDDEN_PIN } from './graph.ts'

export type Direction = 'left' | 'right' | 'up' | 'down'

/** From the usage of a named reroute to its declaration, from a declaration to its usages. */
export function otherEnds(view: GraphView, name: string): readonly string[] {
  switch (view.nodes.get(name)?.settingsClass) {
    case 'PCGNamedRerouteUsageSettings':
      return view.edges.flatMap(({ from, to, toPin }) => (to === name && toPin === HIDDEN_PIN ? [from] : []))
    case 'PCGNamedRerouteDeclarationSettings':
      return view.edges.flatMap(({ from, fromPin, to }) => (from === name && fromPin === HIDDEN_PIN ? [to] : []))
    default:
      return []
  }
}

/** Where an arrow leads from a node; undefined at the end of the way. */
export function neighbour(view: GraphView, boxes: readonly Box[], from: string, way: Direction): string | undefined {
  const places = new Map(boxes.map((box) => [box.name, box]))
  const here = places.get(from)
  if (!here) return undefined
  const middle = ({ y, h }: Box): number => y + h / 2
  const near = (names: readonly string[]): string | undefined =>
    names
      .flatMap((name) => places.get(name) ?? [])
      .toSorted((a, b) => Math.abs(middle(a) - middle(here)) - Math.abs(middle(b) - middle(here)))[0]?.name
  switch (way) {
    case 'left':
      return near(view.edges.flatMap((edge) => (edge.to === from ? [edge.from] : [])))
    case 'right':
      return near(view.edges.flatMap((edge) => (edge.from === from ? [edge.to] : [])))
    case 'up':
    case 'down': {
      const sign = way === 'down' ? 1 : -1
      // What lies in the same column counts as near, however far it is.
      const away = (box: Box): number => Math.abs(middle(box) - middle(here)) + 3 * Math.abs(box.x - here.x)
      return boxes
        .filter((box) => box.name !== from && sign * (middle(box) - middle(here)) > 0)
        .toSorted((a, b) => away(a) - away(b))[0]?.name
    }
  }
}
