import { describe, expect, it } from 'vitest'
import { bestEdge, edgeOf, fitting, insertion } from './connect.ts'
import { graphView } from './graph.ts'

const node = (node_name: string, settings_class: string, input_pins: string[], output_pins: string[]) => ({
  node_name,
  title: node_name,
  settings_class,
  input_pins,
  output_pins,
})
const VIEW = graphView({
  asset_path: '/Game/PCG/T',
  graph_name: 'T',
  node_count: 4,
  nodes: [
    node('land', 'PCGGetLandscapeSettings', [], ['Out']),
    node('sampler', 'PCGSurfaceSamplerSettings', ['Surface', 'Bounding Shape'], ['Out']),
    node('filter', 'PCGDensityFilterSettings', ['In'], ['Out']),
    node('spline', 'PCGSplineSamplerSettings', ['Spline', 'Bounding Shape'], ['Out']),
  ],
  has_input_node: false,
  has_output_node: false,
  input_node_name: 'DefaultInputNode',
  output_node_name: 'DefaultOutputNode',
  edges: [
    { from_node: 'land', from_pin: 'Out', to_node: 'sampler', to_pin: 'Surface' },
    { from_node: 'sampler', from_pin: 'Out', to_node: 'filter', to_pin: 'In' },
  ],
  edge_count: 2,
})

describe('a pin being connected', () => {
  it('matches by type, and never closes a cycle', () => {
    const points = fitting(VIEW, { node: 'filter', side: 'out', pin: 'Out' })
    expect([...points]).toEqual(['spline\nin\nBounding Shape'])
    const surface = fitting(VIEW, { node: 'land', side: 'out', pin: 'Out' })
    expect(surface).toContain('sampler\nin\nSurface')
    expect(surface).not.toContain('filter\nin\nIn')
    expect(surface).not.toContain('spline\nin\nSpline')
  })

  it('connects only to a pin of the other direction', () => {
    const out = { node: 'land', side: 'out', pin: 'Out' } as const
    expect(edgeOf({ node: 'spline', side: 'in', pin: 'Spline' }, out)).toMatchObject({ from: 'land', to: 'spline' })
    expect(edgeOf(out, out)).toBeUndefined()
  })
})

describe('connecting two nodes', () => {
  it('uses their best pins, in the direction that matches', () => {
    expect(bestEdge(VIEW, 'sampler', 'land')).toMatchObject({ from: 'land', toPin: 'Surface' })
    expect(bestEdge(VIEW, 'filter', 'sampler')).toMatchObject({ from: 'sampler', to: 'filter' })
  })

  it('inserts a third node only if it matches on both sides', () => {
    const [first, second] = VIEW.edges
    const filter = VIEW.nodes.get('filter')
    if (!first || !second || !filter) throw new Error('they are there')
    expect(insertion(VIEW, second, filter)).toEqual({ into: 'In', out: 'Out' })
    expect(insertion(VIEW, first, filter)).toBeUndefined()
  })
})
