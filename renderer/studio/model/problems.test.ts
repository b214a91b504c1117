import { describe, expect, it } from 'vitest'
import { type GraphInfo, graphView } from './graph.ts'
import { problemsOf, type Surroundings } from './problems.ts'

const AROUND: Surroundings = { deaf: new Map(), actor: null }
type Nodes = Readonly<Record<string, readonly [settingsClass: string, inputs: string, outputs: string]>>

function graph(nodes: Nodes, edges: readonly string[]) {
  const info: GraphInfo = {
    graph_name: 'Wood',
    asset_path: '/Game/PCG/Wood',
    node_count: Object.keys(nodes).length,
    nodes: Object.entries(nodes).map(([node_name, [settings_class, inputs, outputs]]) => ({
      node_name,
      title: node_name,
      settings_class,
      input_pins: inputs.split(' ').filter(Boolean),
      output_pins: outputs.split(' ').filter(Boolean),
    })),
    has_input_node: true,
    has_output_node: true,
    input_node_name: 'DefaultInputNode',
    output_node_name: 'DefaultOutputNode',
    edges: edges.map((edge) => {
      const [from_node = '', from_pin = '', to_node = '', to_pin = ''] = edge.split(/ > |\./)
      return { from_node, from_pin, to_node, to_pin }
    }),
    edge_count: edges.length,
  }
  return graphView(info)
}
const FILTER = ['PCGDensityFilterSettings', 'In', 'Out'] as const
const GRID = ['PCGCreatePointsGridSettings', '', 'Out'] as const
const codes = (nodes: Nodes, edges: readonly string[], around = AROUND) =>
  problemsOf(graph(nodes, edges), around).map(({ code, node }) => [code, node])

describe('problems of a graph', () => {
  it('finds none in a correct graph', () => {
    expect(codes({ G: GRID, F: FILTER }, ['G.Out > F.In', 'F.Out > DefaultOutputNode.Out'])).toEqual([])
  })

  it('finds an unconnected required input, and an unconnected node', () => {
    expect(codes({ F: FILTER }, ['F.Out > DefaultOutputNode.Out'])).toEqual([['PIN_NOT_WIRED', 'F']])
    expect(codes({ F: FILTER, G: GRID }, [])).toEqual([
      ['PIN_NOT_WIRED', 'F'],
      ['ORPHAN', 'F'],
      ['ORPHAN', 'G'],
    ])
  })

  it('finds a cycle once, with its nodes, however long', () => {
    const names = Array.from({ length: 5000 }, (_, index) => `N${index}`)
    const ring = names.map((name, index) => `${name}.Out > N${(index + 1) % names.length}.In`)
    const found = problemsOf(graph(Object.fromEntries(names.map((name) => [name, FILTER])), ring), AROUND)
    expect(found.map(({ code }) => code)).toEqual(['CYCLE'])
    const small = problemsOf(graph({ A: FILTER, B: FILTER }, ['A.Out > B.In', 'B.Out > A.In']), AROUND)
    expect(small.map(({ message }) => message)).toEqual(['A → B go round in a circle: none of them can run.'])
  })

  it('finds an edge between incompatible types', () => {
    const nodes: Nodes = { P: ['PCGCreateAttributeSetSettings', '', 'Out'], F: FILTER }
    const found = problemsOf(graph(nodes, ['P.Out > F.In', 'F.Out > DefaultOutputNode.Out']), AROUND)
    expect(found).toMatchObject([{ code: 'TYPE_MISMATCH', node: 'F', severity: 'error' }])
    expect(found[0]?.edge).not.toBeNull()
  })

  it('finds a class outside the catalogue, and a subgraph that ignores its connected input', () => {
    const nodes: Nodes = { G: GRID, S: ['PCGSubgraphSettings', 'In', 'Out'], X: ['MySettings', 'In', 'Out'] }
    const edges = ['G.Out > S.In', 'S.Out > X.In', 'X.Out > DefaultOutputNode.Out']
    expect(codes(nodes, edges, { ...AROUND, deaf: new Map([['S', '/Game/PCG/Deaf']]) })).toEqual([
      ['INPUT_UNUSED', 'S'],
      ['UNKNOWN_CLASS', 'X'],
    ])
  })

  it('finds an actor without extent, component or graph', () => {
    const actor = { label: 'Hill', extent: [0, 0, 0], hasComponent: false, runs: null }
    expect(codes({}, [], { ...AROUND, actor })).toEqual([
      ['NO_EXTENT', null],
      ['NO_COMPONENT', null],
    ])
    expect(codes({}, [], { ...AROUND, actor: { ...actor, extent: [1, 1, 1], hasComponent: true } })).toEqual([
      ['NO_GRAPH', null],
    ])
  })
})
