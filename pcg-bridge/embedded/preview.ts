// A graph with other values, as if they were set: checked like an edit, and not stored.
import { noNode, parameterSet } from '../editor/arguments.ts'
import { nodeNamed } from '../editor/node-index.ts'
import { merge, nodeType, propertiesOf } from '../editor/settings.ts'
import { type EditorSession, type GraphRef, graphAt, parameterGraphAt } from './session.ts'

type Preview = {
  readonly pcg_graph_path: string
  readonly node_name?: string | undefined
  readonly values: Readonly<Record<string, unknown>>
}

/** `known`: the graph after earlier changes of this kind. */
export function withValues(
  session: EditorSession,
  { pcg_graph_path, node_name, values }: Preview,
  known?: GraphRef,
): GraphRef {
  if (node_name === undefined) {
    const graph = known ?? parameterGraphAt(session, pcg_graph_path)
    let { parameters } = graph.doc
    for (const [name, text] of Object.entries(values)) {
      const { found, value } = parameterSet({ name: graph.name, parameters }, { name, value: String(text) })
      parameters = parameters.map((item) => (item === found ? { ...item, value } : item))
    }
    return { ...graph, doc: { ...graph.doc, parameters } }
  }
  const graph = known ?? graphAt(session, pcg_graph_path)
  const node = nodeNamed(graph.doc, node_name)
  if (!node) throw noNode(graph, node_name)
  const { stored } = merge(propertiesOf(nodeType(node.class)), node.class, node.properties, values)
  const nodes = graph.doc.nodes.map((item) => (item === node ? { ...item, properties: stored } : item))
  return { ...graph, doc: { ...graph.doc, nodes } }
}
