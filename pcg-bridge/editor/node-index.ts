// Nodes of a graph by name, in any case: indexed once for each state of a graph, since a state never changes.
import type { GraphDoc, NodeDoc } from './document.ts'

const listed = new WeakMap<GraphDoc['nodes'], ReadonlyMap<string, NodeDoc>>()

export function nodeNamed({ nodes }: Pick<GraphDoc, 'nodes'>, name: string): NodeDoc | undefined {
  const known = listed.get(nodes) ?? byName(nodes)
  listed.set(nodes, known)
  return known.get(name) ?? known.get(name.toLowerCase())
}

function byName(nodes: GraphDoc['nodes']): ReadonlyMap<string, NodeDoc> {
  const names = new Map<string, NodeDoc>()
  for (const node of nodes) {
    const lower = node.name.toLowerCase()
    if (!names.has(lower)) names.set(lower, node)
    // A file written by hand may hold two names that differ by case only.
    names.set(node.name, node)
  }
  return names
}
