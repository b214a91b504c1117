// A graph as text: a Mermaid diagram, and a program that rebuilds it through the MCP endpoint.
import type { Clip } from './clipboard.ts'
import type { GraphView } from './graph.ts'

/** Escapes characters with a meaning in Mermaid by their code. */
const inMermaid = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{N} .,()_-]/gu, (letter) => `#${letter.codePointAt(0) ?? 0};`)

export function mermaidOf({ nodes, edges }: Pick<GraphView, 'nodes' | 'edges'>): string {
  const ids = new Map([...nodes.keys()].map((name, index) => [name, `n${index}`]))
  return [
    'flowchart LR',
    ...[...nodes.values()].map(({ name, title }) => `  ${ids.get(name)}["${inMermaid(title)}"]`),
    ...edges.map(
      ({ from, fromPin, to, toPin }) =>
        `  ${ids.get(from)} -- "${inMermaid(`${fromPin} to ${toPin}`)}" --> ${ids.get(to)}`,
    ),
    '',
  ].join('\n')
}

/**
 * A Node program that creates a graph and repeats the edits call by call. The editor assigns node names,
 * so the program stores each in a variable.
 */
export function scriptOf(clip: Clip, name: string, view: Pick<GraphView, 'nodes' | 'edges'>): string {
  const made = new Map(clip.nodes.map(({ id }, index) => [id, `n${index}`]))
  const write = (value: unknown): string => JSON.stringify(value)
  const nameOf = (node: string): string | undefined => {
    const end = view.nodes.get(node)?.end
    return made.get(node) ?? (end ? `${end}_node_name` : undefined)
  }
  const nodes = clip.nodes.flatMap(({ id, type, subgraph, properties }) => {
    const at = made.get(id) ?? ''
    const [tool, what] =
      subgraph === undefined
        ? ['add_pcg_node', `node_type: ${write(type)}`]
        : ['add_pcg_subgraph_node', `subgraph_path: ${write(subgraph)}`]
    const settings = Object.keys(properties).length > 0
    return [
      `const { node_name: ${at} } = await call('${tool}', { pcg_graph_path, ${what} })`,
      ...(settings
        ? [
            `await call('set_pcg_node_properties', { pcg_graph_path, node_name: ${at}, properties: ${write(properties)} })`,
          ]
        : []),
    ]
  })
  const edges = view.edges.flatMap(({ from, fromPin, to, toPin }) => {
    const [source, target] = [nameOf(from), nameOf(to)]
    if (source === undefined || target === undefined) return []
    const pins = `from_pin: ${write(fromPin)}, to_node: ${target}, to_pin: ${write(toPin)}`
    return [`await call('connect_pcg_nodes', { pcg_graph_path, from_node: ${source}, ${pins} })`]
  })
  const graph = `process.argv[2] ?? ${write(name)}`
  return [
    ...HEAD,
    `const { asset_path: pcg_graph_path } = await call('create_pcg_graph', { name: ${graph} })`,
    "const { input_node_name, output_node_name } = await call('get_pcg_graph_info', { pcg_graph_path })",
    ...nodes,
    ...edges,
    'console.log(pcg_graph_path)',
    '',
  ].join('\n')
}

const HEAD = [
  "// Builds a PCG graph through the gateway's MCP door of an editor. Run it with Node: GANTRY_MCP=http://…/mcp/pcg",
  '// GANTRY_KEY=… node this-file.mjs [name of the graph]',
  "const { GANTRY_MCP = 'http://127.0.0.1:3000/mcp/pcg', GANTRY_KEY } = process.env",
  'let id = 0',
  'async function call(name, args) {',
  '  const response = await fetch(GANTRY_MCP, {',
  "    method: 'POST',",
  '    headers: {',
  "      'content-type': 'application/json',",
  "      accept: 'application/json, text/event-stream',",
  '      ...(GANTRY_KEY ? { authorization: `Bearer ${GANTRY_KEY}` } : {}),',
  '    },',
  "    body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: args } }),",
  '  })',
  '  const { result, error } = await response.json()',
  '  if (!result || result.isError) throw new Error(`${name}: ${JSON.stringify(error ?? result?.content)}`)',
  '  return result.structuredContent',
  '}',
  '',
]
