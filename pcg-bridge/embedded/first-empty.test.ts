// "Why is there nothing?" by the node it must name: healthy graphs name none, broken ones the node at which data ends.
import { describe, expect, it } from 'vitest'
import { STARTERS } from '../catalog/index.ts'
import type { GraphDoc } from '../editor/document.ts'
import { firstEmpty } from './first-empty.ts'
import { graphOf, type Nodes, planOf, runPlan, volume } from './generation/graph.fixture.ts'
import { graphOfStarter, starter } from './generation/starters.fixture.ts'

function emptyOf(graphs: Readonly<Record<string, GraphDoc>>, more: Parameters<typeof planOf>[1] = {}) {
  const main = graphs['/game/main']
  if (!main) throw new Error('The graphs need /game/main')
  const plan = planOf(main, { actor: volume([2000, 2000, 2000]), ...more, graphs })
  return firstEmpty((path) => plan.graphs[path.toLowerCase()], plan.root, runPlan(plan).reports)
}
const nodeOf = (graph: GraphDoc, more?: Parameters<typeof planOf>[1]) => emptyOf({ '/game/main': graph }, more)?.node

describe('a healthy graph names no node', () => {
  it.each(STARTERS)('“$name”', (each) => expect(nodeOf(graphOfStarter(each))).toBeUndefined())

  it.each([
    ['a landscape that only shapes read', ['Ground.Out > Output.Out'], { Ground: ['PCGGetLandscapeSettings'] }],
    [
      'a filter whose other side is read',
      ['Grid.Out > Half.In', 'Half.OutsideFilter > Output.Out'],
      {
        Grid: ['PCGCreatePointsGridSettings'],
        Half: [
          'PCGAttributeFilteringSettings',
          { TargetAttribute: '$Position.X', Operator: 'Greater', bUseConstantThreshold: true },
        ],
      },
    ],
    [
      'an optional input without data',
      ['Grid.Out > Free.Source', 'Nowhere.Out > Free.Differences', 'Free.Out > Output.Out'],
      {
        Grid: ['PCGCreatePointsGridSettings'],
        Nowhere: [
          'PCGGetSplineSettings',
          { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: 'No' } },
        ],
        Free: ['PCGDifferenceSettings'],
      },
    ],
    [
      'one of two outputs wired to the end',
      ['Grid.Out > Both.In', 'Grid.Out > Output.Out', 'None.Out > Output.Out', 'Both.Out > None.In'],
      {
        Grid: ['PCGCreatePointsGridSettings'],
        Both: ['PCGRerouteSettings'],
        None: ['PCGDensityFilterSettings', { LowerBound: 2, UpperBound: 3 }],
      },
    ],
  ] satisfies [string, string[], Nodes][])('%s', (_name, wires, nodes) =>
    expect(nodeOf(graphOf(nodes, wires))).toBeUndefined(),
  )
})

/** Every wire of every starter, taken away: the node that loses it is named, unless it can do without. */
const CUTS = STARTERS.flatMap((each) =>
  each.wires.map((wire) => {
    const target = wire.split(' > ')[1]?.split('.')[0] ?? ''
    // What is subtracted may be missing: the trees stand in the clearing then, but they stand.
    const optional = /\.Differences$|> Inside\.In$/.test(wire)
    return { starter: each.id, wire, named: optional ? undefined : target }
  }),
)
it.each(CUTS)('$starter without $wire names $named', ({ starter: id, wire, named }) => {
  expect(nodeOf(graphOfStarter(starter(id), { cut: wire }))).toBe(named)
})

const NO_TAG = { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: 'Nowhere' } }
const NO_MESHES = { MeshSelectorParameters: { MeshEntries: [] } }
it.each([
  ['scatter', 'Sample', { PointsPerSquaredMeter: 0 }],
  ['scatter', 'Sample', { PointExtents: [0, 0, 0] }],
  ['scatter', 'Some', { LowerBound: 2, UpperBound: 3 }],
  ['scatter', 'Some', { LowerBound: 0, UpperBound: 1, bInvertFilter: true }],
  ['scatter', 'Spawn', NO_MESHES],
  ['scatter', 'Spawn', { MeshSelectorParameters: { AttributeName: 'Mesh' } }],
  ['clearing', 'Clearing', NO_TAG],
  ['clearing', 'Sample', { PointsPerSquaredMeter: 0 }],
  ['clearing', 'Trees', NO_MESHES],
  ['clearing', 'Fence', NO_MESHES],
  ['slope', 'Sample', { PointsPerSquaredMeter: -1 }],
  ['slope', 'Steep', { UpperBound: 0.5 }],
  ['slope', 'Rocks', NO_MESHES],
] as const)('%s names %s with %j', (id, node, settings) => {
  expect(nodeOf(graphOfStarter(starter(id), { set: { [node]: settings } }))).toBe(node)
})

it.each([
  ['the level has no landscape', 'scatter', 'Ground', { actors: [] }],
  [
    'the volume is beyond the landscape',
    'slope',
    'Ground',
    { actor: volume([500, 500, 500], { location: [1e7, 0, 0] }) },
  ],
  [
    'the volume hangs above the ground',
    'scatter',
    'Sample',
    { actor: volume([500, 500, 500], { location: [0, 0, 2400] }) },
  ],
] as const)('when %s, %s names %s', (_why, id, node, more) => {
  expect(nodeOf(graphOfStarter(starter(id)), more)).toBe(node)
})

const GRID: Nodes = { Grid: ['PCGCreatePointsGridSettings'] }
it.each([
  [
    'the node that sends all data to its other output',
    'Fork',
    { ...GRID, Fork: ['PCGBranchSettings', { bOutputToB: true }] },
    ['Grid.Out > Fork.In', 'Fork.Output A > Output.Out'],
  ],
  [
    'the source of the input that a selection reads',
    'None',
    {
      ...GRID,
      None: ['PCGCreatePointsSettings', { PointsToCreate: [] }],
      Pick: ['PCGBooleanSelectSettings', { bUseInputB: true }],
    },
    ['Grid.Out > Pick.Input A', 'None.Out > Pick.Input B', 'Pick.Out > Output.Out'],
  ],
  [
    'the first of two empty sources',
    'First',
    {
      First: ['PCGCreatePointsSettings', { PointsToCreate: [] }],
      Second: ['PCGCreatePointsSettings', { PointsToCreate: [] }],
      All: ['PCGMergeSettings'],
    },
    ['Second.Out > All.In', 'First.Out > All.In', 'All.Out > Output.Out'],
  ],
  [
    'the node that reports an error',
    'Check',
    { ...GRID, Check: ['PCGSanityCheckPointDataSettings', { MinPointCount: 1e6, MaxPointCount: 1e7 }] },
    ['Grid.Out > Check.In', 'Check.Out > Output.Out'],
  ],
  [
    'a missing spline',
    'Curve',
    { Curve: ['PCGGetSplineSettings', NO_TAG], Posts: ['PCGSplineSamplerSettings'] },
    ['Curve.Out > Posts.Spline', 'Posts.Out > Output.Out'],
  ],
  [
    'an open curve whose interior is sampled',
    'Posts',
    {
      Curve: ['PCGGetSplineSettings', { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: 'Path' } }],
      Posts: ['PCGSplineSamplerSettings', { SamplerParams: { Dimension: 'OnInterior' } }],
    },
    ['Curve.Out > Posts.Spline', 'Posts.Out > Output.Out'],
  ],
  [
    'the filter that keeps attribute rows away',
    'None',
    {
      ...GRID,
      Table: ['PCGPointToAttributeSetSettings'],
      None: [
        'PCGAttributeFilteringSettings',
        { TargetAttribute: '$Density', Operator: 'Greater', bUseConstantThreshold: true },
      ],
    },
    ['Grid.Out > None.In', 'None.OutsideFilter > Table.In', 'Table.Out > Output.Out'],
  ],
] satisfies [string, string, Nodes, string[]][])('names %s', (_what, node, nodes, wires) => {
  expect(nodeOf(graphOf(nodes, wires))).toBe(node)
})

describe('graphs within graphs', () => {
  const INNER = '/game/inner'
  const outer = (wires: readonly string[], nodes: Nodes = GRID) =>
    graphOf({ ...nodes, Sub: ['PCGSubgraphSettings', { SubgraphOverride: INNER }] }, wires)
  const none: Nodes = { None: ['PCGDensityFilterSettings', { LowerBound: 2, UpperBound: 3 }] }

  it('names the node inside, and the one that embeds it', () => {
    expect(
      emptyOf({
        '/game/main': outer(['Grid.Out > Sub.In', 'Sub.Out > Output.Out']),
        [INNER]: graphOf(none, ['Input.In > None.In', 'None.Out > Output.Out']),
      }),
    ).toEqual({
      node: 'Sub',
      inner: { node: 'None', graph: INNER },
      reason: 'It received data but kept none of it.',
    })
  })

  it('follows an empty input back out', () => {
    expect(
      emptyOf({
        '/game/main': outer(['Grid.Out > None.In', 'None.Out > Sub.In', 'Sub.Out > Output.Out'], { ...GRID, ...none }),
        [INNER]: graphOf({ Pass: ['PCGRerouteSettings'] }, ['Input.In > Pass.In', 'Pass.Out > Output.Out']),
      }),
    ).toMatchObject({ node: 'None', inner: null })
  })

  it('names a spawner inside that spawns nothing', () => {
    expect(
      emptyOf({
        '/game/main': outer(['Grid.Out > Sub.In']),
        [INNER]: graphOf({ Trees: ['PCGStaticMeshSpawnerSettings', NO_MESHES] }, ['Input.In > Trees.In']),
      }),
    ).toMatchObject({ node: 'Sub', inner: { node: 'Trees' } })
  })

  it('names the embedding node where nothing leads to the output', () => {
    expect(
      emptyOf({
        '/game/main': outer(['Grid.Out > Sub.In', 'Sub.Out > Output.Out']),
        [INNER]: graphOf({ Pass: ['PCGRerouteSettings'] }, ['Input.In > Pass.In']),
      }),
    ).toMatchObject({ node: 'Sub', inner: null, reason: `${INNER} connects nothing to its output Out.` })
  })
})
