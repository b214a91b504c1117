// Three-way merge of graphs: both edits, or a conflict that is named. The result is valid where its sources are.
import { isRecord, type Settings } from '../editor/settings.ts'
import { withoutDefaults } from './defaults.ts'
import { edgeFault, executionOrder, leadsBack } from './faults.ts'
import {
  byText,
  canonical,
  edgeText,
  incoming,
  isEnd,
  nameIn,
  type Parameter,
  pinKey,
  type ReviewEdge,
  type ReviewGraph,
  type ReviewLayout,
  type ReviewNode,
  sameValue,
  sorted,
} from './graph.ts'
import { freeId } from './ids.ts'
import { aligned } from './match.ts'
import { apart, type RemovalConflict, removals } from './merge-nodes.ts'
import { parameterRead } from './parameters.ts'
import { type PinsOf, pinsOfGraph } from './pins.ts'

export type Side = 'ours' | 'theirs'
type Three = { readonly base: unknown; readonly ours: unknown; readonly theirs: unknown }
export type Conflict =
  | RemovalConflict
  | ({ readonly kind: 'setting'; readonly node: string; readonly setting: string } & Three)
  | ({ readonly kind: 'title' | 'name'; readonly node: string } & Three)
  /** Both wired one pin that takes one edge, or ordered its edges, differently. */
  | ({ readonly kind: 'input' | 'order'; readonly to: string; readonly toPin: string } & Three)
  /** An edge of one side that the changes of the other make invalid; it is left out. */
  | ({ readonly kind: 'edge'; readonly reason: string } & ReviewEdge)
  | ({ readonly kind: 'parameter'; readonly parameter: string } & Three)
  /** One side removed a parameter that a node of the other reads; it stays. */
  | { readonly kind: 'parameter in use'; readonly parameter: string; readonly node: string }
  | ({ readonly kind: 'pins'; readonly end: 'Input' | 'Output' } & Three)
  | ({ readonly kind: 'path' | 'tests' } & Three)
/** A node that got another id, or another name in the editor, because the other side has a different node there. */
export type Rekeyed = { readonly kind: 'id' | 'name'; readonly node: string; readonly was: string }
export type Merged = {
  readonly graph: ReviewGraph
  /** The graph has the favored side of each. */
  readonly conflicts: readonly Conflict[]
  readonly rekeyed: readonly Rekeyed[]
}

type Pick3<T> = { readonly base: T; readonly ours: T; readonly theirs: T }
/** Two conflicts of one merge have different keys; a key stays while the sources do. */
export function conflictKey(conflict: Conflict): string {
  const { kind } = conflict
  switch (kind) {
    case 'setting':
      return `${kind} ${conflict.node} ${conflict.setting}`
    case 'node removed':
    case 'title':
    case 'name':
      return `${kind} ${conflict.node}`
    case 'input':
    case 'order':
      return `${kind} ${pinKey(conflict)}`
    case 'edge':
      return `${kind} ${edgeText(conflict)}`
    case 'parameter':
    case 'parameter in use':
      return `${kind} ${conflict.parameter}`
    case 'pins':
      return `${kind} ${conflict.end}`
    case 'path':
    case 'tests':
      return kind
  }
}
/** Whether either side can be chosen; the others leave out what cannot be, or keep what must stay. */
export const isChoice = ({ kind }: Conflict): boolean => kind !== 'edge' && kind !== 'parameter in use'

class Merge {
  readonly conflicts: Conflict[] = []
  readonly favor: Side
  readonly #decided: ReadonlyMap<string, Side>
  constructor(favor: Side, decided: ReadonlyMap<string, Side>) {
    this.favor = favor
    this.#decided = decided
  }
  /** The side that was chosen for a conflict, by its key. */
  sideOf(conflict: Conflict): Side {
    return this.#decided.get(conflictKey(conflict)) ?? this.favor
  }
  /** What one side changed, or the favored side and a conflict. */
  choose<T>({ base, ours, theirs }: Pick3<T>, conflict: (three: Three) => Conflict | null): T {
    if (sameValue(ours, theirs) || sameValue(base, theirs)) return ours
    if (sameValue(base, ours)) return theirs
    const named = conflict({ base: base ?? null, ours: ours ?? null, theirs: theirs ?? null })
    if (named) this.conflicts.push(named)
    return (named ? this.sideOf(named) : this.favor) === 'ours' ? ours : theirs
  }
}

function mergeValue(merge: Merge, node: string, setting: string, three: Pick3<unknown>): unknown {
  const { base, ours, theirs } = three
  const fields = [base, ours, theirs].every((each) => each === undefined || isRecord(each))
  if (!fields || sameValue(ours, theirs) || sameValue(base, theirs) || sameValue(base, ours))
    return merge.choose(three, (values) => ({ kind: 'setting', node, setting, ...values }))
  return mergeRecords(merge, node, setting, {
    base: isRecord(base) ? base : {},
    ours: isRecord(ours) ? ours : {},
    theirs: isRecord(theirs) ? theirs : {},
  })
}
function mergeRecords(merge: Merge, node: string, at: string, { base, ours, theirs }: Pick3<Settings>): Settings {
  const names = [...new Set([base, ours, theirs].flatMap(Object.keys))].sort(byText)
  return Object.fromEntries(
    names.flatMap((name) => {
      const three = { base: base[name], ours: ours[name], theirs: theirs[name] }
      const value = mergeValue(merge, node, at === '' ? name : `${at}.${name}`, three)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

function mergeNode(merge: Merge, node: string, three: Pick3<ReviewNode>): ReviewNode {
  const { base, ours, theirs } = three
  const pick = <K extends 'title' | 'name'>(kind: K) =>
    merge.choose({ base: base[kind], ours: ours[kind], theirs: theirs[kind] }, (values) => ({ kind, node, ...values }))
  const settings = mergeRecords(merge, node, '', { base: base.settings, ours: ours.settings, theirs: theirs.settings })
  return {
    class: ours.class,
    name: pick('name'),
    title: pick('title'),
    settings: sameValue(settings, ours.settings) ? ours.settings : withoutDefaults(ours.class, settings),
  }
}

function mergeNodes(merge: Merge, { base, ours, theirs }: Pick3<ReviewGraph>): Map<string, ReviewNode> {
  const nodes = new Map<string, ReviewNode>()
  for (const id of [...new Set([...ours.nodes.keys(), ...theirs.nodes.keys()])].sort(byText)) {
    const [b, o, t] = [base.nodes.get(id), ours.nodes.get(id), theirs.nodes.get(id)]
    if (b && o && t) nodes.set(id, o === t ? o : mergeNode(merge, id, { base: b, ours: o, theirs: t }))
    // Only one has it: it is new, since the removals are decided.
    else if (!b) {
      const made = o ?? t
      if (made) nodes.set(id, made)
    }
  }
  return nodes
}

/** Members by three-way rule, in the order of the side that reordered them; the other side's additions last. */
function mergeList(three: Pick3<readonly string[]>): { readonly list: readonly string[]; readonly ordered: boolean } {
  const { base, ours, theirs } = three
  if (sameValue(ours, theirs) || sameValue(base, theirs)) return { list: ours, ordered: true }
  if (sameValue(base, ours)) return { list: theirs, ordered: true }
  const [inBase, inOurs, inTheirs] = [new Set(base), new Set(ours), new Set(theirs)]
  const stays = (item: string) =>
    inBase.has(item) ? inOurs.has(item) && inTheirs.has(item) : inOurs.has(item) || inTheirs.has(item)
  const common = (list: readonly string[]) => list.filter((item) => inBase.has(item) && stays(item))
  const [b, o, t] = [common(base), common(ours), common(theirs)]
  const [first, second] = sameValue(b, o) && !sameValue(b, t) ? [theirs, ours] : [ours, theirs]
  const list = [...first.filter(stays), ...second.filter((item) => stays(item) && !first.includes(item))]
  return { list, ordered: sameValue(o, t) || sameValue(b, o) || sameValue(b, t) }
}

function mergeEdges(merge: Merge, three: Pick3<ReviewGraph>, nodes: ReviewGraph['nodes'], pins: PinsOf): ReviewEdge[] {
  // An edge of the base whose node is gone is no member of a list that a side changed.
  const held = ({ from, to }: ReviewEdge) => [from, to].every((id) => isEnd(id) || nodes.has(id))
  const sides = {
    base: incoming(three.base.edges.filter(held)),
    ours: incoming(three.ours.edges),
    theirs: incoming(three.theirs.edges),
  }
  const known = new Map([...three.ours.edges, ...three.theirs.edges].map((edge) => [edgeText(edge), edge]))
  const edges: ReviewEdge[] = []
  for (const key of [...new Set([...sides.ours.keys(), ...sides.theirs.keys()])].sort(byText)) {
    const texts = (map: typeof sides.base) => (map.get(key) ?? []).map(edgeText)
    const lists = { base: texts(sides.base), ours: texts(sides.ours), theirs: texts(sides.theirs) }
    const { list, ordered } = mergeList(lists)
    const [first] = sides.ours.get(key) ?? sides.theirs.get(key) ?? []
    if (!first) continue
    const target = pins.target(first)
    const single = target !== undefined && target !== 'unknown' && target.single && list.length > 1
    const conflict = (kind: 'input' | 'order'): Side => {
      const named: Conflict = { kind, to: first.to, toPin: first.toPin, ...lists }
      merge.conflicts.push(named)
      return merge.sideOf(named)
    }
    let all = list
    if (single) {
      // Also where only one side changed the pin: a node that came back may have brought its edge.
      all = lists[conflict('input')]
    } else if (!ordered) {
      // The chosen side's order, then what only the other has.
      const kept = lists[conflict('order')].filter((text) => list.includes(text))
      all = [...kept, ...list.filter((text) => !kept.includes(text))]
    }
    for (const text of all) {
      const edge = known.get(text)
      if (edge) edges.push(edge)
    }
  }
  return edges
}

/** Leaves out edges of one side that the other side's changes make invalid. */
function validEdges(merge: Merge, three: Pick3<ReviewGraph>, graph: ReviewGraph, pins: PinsOf): ReviewEdge[] {
  let before: PinsOf[] | undefined
  const wasInvalid = (edge: ReviewEdge) =>
    (before ??= [pinsOfGraph(three.ours), pinsOfGraph(three.theirs)]).every(
      (side) => side.of(edge.to) === undefined || edgeFault(edge, side),
    )
  const fits = graph.edges.filter((edge) => {
    const fault = edgeFault(edge, pins)
    // What was invalid before the merge is not the merge's to remove, unless an end is gone.
    if (!fault || (fault.kind !== 'end' && wasInvalid(edge))) return true
    merge.conflicts.push({ kind: 'edge', ...edge, reason: fault.message })
    return false
  })
  if (executionOrder({ nodes: graph.nodes, edges: fits }).length === graph.nodes.size) return fits
  const favored = new Set(three[merge.favor].edges.map(edgeText))
  const after = Map.groupBy(
    fits.filter((edge) => favored.has(edgeText(edge))),
    ({ from }) => from,
  )
  return fits.filter((edge) => {
    if (favored.has(edgeText(edge))) return true
    if (leadsBack(after, edge.from, edge.to)) {
      merge.conflicts.push({ kind: 'edge', ...edge, reason: `${edge.to} leads to ${edge.from} already: a cycle` })
      return false
    }
    after.set(edge.from, [...(after.get(edge.from) ?? []), edge])
    return true
  })
}

function mergeParameters(merge: Merge, three: Pick3<ReviewGraph>, nodes: ReviewGraph['nodes']): Map<string, Parameter> {
  const { base, ours, theirs } = three
  const found = new Map<string, Parameter>()
  const lower = new Set<string>()
  const add = (name: string, value: Parameter) => {
    found.set(name, value)
    lower.add(name.toLowerCase())
  }
  const names = [
    ...new Set([...three[merge.favor].parameters.keys(), ...ours.parameters.keys(), ...theirs.parameters.keys()]),
  ]
  for (const parameter of names) {
    const values = {
      base: base.parameters.get(parameter),
      ours: ours.parameters.get(parameter),
      theirs: theirs.parameters.get(parameter),
    }
    const value = merge.choose(values, (each) => ({ kind: 'parameter', parameter, ...each }))
    if (value === undefined) continue
    if (lower.has(parameter.toLowerCase()))
      merge.conflicts.push({
        kind: 'parameter',
        parameter,
        base: null,
        ours: values.ours ?? null,
        theirs: values.theirs ?? null,
      })
    else add(parameter, value)
  }
  for (const [node, each] of sorted(nodes)) {
    const parameter = parameterRead(each)
    const value =
      parameter === undefined ? undefined : (ours.parameters.get(parameter) ?? theirs.parameters.get(parameter))
    if (parameter === undefined || value === undefined || lower.has(parameter.toLowerCase())) continue
    merge.conflicts.push({ kind: 'parameter in use', parameter, node })
    add(parameter, value)
  }
  return found
}

function mergePins(merge: Merge, end: 'Input' | 'Output', { base, ours, theirs }: Pick3<ReviewGraph>) {
  const lists = { base: base.pins[end], ours: ours.pins[end], theirs: theirs.pins[end] }
  const texts = (pins: typeof lists.base) => pins.map((pin) => JSON.stringify(canonical(pin)))
  const { list, ordered } = mergeList({ base: texts(lists.base), ours: texts(lists.ours), theirs: texts(lists.theirs) })
  const known = new Map([...lists.ours, ...lists.theirs].map((pin) => [JSON.stringify(canonical(pin)), pin]))
  const pins = list.flatMap((text) => known.get(text) ?? [])
  const labels = new Set(pins.map(({ label }) => label.toLowerCase()))
  return ordered && labels.size === pins.length
    ? pins
    : merge.choose(lists, (values) => ({ kind: 'pins', end, ...values }))
}

/** Places are never a conflict: the favored side has them. */
function mergeLayout(
  merge: Merge,
  { base, ours, theirs }: Pick3<ReviewGraph>,
  nodes: ReviewGraph['nodes'],
  edges: readonly ReviewEdge[],
): ReviewLayout {
  function part<T>(of: (layout: ReviewLayout) => ReadonlyMap<string, T>): Map<string, T> {
    const [b, o, t] = [of(base.layout), of(ours.layout), of(theirs.layout)]
    const entries = [...new Set([...o.keys(), ...t.keys()])].sort(byText).flatMap((key) => {
      const value = merge.choose({ base: b.get(key), ours: o.get(key), theirs: t.get(key) }, () => null)
      return value === undefined ? [] : [[key, value] as const]
    })
    return new Map(entries)
  }
  const wired = new Set(edges.map(edgeText))
  const held = (id: string) => nodes.has(id) || isEnd(id)
  const places = part(({ nodes: all }) => all)
  for (const [id] of nodes) {
    const place = ours.layout.nodes.get(id) ?? theirs.layout.nodes.get(id)
    if (!places.has(id) && place) places.set(id, place)
  }
  return {
    nodes: new Map([...places].filter(([id]) => held(id))),
    comments: new Map(
      [...part(({ comments }) => comments)].map(([id, item]) => [id, { ...item, nodes: item.nodes.filter(held) }]),
    ),
    reroutes: new Map(
      [...part(({ reroutes }) => reroutes)].filter(([, item]) => wired.has(edgeText(item)) || item.from === ''),
    ),
    bookmarks: part(({ bookmarks }) => bookmarks),
  }
}

/** No two nodes of one name: the one that only theirs has gets another. */
function uniqueNames(nodes: Map<string, ReviewNode>, ours: ReviewGraph): Rekeyed[] {
  const taken = new Set<string>()
  const rekeyed: Rekeyed[] = []
  const order = [
    ...sorted(nodes).filter(([id]) => ours.nodes.has(id)),
    ...sorted(nodes).filter(([id]) => !ours.nodes.has(id)),
  ]
  for (const [id, node] of order) {
    const was = nameIn(id, node)
    const name = taken.has(was.toLowerCase()) ? freeId(was, taken) : was
    taken.add(name.toLowerCase())
    if (name === was) continue
    nodes.set(id, { ...node, name: name === id ? null : name })
    rekeyed.push({ kind: 'name', node: id, was })
  }
  return rekeyed
}

const NONE_DECIDED: ReadonlyMap<string, Side> = new Map()

/** `decided`: sides by the keys of conflicts, in place of the favored one. */
export function mergeGraphs(
  base: ReviewGraph,
  ours: ReviewGraph,
  theirs: ReviewGraph,
  favor: Side = 'ours',
  decided = NONE_DECIDED,
): Merged {
  const merge = new Merge(favor, decided)
  const mine = aligned(base, ours)
  const other = apart(base, mine, aligned(base, theirs))
  const left = removals(base, mine, other.graph, (conflict) => merge.sideOf(conflict))
  merge.conflicts.push(...left.conflicts)
  const three = { base, ours: left.ours, theirs: left.theirs }
  const nodes = mergeNodes(merge, three)
  const renames = uniqueNames(nodes, three[favor])
  const draft: ReviewGraph = {
    path: merge.choose({ base: base.path, ours: ours.path, theirs: theirs.path }, (values) => ({
      kind: 'path',
      ...values,
    })),
    nodes,
    edges: [],
    parameters: mergeParameters(merge, three, nodes),
    pins: { Input: mergePins(merge, 'Input', three), Output: mergePins(merge, 'Output', three) },
    tests: merge.choose({ base: base.tests, ours: ours.tests, theirs: theirs.tests }, (values) => ({
      kind: 'tests',
      ...values,
    })),
    layout: base.layout,
  }
  const pins = pinsOfGraph(draft)
  const edges = validEdges(merge, three, { ...draft, edges: mergeEdges(merge, three, nodes, pins) }, pins)
  return {
    graph: { ...draft, edges, layout: mergeLayout(merge, three, nodes, edges) },
    conflicts: merge.conflicts,
    rekeyed: [...other.rekeyed, ...renames],
  }
}

export function conflictText(conflict: Conflict): string {
  const absent = conflict.kind === 'setting' ? 'default' : 'none'
  const shown = (value: unknown) => (value === null ? absent : JSON.stringify(value))
  const three = (what: string, { base, ours, theirs }: Three) =>
    `${what}: ours ${shown(ours)}, theirs ${shown(theirs)}, before ${shown(base)}`
  switch (conflict.kind) {
    case 'node removed':
      return `${conflict.node}: ${conflict.by} removed it, the other side changed ${conflict.changed.join(', ')}`
    case 'setting':
      return three(`${conflict.node}: ${conflict.setting}`, conflict)
    case 'title':
    case 'name':
      return three(`${conflict.node}: ${conflict.kind}`, conflict)
    case 'input':
    case 'order':
      return three(`${pinKey(conflict)}: ${conflict.kind}`, conflict)
    case 'edge':
      return `${edgeText(conflict)} is left out: ${conflict.reason}`
    case 'parameter':
      return three(`parameter ${conflict.parameter}`, conflict)
    case 'parameter in use':
      return `parameter ${conflict.parameter} was removed, and ${conflict.node} reads it: it stays`
    case 'pins':
      return three(`pins of ${conflict.end}`, conflict)
    case 'path':
    case 'tests':
      return three(conflict.kind, conflict)
  }
}
