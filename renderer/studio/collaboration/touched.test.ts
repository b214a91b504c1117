import { expect, it } from 'vitest'
import type { GraphInfo } from '../model/graph.ts'
import { appeared, named } from './touched.ts'

const node = (node_name: string) => ({ node_name, title: '', settings_class: '', input_pins: [], output_pins: [] })
const info = (nodes: readonly string[], edges: readonly (readonly [string, string])[] = []): GraphInfo => ({
  graph_name: 'G',
  asset_path: '/Game/PCG/G',
  node_count: nodes.length,
  nodes: nodes.map(node),
  has_input_node: true,
  has_output_node: true,
  input_node_name: 'DefaultInputNode',
  output_node_name: 'DefaultOutputNode',
  edges: edges.map(([from_node, to_node]) => ({ from_node, from_pin: 'Out', to_node, to_pin: 'In' })),
  edge_count: edges.length,
})

it('marks the nodes that an edit names, Input and Output by their real names', () => {
  const args = { from_node: 'Input', to_node: 'A' }
  expect(named({ tool: 'connect_pcg_nodes', args }, info(['A'])).nodes).toEqual(['DefaultInputNode', 'A'])
})

it('also marks nodes added since', () => {
  expect(appeared(info(['A']), info(['A', 'B'], [['A', 'B']]))).toEqual({ nodes: ['B'], edges: ['A\nOut\nB\nIn'] })
  expect(appeared(info(['A', 'B'], [['A', 'B']]), info(['A']))).toEqual({ nodes: [], edges: [] })
})
