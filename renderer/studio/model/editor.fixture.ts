// A double of an editor for gesture tests: keeps graphs in memory with the catalogue's pins, and records batches.
import { joinable, type ToolName } from '#pcg-catalog'
import type { Gesture } from '../editor/gestures.ts'
import { type Arrangement, type Rearrangement, rearranged } from './arrangement.ts'
import { type GraphInfo, type GraphView, graphView, typeOf } from './graph.ts'

type Node = GraphInfo['nodes'][number] & { readonly properties: Readonly<Record<string, unknown>> }
type Doc = { readonly nodes: readonly Node[]; readonly edges: GraphInfo['edges'] }
type Step = { readonly doc: Doc | null; readonly back: Rearrangement | null }

export const GRAPH = '/Game/PCG/Double'

const NO_PATCH = () => Promise.reject(new Error('the double takes no patch'))

export function editorDouble() {
  let doc: Doc = { nodes: [], edges: [] }
  let layout: Arrangement = { nodes: {}, comments: [], reroutes: [], bookmarks: [] }
  let made = 0
  const stacks = { done: [] as Step[], undone: [] as Step[] }

  const tools: Partial<Record<ToolName, (args: Readonly<Record<string, unknown>>) => object>> = {
    add_pcg_node: ({ node_type }) => {
      const type = typeOf(String(node_type))
      if (!type) throw new Error(`no class ${String(node_type)}`)
      made += 1
      const node: Node = {
        node_name: `${type.name}_${made}`,
        title: type.title,
        settings_class: type.name,
        input_pins: type.inputs.map(({ label }) => label),
        output_pins: type.outputs.map(({ label }) => label),
        properties: {},
      }
      doc = { ...doc, nodes: [...doc.nodes, node] }
      return { node_name: node.node_name }
    },
    remove_pcg_node: ({ node_name }) => {
      const nodes = doc.nodes.filter((node) => node.node_name !== node_name)
      doc = { nodes, edges: doc.edges.filter((edge) => edge.from_node !== node_name && edge.to_node !== node_name) }
      return {}
    },
    set_pcg_node_properties: ({ node_name, properties }) => {
      const nodes = doc.nodes.map((node) =>
        node.node_name === node_name ? { ...node, properties: { ...node.properties, ...Object(properties) } } : node,
      )
      doc = { ...doc, nodes }
      return {}
    },
    connect_pcg_nodes: (args) => {
      const edge = ends(args)
      const graph = view()
      const from = graph.nodes.get(edge.from_node)?.outputs.find(({ label }) => label === edge.from_pin)
      const to = graph.nodes.get(edge.to_node)?.inputs.find(({ label }) => label === edge.to_pin)
      if (!from || !to || !joinable(from, to)) throw new Error(`refused: ${JSON.stringify(edge)}`)
      if (leads(edge.to_node, edge.from_node)) throw new Error(`a cycle: ${JSON.stringify(edge)}`)
      const rest = doc.edges.filter(
        (each) => !same(each, edge) && !(to.single && each.to_node === edge.to_node && each.to_pin === edge.to_pin),
      )
      doc = { ...doc, edges: [...rest, edge] }
      return {}
    },
    disconnect_pcg_nodes: (args) => {
      doc = { ...doc, edges: doc.edges.filter((each) => !same(each, ends(args))) }
      return {}
    },
  }

  function view(): GraphView {
    return graphView({
      asset_path: GRAPH,
      graph_name: 'Double',
      node_count: doc.nodes.length,
      nodes: [...doc.nodes],
      has_input_node: true,
      has_output_node: true,
      input_node_name: 'DefaultInputNode',
      output_node_name: 'DefaultOutputNode',
      edges: [...doc.edges],
      edge_count: doc.edges.length,
    })
  }

  function leads(from: string, to: string): boolean {
    return from === to || doc.edges.some((edge) => edge.from_node === from && leads(edge.to_node, to))
  }

  function arrange(change: Rearrangement | null): Rearrangement | null {
    if (!change) return null
    const { next, back } = rearranged(layout, change)
    layout = next
    return back
  }

  return {
    view,
    layout: () => layout,
    properties: (name: string) => doc.nodes.find(({ node_name }) => node_name === name)?.properties ?? {},
    /** The visible state, for comparison. */
    seen: () => ({
      nodes: doc.nodes.toSorted((a, b) => (a.node_name < b.node_name ? -1 : 1)),
      edges: doc.edges.map((edge) => JSON.stringify(edge)).toSorted(),
      layout: {
        nodes: layout.nodes,
        comments: layout.comments.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        reroutes: layout.reroutes.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        bookmarks: layout.bookmarks,
      },
    }),
    async perform({ edit, arrange: arrangement }: Gesture): Promise<void> {
      const before = doc
      const change = await edit?.(async (tool, args) => {
        const run = tools[tool]
        if (!run) throw new Error(`the double has no ${tool}`)
        return run({ ...args }) as never // what the gestures under test read of an answer is there
      }, NO_PATCH)
      stacks.done.push({ doc: before, back: arrange(change ?? arrangement ?? null) })
      stacks.undone.length = 0
    },
    reverse(from: 'done' | 'undone'): boolean {
      const step = stacks[from].pop()
      if (!step) return false
      const before = doc
      if (step.doc) doc = step.doc
      stacks[from === 'done' ? 'undone' : 'done'].push({ doc: before, back: arrange(step.back) })
      return true
    },
  }
}

type Ends = GraphInfo['edges'][number]
const ends = ({ from_node, from_pin, to_node, to_pin }: Readonly<Record<string, unknown>>): Ends => ({
  from_node: String(from_node),
  from_pin: String(from_pin),
  to_node: String(to_node),
  to_pin: String(to_pin),
})
const same = (a: Ends, b: Ends): boolean => JSON.stringify(a) === JSON.stringify(b)
