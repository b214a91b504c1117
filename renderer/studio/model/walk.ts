// Keyboard navigation through a graph: along edges, and up and down.
import type { Box } from './edits.ts'
import { type GraphView, HIDDEN_PIN } from './graph.ts'

export type Direction = 'left' | 'right' | 'up' | 'down'

/** From a named reroute's usage to its declaration, and back. */
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

/** The next node in a direction; undefined at the end. */
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
      // Nodes of the same column count as near, at any distance.
      const away = (box: Box): number => Math.abs(middle(box) - middle(here)) + 3 * Math.abs(box.x - here.x)
      return boxes
        .filter((box) => box.name !== from && sign * (middle(box) - middle(here)) > 0)
        .toSorted((a, b) => away(a) - away(b))[0]?.name
    }
  }
}
