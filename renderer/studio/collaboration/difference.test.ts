import { expect, it } from 'vitest'
import { graphView } from '../model/graph.ts'
import { diffLayer, diffRows } from './difference.ts'
import { filledIn } from './restoring.ts'

const view = graphView({
  graph_name: 'G',
  asset_path: '/Game/PCG/G',
  node_count: 1,
  nodes: [{ node_name: 'A', title: 'A', settings_class: 'PCGMergeSettings', input_pins: ['In'], output_pins: ['Out'] }],
  has_input_node: true,
  has_output_node: true,
  input_node_name: 'DefaultInputNode',
  output_node_name: 'DefaultOutputNode',
  edges: [],
  edge_count: 0,
})
const gone = { class: 'PCGSurfaceSamplerSettings', properties: {} }
const ENTRIES = [
  { path: '/nodes/A/properties/Some~1Key', kind: 'changed' as const, before: 1, after: 2 },
  { path: '/nodes/B', kind: 'removed' as const, before: gone, after: null },
  { path: '/edges/B.Out.Side > A.In', kind: 'removed' as const, before: true, after: null },
  { path: '/parameters/Density', kind: 'added' as const, before: null, after: { type: 'float', value: 1 } },
]

it('lists a difference line by line', () => {
  expect(
    diffRows(ENTRIES).map(({ kind, subject, part, before, after }) => [kind, subject, part, before, after]),
  ).toEqual([
    ['changed', 'A', 'Some/Key', '1', '2'],
    ['removed', 'B', 'node', 'PCGSurfaceSamplerSettings', ''],
    ['removed', 'B.Out.Side > A.In', 'edge', '', ''],
    ['added', 'Density', 'parameter', '', '{"type":"float","value":1}'],
  ])
})

it('rings changed nodes and draws removed ones at their old place', () => {
  const { nodes, edges, gone: ghosts } = diffLayer(ENTRIES, view, { B: { x: 5, y: 6 } })
  expect(Object.fromEntries(nodes ?? [])).toEqual({ A: { ghost: 'changed' }, B: { ghost: 'removed' } })
  expect([...(edges ?? [])]).toEqual([['B\nOut.Side\nA\nIn', { ghost: 'removed' }]])
  expect(ghosts?.map(({ node, place }) => [node.name, node.title, place])).toEqual([
    ['B', 'Surface Sampler', { x: 5, y: 6 }],
  ])
})

it('draws two versions over a newer graph, including nodes it no longer has', () => {
  const entries = [
    { path: '/nodes/C', kind: 'added' as const, before: null, after: { class: 'PCGMergeSettings', properties: {} } },
    { path: '/nodes/B/properties/Looseness', kind: 'changed' as const, before: 1, after: 2 },
    { path: '/nodes/B/properties/PointSteepness', kind: 'changed' as const, before: 1, after: 0 },
  ]
  const sinceThen = [{ path: '/nodes/B', kind: 'removed' as const, before: gone, after: null }]
  const { nodes, gone: ghosts } = diffLayer(entries, view, {}, sinceThen)
  expect(Object.fromEntries(nodes ?? [])).toEqual({ C: { ghost: 'added' }, B: { ghost: 'changed' } })
  expect(ghosts?.map(({ node }) => [node.name, node.title])).toEqual([
    ['C', 'Merge Points'],
    ['B', 'Surface Sampler'],
  ])
})

it('uses the name that the editor gave to a restored node', () => {
  const args = { from_node: '{{0.node_name}}', to_node: 'A', properties: { X: 1 } }
  expect(filledIn(args, ['New_1'])).toEqual({ from_node: 'New_1', to_node: 'A', properties: { X: 1 } })
  expect(filledIn(args, [])).toEqual(args)
})
