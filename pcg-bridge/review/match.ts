// Which node of one graph is which of another: by id, by name, then by place and settings, so that a rename is no removal.
import { withNodes } from './assertions.ts'
import {
  INPUT,
  isEnd,
  nameIn,
  OUTPUT,
  type ReviewEdge,
  type ReviewGraph,
  type ReviewNode,
  sameValue,
  sorted,
} from './graph.ts'
import { freeId } from './ids.ts'

type Neighbour = { readonly at: string; readonly id: string }
/** By node: its neighbours, with the pins in between. */
function neighbours(edges: readonly ReviewEdge[]): ReadonlyMap<string, readonly Neighbour[]> {
  const found = new Map<string, Neighbour[]>()
  const note = (node: string, neighbour: Neighbour) => {
    const list = found.get(node)
    if (list) list.push(neighbour)
    else found.set(node, [neighbour])
  }
  for (const { from, fromPin, to, toPin } of edges) {
    note(from, { at: `> ${fromPin} ${toPin}`, id: to })
    note(to, { at: `< ${fromPin} ${toPin}`, id: from })
  }
  return found
}

/** Alike enough to be one node under two names: at most two settings, or half of them, differ. */
function alike(a: ReviewNode, b: ReviewNode): boolean {
  if (a.class !== b.class) return false
  if (a.title !== null && a.title === b.title) return true
  const names = new Set([...Object.keys(a.settings), ...Object.keys(b.settings)])
  const equal = [...names].filter((name) => sameValue(a.settings[name], b.settings[name])).length
  return names.size - equal <= Math.max(2, names.size / 2)
}

/** Ids of `after` by ids of `before`, of nodes that are the same. */
export function matchNodes(before: ReviewGraph, after: ReviewGraph): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  const taken = new Set<string>()
  const [around, aroundAfter] = [neighbours(before.edges), neighbours(after.edges)]
  const open: [string, string][] = [
    [INPUT, INPUT],
    [OUTPUT, OUTPUT],
  ]
  const pair = (a: string, b: string) => {
    pairs.set(a, b)
    taken.add(b)
    open.push([a, b])
  }
  for (const [id, node] of before.nodes) if (after.nodes.get(id)?.class === node.class) pair(id, id)
  if (pairs.size === before.nodes.size || pairs.size === after.nodes.size) return pairs

  const left = () => sorted(before.nodes).filter(([id]) => !pairs.has(id))
  const right = () => sorted(after.nodes).filter(([id]) => !taken.has(id))
  const byName = new Map(right().map(([id, node]) => [nameIn(id, node), id]))
  for (const [id, node] of left()) {
    const found = byName.get(nameIn(id, node))
    if (found !== undefined && after.nodes.get(found)?.class === node.class) pair(id, found)
  }
  /** From each pair to its neighbours: the only ones left behind the same pins are the same. */
  function spread(): void {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [a, b] = next
      const candidates = (map: typeof around, id: string, free: (id: string) => boolean) =>
        Map.groupBy(
          (map.get(id) ?? []).filter((each) => !isEnd(each.id) && free(each.id)),
          ({ at }) => at,
        )
      const ours = candidates(around, a, (id) => !pairs.has(id))
      const theirs = candidates(aroundAfter, b, (id) => !taken.has(id))
      for (const [at, [one, ...more]] of ours) {
        const [other, ...others] = theirs.get(at) ?? []
        if (one === undefined || other === undefined || more.length > 0 || others.length > 0) continue
        const [x, y] = [before.nodes.get(one.id), after.nodes.get(other.id)]
        if (x && y && !pairs.has(one.id) && !taken.has(other.id) && alike(x, y)) pair(one.id, other.id)
      }
    }
  }
  const key = ([, node]: readonly [string, ReviewNode]) => JSON.stringify([node.class, node.title, node.settings])
  /** Equal nodes, where each side has as many of them. */
  function pairEqual(most: number): void {
    const others = Map.groupBy(right(), key)
    for (const [same, nodes] of Map.groupBy(left(), key)) {
      const found = others.get(same) ?? []
      if (found.length !== nodes.length || nodes.length > most) continue
      nodes.forEach(([id], at) => {
        const other = found[at]
        if (other) pair(id, other[0])
      })
    }
  }
  spread()
  pairEqual(1)
  spread()
  pairEqual(Number.POSITIVE_INFINITY)
  spread()
  return pairs
}

/** `after` under the ids of `before`; a node that `before` does not have keeps its id if it is free. */
export function aligned(before: ReviewGraph, after: ReviewGraph): ReviewGraph {
  const pairs = matchNodes(before, after)
  const ids = new Map([...pairs].map(([ours, theirs]) => [theirs, ours]))
  const taken = new Set([...before.nodes.keys(), INPUT, OUTPUT].map((id) => id.toLowerCase()))
  for (const [id] of sorted(after.nodes))
    if (!ids.has(id)) {
      const free = freeId(id, taken)
      taken.add(free.toLowerCase())
      ids.set(id, free)
    }
  if ([...ids].every(([id, now]) => id === now)) return after
  return renamed(after, ids)
}

/** The same graph under other ids; names in the editor stay. */
export function renamed(graph: ReviewGraph, ids: ReadonlyMap<string, string>): ReviewGraph {
  const idOf = (id: string): string => ids.get(id) ?? id
  const ends = <E extends ReviewEdge>(edge: E): E => ({ ...edge, from: idOf(edge.from), to: idOf(edge.to) })
  const { layout } = graph
  return {
    ...graph,
    nodes: new Map(
      [...graph.nodes].map(([id, node]) => {
        const name = nameIn(id, node)
        return [idOf(id), { ...node, name: name === idOf(id) ? null : name }]
      }),
    ),
    edges: graph.edges.map(ends),
    ...(graph.tests && { tests: withNodes(graph.tests, idOf) }),
    layout: {
      ...layout,
      nodes: new Map([...layout.nodes].map(([id, place]) => [idOf(id), place])),
      comments: new Map([...layout.comments].map(([key, item]) => [key, { ...item, nodes: item.nodes.map(idOf) }])),
      reroutes: new Map([...layout.reroutes].map(([key, item]) => [key, ends(item)])),
    },
  }
}
