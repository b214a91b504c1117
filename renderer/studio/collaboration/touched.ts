// The nodes that another author's edit touched: those it names, and those added or removed since.
import type { PcgChange } from '#contract'
import { edgeId, type GraphInfo } from '../model/graph.ts'
import { nodesOf } from './turns.ts'

export type Touched = { readonly nodes: readonly string[]; readonly edges: readonly string[] }

/** The nodes that the edit names. */
export function named(change: Pick<PcgChange, 'tool' | 'args'>, info: GraphInfo): Touched {
  const ends: Readonly<Record<string, string>> = { Input: info.input_node_name, Output: info.output_node_name }
  return { nodes: nodesOf(change).map((name) => ends[name] ?? name), edges: [] }
}

/** Nodes added since the last read: no argument names a new node. */
export function appeared(before: GraphInfo, after: GraphInfo): Touched {
  const nodes = new Set(before.nodes.map(({ node_name }) => node_name))
  const edges = new Set(edgesOf(before))
  return {
    nodes: after.nodes.flatMap(({ node_name }) => (nodes.has(node_name) ? [] : [node_name])),
    edges: edgesOf(after).filter((id) => !edges.has(id)),
  }
}

const edgesOf = ({ edges }: GraphInfo): string[] =>
  edges.map(({ from_node, from_pin, to_node, to_pin }) => edgeId(from_node, from_pin, to_node, to_pin))
