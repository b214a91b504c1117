import { describe, expect, it } from 'vitest'
import { graphView } from '../model/graph.ts'
import { flowNodes, NODE_WIDTH } from './flow.ts'

const count = 100
const name = (at: number): string => `DensityFilter_${at}`
const ATS = Array.from({ length: count }, (_none, at) => at)
/** A long chain in rows of ten. */
const VIEW = graphView({
  graph_name: 'Chain',
  asset_path: '/Game/PCG/Chain',
  node_count: count,
  nodes: ATS.map((at) => ({
    node_name: name(at),
    title: 'Density Filter',
    settings_class: 'PCGDensityFilterSettings',
    input_pins: ['In'],
    output_pins: ['Out'],
  })),
  has_input_node: true,
  has_output_node: true,
  input_node_name: 'DefaultInputNode',
  output_node_name: 'DefaultOutputNode',
  edges: ATS.slice(1).map((at) => ({ from_node: name(at - 1), from_pin: 'Out', to_node: name(at), to_pin: 'In' })),
  edge_count: count - 1,
})

describe('Input and Output without a position', () => {
  it('go next to the placed nodes, independent of the graph’s depth', () => {
    const nodes = Object.fromEntries(ATS.map((at) => [name(at), { x: (at % 10) * 280, y: Math.floor(at / 10) * 120 }]))
    const drawn = flowNodes(VIEW, { nodes, comments: [], reroutes: [], bookmarks: [] }, [])
    const x = (id: string): number => drawn.find((node) => node.id === id)?.position.x ?? Number.NaN
    expect(x('DefaultInputNode')).toBeLessThan(-NODE_WIDTH)
    expect(x('DefaultOutputNode')).toBeGreaterThan(9 * 280 + NODE_WIDTH)
    expect(x('DefaultOutputNode')).toBeLessThan(11 * 280)
  })
})
