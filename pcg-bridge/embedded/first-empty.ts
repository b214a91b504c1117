// Names the node at which data ends: from every spawner or output that received nothing, back to where data was last seen.

import type { EdgeDoc, GraphDoc, NodeDoc } from '../editor/document.ts'
import { type FindGraph, INPUT_NODE, OUTPUT_NODE, pinsOf, subgraphPath } from '../editor/pins.ts'
import { effective, nodeType } from '../editor/settings.ts'
import type { NodeReport } from './generation/plan.ts'
import { executionOrder } from './generation/run.ts'

export const SPAWNERS = [
  'PCGStaticMeshSpawnerSettings',
  'PCGSpawnActorSettings',
  'PCGSpawnInstancedActorsSettings',
  'PCGSpawnSplineMeshSettings',
]

export type FirstEmpty = {
  /** The node of the root graph: where a person looks first. */
  readonly node: string
  /** The node inside the graphs that `node` embeds, and the path of its graph. */
  readonly inner: { readonly node: string; readonly graph: string } | null
  readonly reason: string
}

type Level = {
  readonly path: string
  readonly graph: GraphDoc
  /** The node that embeds this graph, and where it stands. */
  readonly parent: { readonly level: Level; readonly node: string } | null
}
type End = { readonly level: Level; readonly node: string; readonly reason: string }
/** One node over all its runs: a loop reports once per iteration. */
type Seen = { readonly filled: ReadonlySet<string>; readonly spawned: number; readonly messages: readonly string[] }

export function firstEmpty(find: FindGraph, root: string, reports: readonly NodeReport[]): FirstEmpty | null {
  const graph = find(root)
  if (!graph) return null
  const seen = merged(reports)
  const walk = createWalk(find, seen)
  const top: Level = { path: root, graph, parent: null }
  const spawners = spawnersIn(find, top)
  const alive = spawners.some(({ level, node }) => spawnedBy(seen, level, node.name) > 0)
  const ends = spawners
    .filter(({ level, node }) => spawnedBy(seen, level, node.name) === 0)
    .flatMap(({ level, node }) => walk.fromNode(level, node.name) ?? [])
  const outputs = graph.edges.filter((edge) => edge.to === OUTPUT_NODE)
  if (!alive && outputs.length > 0 && !outputs.some((edge) => walk.isFilled(top, edge)))
    ends.push(...walk.fromEdges(top, outputs))
  const order = executionOrder(graph).map(({ name }) => name)
  const inRoot = ends.map((end) => ({ end, node: atRoot(end) }))
  const [first] = inRoot.sort((a, b) => order.indexOf(a.node) - order.indexOf(b.node))
  if (!first) return null
  const { end, node } = first
  const inner = end.level.parent === null ? null : { node: end.node, graph: end.level.path }
  return { node, inner, reason: end.reason }
}

const keyOf = (path: string, node: string): string => `${path.toLowerCase()}\n${node}`
const NOT_RUN: Seen = { filled: new Set(), spawned: 0, messages: [] }

function merged(reports: readonly NodeReport[]): ReadonlyMap<string, Seen> {
  const seen = new Map<string, Seen>()
  for (const { graph, node, filled, spawned, warnings, errors } of reports) {
    const known = seen.get(keyOf(graph, node)) ?? NOT_RUN
    seen.set(keyOf(graph, node), {
      filled: new Set([...known.filled, ...filled]),
      spawned: known.spawned + spawned,
      messages: [...new Set([...known.messages, ...errors, ...warnings])],
    })
  }
  return seen
}

const spawnedBy = (seen: ReadonlyMap<string, Seen>, level: Level, node: string): number =>
  seen.get(keyOf(level.path, node))?.spawned ?? 0

const MOST_LEVELS = 32

/** Spawners of this graph and of the graphs it embeds, unless they are switched off. */
function spawnersIn(find: FindGraph, level: Level, depth = 0): { level: Level; node: NodeDoc }[] {
  return level.graph.nodes.filter(isEnabled).flatMap((node) => {
    if (SPAWNERS.includes(node.class)) return [{ level, node }]
    const path = subgraphPath(node)
    const graph = path === undefined ? undefined : find(path)
    if (path === undefined || !graph || depth === MOST_LEVELS) return []
    return spawnersIn(find, { path, graph, parent: { level, node: node.name } }, depth + 1)
  })
}

const isEnabled = (node: NodeDoc): boolean => effective(nodeType(node.class), node.properties)['bEnabled'] !== false

function atRoot(end: End): string {
  let { level, node } = { level: end.level, node: end.node }
  while (level.parent) ({ level, node } = level.parent)
  return node
}

function createWalk(find: FindGraph, seen: ReadonlyMap<string, Seen>) {
  const ran = (level: Level, node: string): Seen => seen.get(keyOf(level.path, node)) ?? NOT_RUN

  function isFilled(level: Level, { from, fromPin }: EdgeDoc): boolean {
    if (from !== INPUT_NODE) return ran(level, from).filled.has(fromPin)
    // A component fills `In` of its graph, and no other pin.
    if (!level.parent) return fromPin === 'In'
    const { level: outer, node } = level.parent
    return outer.graph.edges.some((edge) => edge.to === node && edge.toPin === fromPin && isFilled(outer, edge))
  }

  /** The pins without which the node has nothing to give. */
  function neededPins(level: Level, node: NodeDoc | undefined, wired: readonly EdgeDoc[]): readonly string[] {
    const pins = pinsOf(level.graph, node?.name ?? '', find)?.inputs ?? []
    const chosen = node && selectedPin(node)
    if (chosen !== undefined) return [chosen]
    const required = pins.filter((pin) => pin.required).map((pin) => pin.label)
    if (required.length > 0) return required
    const [first] = pins.filter((pin) => wired.some((edge) => edge.toPin === pin.label))
    return first ? [first.label] : []
  }

  /** Where data ended on its way to a node that gave nothing. */
  function fromNode(level: Level, name: string): End | null {
    const node = level.graph.nodes.find((each) => each.name === name)
    const wired = level.graph.edges.filter((edge) => edge.to === name)
    for (const pin of neededPins(level, node, wired)) {
      const edges = wired.filter((edge) => edge.toPin === pin)
      if (edges.length === 0) return { level, node: name, reason: `Nothing is connected to ${pin}.` }
      if (!edges.some((edge) => isFilled(level, edge))) return fromEdges(level, edges)[0] ?? null
    }
    return { level, node: name, reason: reasonOf(level, name, wired.length > 0) }
  }

  /** Of several empty sources the one that runs first. */
  function fromEdges(level: Level, edges: readonly EdgeDoc[]): End[] {
    const order = [INPUT_NODE, ...executionOrder(level.graph).map((node) => node.name)]
    const [first] = [...edges].sort((a, b) => order.indexOf(a.from) - order.indexOf(b.from))
    const end = first && fromSource(level, first)
    return end ? [end] : []
  }

  function fromSource(level: Level, { from, fromPin }: EdgeDoc): End | null {
    if (from === INPUT_NODE) {
      if (!level.parent)
        return { level, node: INPUT_NODE, reason: `A component fills the pin In only; ${fromPin} stays empty.` }
      const { level: outer, node } = level.parent
      const edges = outer.graph.edges.filter((edge) => edge.to === node && edge.toPin === fromPin)
      if (edges.length === 0) return { level: outer, node, reason: `Nothing is connected to ${fromPin}.` }
      return fromEdges(outer, edges)[0] ?? null
    }
    const { filled } = ran(level, from)
    const [other] = filled
    if (other !== undefined)
      return { level, node: from, reason: `All its data leaves by ${other}, none by ${fromPin}.` }
    return insideOf(level, from, fromPin) ?? fromNode(level, from)
  }

  /** The end of data inside an embedded graph that ran and gave nothing. */
  function insideOf(level: Level, name: string, pin: string): End | null {
    const node = level.graph.nodes.find((each) => each.name === name)
    const path = node && subgraphPath(node)
    const graph = path === undefined ? undefined : find(path)
    if (node === undefined || path === undefined || !graph || !isEnabled(node)) return null
    const inner: Level = { path, graph, parent: { level, node: name } }
    if (!graph.nodes.some((each) => seen.has(keyOf(path, each.name)))) return null
    const edges = graph.edges.filter((edge) => edge.to === OUTPUT_NODE && edge.toPin === pin)
    if (edges.length === 0) return { level, node: name, reason: `${path} connects nothing to its output ${pin}.` }
    return fromEdges(inner, edges)[0] ?? null
  }

  function reasonOf(level: Level, name: string, received: boolean): string {
    const { messages } = ran(level, name)
    if (messages.length > 0) return messages.map(sentence).join(' ')
    return received ? 'It received data but kept none of it.' : 'It found nothing.'
  }

  return { isFilled, fromNode, fromEdges }
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** The input that a node which selects among its inputs reads. */
function selectedPin(node: NodeDoc): string | undefined {
  const settings = effective(nodeType(node.class), node.properties)
  if (node.class === 'PCGBooleanSelectSettings') return settings['bUseInputB'] === true ? 'Input B' : 'Input A'
  return undefined
}
