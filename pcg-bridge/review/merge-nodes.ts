// Before a merge: nodes that both sides added get ids of their own, and removals of changed nodes are decided.
import {
  edgeText,
  INPUT,
  isEnd,
  nameIn,
  OUTPUT,
  type ReviewEdge,
  type ReviewGraph,
  sameValue,
  sorted,
} from './graph.ts'
import { freeId } from './ids.ts'
import { renamed } from './match.ts'

export type RemovalConflict = {
  readonly kind: 'node removed'
  readonly node: string
  readonly by: 'ours' | 'theirs'
  /** What the other side changed: settings, title, name, edges. */
  readonly changed: readonly string[]
}

const edgesOf = (graph: ReviewGraph, id: string): readonly string[] =>
  graph.edges
    .filter(({ from, to }) => from === id || to === id)
    .map(edgeText)
    .toSorted()

/** Theirs, with other ids for nodes that have the id of a different new node of ours. */
export function apart(base: ReviewGraph, ours: ReviewGraph, theirs: ReviewGraph) {
  const both = sorted(theirs.nodes).filter(
    ([id, node]) =>
      !base.nodes.has(id) &&
      ours.nodes.has(id) &&
      !(sameValue(node, ours.nodes.get(id)) && sameValue(edgesOf(theirs, id), edgesOf(ours, id))),
  )
  const taken = new Set(
    [...base.nodes.keys(), ...ours.nodes.keys(), ...theirs.nodes.keys(), INPUT, OUTPUT].map((id) => id.toLowerCase()),
  )
  const ids = new Map<string, string>()
  for (const [id] of both) {
    const free = freeId(id, taken)
    taken.add(free.toLowerCase())
    ids.set(id, free)
  }
  if (ids.size === 0) return { graph: theirs, rekeyed: [] }
  const moved = renamed(theirs, ids)
  const nodes = new Map(
    [...moved.nodes].map(([id, node]) => {
      const was = both.find(([old]) => ids.get(old) === id)
      // Its name was that of ours as well: the new id is its name.
      return [
        id,
        was && nameIn(...was) === nameIn(was[0], ours.nodes.get(was[0])) ? { ...node, name: null } : node,
      ] as const
    }),
  )
  return { graph: { ...moved, nodes }, rekeyed: [...ids].map(([was, node]) => ({ kind: 'id' as const, node, was })) }
}

function changesOf(base: ReviewGraph, side: ReviewGraph, id: string, old: ReadonlySet<string>): string[] {
  const [was, is] = [base.nodes.get(id), side.nodes.get(id)]
  if (!was || !is) return []
  return [
    ...(sameValue(was.settings, is.settings) ? [] : ['settings']),
    ...(was.title === is.title ? [] : ['title']),
    ...(was.name === is.name ? [] : ['name']),
    ...(edgesOf(side, id).every((edge) => old.has(edge)) ? [] : ['edges']),
  ]
}

/** A node that one side removed and the other changed stays or goes as the chosen side has it. */
export function removals(
  base: ReviewGraph,
  ours: ReviewGraph,
  theirs: ReviewGraph,
  sideOf: (conflict: RemovalConflict) => 'ours' | 'theirs',
) {
  const old = new Set(base.edges.map(edgeText))
  const conflicts: RemovalConflict[] = []
  const revived = { ours: new Set<string>(), theirs: new Set<string>() }
  const dropped = { ours: new Set<string>(), theirs: new Set<string>() }
  for (const [id] of sorted(base.nodes)) {
    const by = !ours.nodes.has(id) ? 'ours' : !theirs.nodes.has(id) ? 'theirs' : null
    const other = by === 'ours' ? 'theirs' : 'ours'
    const side = by === 'ours' ? theirs : ours
    if (by === null || !side.nodes.has(id)) continue
    const changed = changesOf(base, side, id, old)
    const conflict: RemovalConflict = { kind: 'node removed', node: id, by, changed }
    if (changed.length > 0) conflicts.push(conflict)
    if (changed.length > 0 && sideOf(conflict) === other) revived[by].add(id)
    else dropped[other].add(id)
  }
  const settle = (graph: ReviewGraph, back: ReadonlySet<string>, gone: ReadonlySet<string>): ReviewGraph => {
    if (back.size === 0 && gone.size === 0) return graph
    const nodes = new Map([...graph.nodes].filter(([id]) => !gone.has(id)))
    for (const id of back) {
      const node = base.nodes.get(id)
      if (node) nodes.set(id, node)
    }
    const held = ({ from, to }: ReviewEdge) => [from, to].every((id) => isEnd(id) || nodes.has(id))
    const again = base.edges.filter(({ from, to }) => back.has(from) || back.has(to))
    return { ...graph, nodes, edges: [...again, ...graph.edges].filter(held) }
  }
  return {
    conflicts,
    ours: settle(ours, revived.ours, dropped.ours),
    theirs: settle(theirs, revived.theirs, dropped.theirs),
  }
}
