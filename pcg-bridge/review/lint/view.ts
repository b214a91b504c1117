// What the rules of the linter read of a graph, each computed once.
import type { NodeType } from '../../catalog/node-types.ts'
import { effectiveSetting, factsOf } from '../defaults.ts'
import { type Fault, faultsOf } from '../faults.ts'
import { INPUT, OUTPUT, type ReviewEdge, type ReviewGraph, type ReviewNode, sorted } from '../graph.ts'
import { type PinsOf, pinsOfGraph } from '../pins.ts'

export type LintNode = ReviewNode & {
  readonly id: string
  /** Undefined: the catalogue does not have the class. */
  readonly type: NodeType | undefined
  readonly inputs: readonly ReviewEdge[]
  readonly outputs: readonly ReviewEdge[]
}
export type LintView = {
  readonly graph: ReviewGraph
  /** By id. */
  readonly nodes: ReadonlyMap<string, LintNode>
  readonly pins: PinsOf
  readonly faults: readonly Fault[]
  /** Nodes of these classes, by their bare names: `DensityFilter`. */
  of(...classes: readonly string[]): LintNode[]
  /** Edges into `Output`. */
  readonly results: readonly ReviewEdge[]
  /** Edges out of `Input`. */
  readonly given: readonly ReviewEdge[]
}

export const value = (node: LintNode, name: string): unknown => effectiveSetting(node.class, name, node.settings[name])
export const number = (node: LintNode, name: string): number => {
  const found = value(node, name)
  return typeof found === 'number' ? found : Number.NaN
}
export const vector = (node: LintNode, name: string): readonly number[] => {
  const found = value(node, name)
  return Array.isArray(found) ? found.filter((item) => typeof item === 'number') : []
}
export const text = (node: LintNode, name: string): string => {
  const found = value(node, name)
  return typeof found === 'string' && found !== 'None' ? found : ''
}
export const into = (node: LintNode, pin: string): readonly ReviewEdge[] =>
  node.inputs.filter(({ toPin }) => toPin === pin)
/** An attribute set that is wired there decides at run time. */
export const overridden = (node: LintNode, ...names: readonly string[]): boolean =>
  node.inputs.some(
    ({ toPin }) => toPin === 'Overrides' || names.includes(toPin.replaceAll(' ', '').replace(/^b(?=[A-Z])/, '')),
  )
export const enabled = (node: LintNode): boolean => value(node, 'bEnabled') !== false
export const seedOf = (node: LintNode): unknown => effectiveSetting(node.class, 'Seed', node.settings['Seed'])

const SIDE_EFFECTS = new Set(['Spawner', 'Debug'])
const ACTS =
  /^PCG(Spawn|Save|Write|Apply|Add(Component|Tag)On|CopyToRender|CreateCollision|Execute|ExportSelected|Print|Debug|SanityCheck|Visualize)/
/** Does something beside its output, so that nothing has to read it. */
export const acts = ({ type, class: name }: LintNode): boolean =>
  type === undefined || SIDE_EFFECTS.has(type.category) || ACTS.test(name) || type.outputs.length === 0

export function viewOf(graph: ReviewGraph): LintView {
  const byTarget = Map.groupBy(graph.edges, ({ to }) => to)
  const bySource = Map.groupBy(graph.edges, ({ from }) => from)
  const nodes = new Map(
    sorted(graph.nodes).map(([id, node]) => [
      id,
      { ...node, id, type: factsOf(node.class).type, inputs: byTarget.get(id) ?? [], outputs: bySource.get(id) ?? [] },
    ]),
  )
  const byClass = Map.groupBy(nodes.values(), ({ class: name }) => name)
  const pins = pinsOfGraph(graph)
  return {
    graph,
    nodes,
    pins,
    faults: faultsOf(graph, pins),
    of: (...classes) => classes.flatMap((name) => byClass.get(`PCG${name}Settings`) ?? []),
    results: byTarget.get(OUTPUT) ?? [],
    given: bySource.get(INPUT) ?? [],
  }
}
